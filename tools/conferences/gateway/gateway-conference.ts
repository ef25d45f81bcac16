import type { GatewayNode } from "../../graphql/graphql-http";
import {
  createConference,
  type GraphqlParticipant,
  mutate,
  type ReceivedEvent,
  watchEvents,
} from "../graphql-participant";
import { hostMilliseconds, INTERRUPTED_MS } from "../synthetic-media";
import type { SyntheticPeers } from "../synthetic-peer";
import { type ParticipantOptions, SyntheticParticipant } from "./synthetic-participant";

/** Options of {@link GatewayConference.open}. */
export interface GatewayConferenceOptions extends ParticipantOptions {
  /** Of createConference. */
  settings?: Record<string, unknown>;
  /** Called for each event of each participant. */
  onEvent?(participant: number, event: ReceivedEvent): void;
}

/** How a participant reaches the gateway. */
interface Connection {
  /** The node of its mutations and of its subscription. */
  node: GatewayNode;
  /** Its subscription; the first one is not open yet while it is null. */
  events: GraphqlParticipant | null;
}

/** A conference of synthetic participants, who reach the engine through the gateway. */
export class GatewayConference {
  /** The participants by number, which count from 1. */
  readonly participants = new Map<number, SyntheticParticipant>();
  private readonly connections = new Map<number, Connection>();

  private constructor(
    private readonly node: GatewayNode,
    readonly id: string,
    private readonly tokens: string[],
    private readonly peers: SyntheticPeers,
    private readonly options: GatewayConferenceOptions,
  ) {}

  /** Creates the conference. @param tokens of different users, one for each participant; the first one creates it */
  static async open(
    node: GatewayNode,
    tokens: string[],
    peers: SyntheticPeers,
    options: GatewayConferenceOptions = {},
  ): Promise<GatewayConference> {
    const settings = { access: "EVERYONE", ...options.settings };
    const id = await createConference(node, tokens[0] ?? "", settings);
    return new GatewayConference(node, id, tokens, peers, options);
  }

  /**
   * Joins as the page of demo/conference does: then it subscribes, and meanwhile publishes and watches. A participant
   * that recovers subscribes first: these clients do not notice by themselves that a media server is gone, so they must
   * not miss the event that says so.
   * @param number the next one, or that of a participant who was cut
   */
  async join(number = this.participants.size + 1, node = this.node): Promise<SyntheticParticipant> {
    const conferenceId = this.id;
    const token = this.tokens[number - 1] ?? "";
    const fields = "membershipId participant { id }";
    const joined = await mutate(node, "joinConference", fields, { conferenceId }, token);
    const { membershipId } = joined;
    const connection: Connection = { node, events: null };
    const call = (name: string, result: string, input: Record<string, unknown>) =>
      mutate(connection.node, name, result, { membershipId, ...input }, token);
    const participant = new SyntheticParticipant(
      this.peers,
      number,
      {
        publish: (offer, source) =>
          call("publishConferenceMedia", "peerId answer", { offer, source: source.toUpperCase() }),
        watch: () =>
          call("watchConference", "peerId offer streams { mid kind participantId source }", {}),
        answer: (peerId, answer) => call("answerConferencePeer", "done", { peerId, answer }),
      },
      this.options,
    );
    this.participants.set(number, participant);
    this.connections.set(number, connection);
    const onEvent = this.handler(number);
    const subscribed = watchEvents(
      node,
      token,
      membershipId,
      joined.participant.id,
      undefined,
      onEvent,
    );
    try {
      if (this.options.recovers) await subscribed;
      [connection.events] = await Promise.all([subscribed, participant.open()]);
    } catch (error) {
      await this.cut(number);
      throw error;
    }
    return participant;
  }

  /** What a participant has been told; undefined before it has joined. */
  eventsOf(number: number): GraphqlParticipant | undefined {
    return this.connections.get(number)?.events ?? undefined;
  }

  /** Continues the subscription of a participant at another node, after its last event. */
  async resume(number: number, node: GatewayNode): Promise<void> {
    const connection = this.connections.get(number);
    if (!connection?.events) throw new Error(`participant ${number} has not joined`);
    connection.node = node;
    const { token, membershipId, participantId, events: before } = connection.events;
    await connection.events.disconnect();
    const after = before.at(-1)?.cursor;
    const onEvent = this.handler(number);
    const resumed = await watchEvents(node, token, membershipId, participantId, after, onEvent);
    resumed.events.unshift(...before);
    connection.events = resumed;
  }

  /** When the last track of the participants came back; null if one does not arrive at this moment. */
  async receiveEachOther(): Promise<number | null> {
    let backAt = 0;
    for (const watcher of this.participants.values()) {
      const tracks = await watcher.received();
      const now = hostMilliseconds();
      for (const { number } of this.participants.values()) {
        if (number === watcher.number) continue;
        const arriving = tracks.filter(
          ({ sender, lastPacketAt }) => sender === number && now - lastPacketAt < INTERRUPTED_MS,
        );
        // Audio and video, the latter with a picture.
        if (arriving.length < 2 || !arriving.some((track) => track.firstKeyFrameAt !== null)) {
          return null;
        }
        for (const { resumedAt, firstKeyFrameAt } of arriving) {
          backAt = Math.max(backAt, resumedAt, firstKeyFrameAt ?? 0);
        }
      }
    }
    return backAt;
  }

  private handler(number: number): (event: ReceivedEvent) => void {
    const participant = this.participants.get(number);
    return (event) => {
      this.options.onEvent?.(number, event);
      const type = event.__typename;
      if (type === "ConferenceStreamsEvent") participant?.onStreams(event.peerId, event.offer);
      if (type === "ConferencePeerClosedEvent") participant?.onEnded(event.detail, event.peerId);
      if (type === "ConferenceReconnectEvent") participant?.onReconnect();
    };
  }

  /** Cuts a participant off: its peer connections and its subscription end without a word. */
  async cut(number: number): Promise<void> {
    await this.connections.get(number)?.events?.disconnect();
    this.connections.delete(number);
    await this.participants.get(number)?.close();
    this.participants.delete(number);
  }

  /** Runs a mutation of a participant. */
  mutate(
    number: number,
    name: string,
    fields: string,
    input: Record<string, unknown>,
    node = this.node,
  ) {
    const token = this.tokens[number - 1];
    return mutate(node, name, fields, { conferenceId: this.id, ...input }, token);
  }

  /** All participants leave. */
  async close(): Promise<void> {
    const connections = [...this.connections.values()];
    await Promise.all(connections.map(({ events }) => events?.mutate("leaveConference", "done")));
    await this.abandon();
  }

  /** Ends the participants without a word to the gateway. */
  async abandon(): Promise<void> {
    await Promise.all([...this.participants.keys()].map((number) => this.cut(number)));
  }
}
