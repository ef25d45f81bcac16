import { GatewayConference } from "../../tools/conferences/gateway/gateway-conference";
import {
  type GraphqlParticipant,
  joinConference,
} from "../../tools/conferences/graphql-participant";
import { hostMilliseconds } from "../../tools/conferences/synthetic-media";
import {
  SyntheticPeers,
  type SyntheticPublisher,
  type SyntheticWatcher,
} from "../../tools/conferences/synthetic-peer";
import type { Deployment } from "../deployment/deployment";
import { settle } from "./sockets";

/** Time in which media must flow, or flow again after a media server was killed, in milliseconds. */
const PATIENCE_MS = 60_000;
const POLL_MS = 50;
/** Video of every participant, in kbit/s. */
const MEDIA = { kbits: 60, fps: 10 };

/** The hostile participant's peer connections. */
export interface HostileMedia {
  publisher: SyntheticPublisher;
  watcher: SyntheticWatcher;
  /** The SSRCs that either side knows. */
  ssrcs: { publisher: number[]; watcher: number[] };
  /** The SDPs of both kinds, as the client wrote them. */
  offer: string;
  answer: string;
  /** The media server's side of the publisher: UDP address and ICE user fragment. */
  server: { address: string; port: number; fragment: string };
}

/**
 * Two conferences at the first node: one of two honest participants, whose media must flow whatever the other one does,
 * and one of an honest participant and a hostile one.
 */
export class MediaSession {
  private readonly honestPeers = new SyntheticPeers();
  private hostilePeers = new SyntheticPeers();
  private readonly conferences: GatewayConference[] = [];
  private readonly node: { graphqlUrl: string };
  private conferenceId = "";
  private token = "";
  private joined: GraphqlParticipant | null = null;
  private media: HostileMedia | null = null;

  private constructor(private readonly deployment: Deployment) {
    this.node = { graphqlUrl: `${deployment.nodes[0]?.urls.http}/graphql` };
  }

  /** Opens the conferences. */
  static async open(deployment: Deployment): Promise<MediaSession> {
    const session = new MediaSession(deployment);
    await session.addHonest(2);
    session.conferenceId = (await session.addHonest(1)).id;
    session.token = await session.newToken();
    return session;
  }

  /** The GraphQL endpoint of the node, and the hostile participant's token. */
  get access(): { url: string; token: string } {
    return { url: this.deployment.nodes[0]?.urls.http ?? "", token: this.token };
  }

  /** The hostile participant, who joins if it is not in the conference. */
  async participant(): Promise<GraphqlParticipant> {
    if (this.joined && !this.joined.isOver()) return this.joined;
    this.joined = await retried(() => joinConference(this.node, this.conferenceId, this.token));
    return this.joined;
  }

  /** The reason for which the media server has closed a peer of the hostile participant, since the last call. */
  async closed(): Promise<string | null> {
    const events = this.joined?.events.splice(0) ?? [];
    return events.find((event) => event.__typename === "ConferencePeerClosedEvent")?.detail ?? null;
  }

  /** The hostile participant's media, whose connections are opened unless both are open. */
  async connected(): Promise<HostileMedia> {
    if (this.media && (await isUp(this.media))) return this.media;
    this.media = await retried(() => this.connect());
    return this.media;
  }

  /** Closes the hostile participant's connections; {@link connected} opens others. */
  async disconnect(): Promise<void> {
    const { media } = this;
    this.media = null;
    await media?.publisher.close();
    await media?.watcher.close();
  }

  /** Waits until media of the honest participants arrives. @returns null, or what is wrong */
  async flows(): Promise<string | null> {
    const since = hostMilliseconds();
    const [honest] = this.conferences;
    const participant = honest?.participants.get(2);
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      const tracks = (await participant?.received()) ?? [];
      if (tracks.some(({ lastPacketAt }) => lastPacketAt > since)) return null;
      await settle(POLL_MS);
    }
    return `no media of honest participants arrived within ${PATIENCE_MS / 1000} s`;
  }

  async close(): Promise<void> {
    await this.joined?.leave().catch(() => undefined);
    for (const conference of this.conferences) await conference.close().catch(() => undefined);
    await this.honestPeers.close();
    await this.hostilePeers.close();
  }

  private async newToken(): Promise<string> {
    const { fixture } = this.deployment;
    return (await fixture.newGuest(fixture.canary)).token;
  }

  /** A conference with honest participants, who come back by themselves. */
  private async addHonest(participants: number): Promise<GatewayConference> {
    const tokens: string[] = [];
    while (tokens.length < participants) tokens.push(await this.newToken());
    const options = { media: MEDIA, recovers: true };
    const conference = await GatewayConference.open(this.node, tokens, this.honestPeers, options);
    this.conferences.push(conference);
    while (conference.participants.size < participants) await conference.join();
    return conference;
  }

  private async connect(): Promise<HostileMedia> {
    await this.disconnect();
    // Its own library might not survive what it sends.
    await this.hostilePeers.close();
    this.hostilePeers = new SyntheticPeers();
    const participant = await this.participant();
    const publisher = await this.hostilePeers.publish({ sender: 66, ...MEDIA });
    const input = { source: "MAIN", offer: publisher.offer };
    const published = await participant.mutate("publishConferenceMedia", "peerId answer", input);
    await publisher.accept(published.answer);
    const { peerId, offer } = await participant.mutate("watchConference", "peerId offer");
    const watcher = await this.hostilePeers.watch(offer);
    await participant.mutate("answerConferencePeer", "done", { peerId, answer: watcher.answer });
    await watcher.connect();
    const [, address = "", port] =
      /candidate:\S+ \d+ udp \d+ (\S+) (\d+)/i.exec(published.answer) ?? [];
    const media: HostileMedia = {
      publisher,
      watcher,
      ssrcs: { publisher: ssrcsOf(publisher.offer), watcher: ssrcsOf(offer) },
      offer: publisher.offer,
      answer: watcher.answer,
      server: {
        address,
        port: Number(port),
        fragment: /a=ice-ufrag:(\S+)/.exec(published.answer)?.[1] ?? "",
      },
    };
    for (let waited = 0; !(await isUp(media)); waited += POLL_MS) {
      if (waited > PATIENCE_MS / 4) throw new Error("the hostile participant does not connect");
      await settle(POLL_MS);
    }
    return media;
  }
}

const ssrcsOf = (sdp: string) => [
  ...new Set([...sdp.matchAll(/^a=ssrc:(\d+)/gm)].map(([, ssrc]) => Number(ssrc))),
];

async function isUp({ publisher, watcher }: HostileMedia): Promise<boolean> {
  const states = [(await publisher.report()).state, (await watcher.report()).state];
  return states.every((state) => state === "connected");
}

/** Repeats what fails while a media server is started again. @throws the last error */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await settle(4 * POLL_MS);
    }
  }
}
