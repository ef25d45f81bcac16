import type { GraphqlParticipant } from "../../../../tools/conferences/graphql-participant";
import { passes } from "../../../../tools/conferences/graphql-participant";
import type {
  SyntheticPeers,
  SyntheticPublisher,
  SyntheticWatcher,
} from "../../../../tools/conferences/synthetic-peer";

/** A publishing peer connection of a participant. */
export interface PublishedMedia {
  peerId: string;
  client: SyntheticPublisher;
}

/** A watching peer connection of a participant, with the sections of the first participant that it receives. */
export interface WatchedMedia {
  peerId: string;
  client: SyntheticWatcher;
  /** `mid` of the media sections. */
  audio: string;
  video: string;
}

/** Publishes over GraphQL, and waits until the participant's own events say that media flows. */
export async function publishMedia(
  peers: SyntheticPeers,
  participant: GraphqlParticipant,
  sender: number,
): Promise<PublishedMedia> {
  const client = await peers.publish({ sender });
  const input = { offer: client.offer };
  const fields = "peerId answer";
  const { peerId, answer } = await participant.mutate("publishConferenceMedia", fields, input);
  await client.accept(answer);
  await participant.event(
    "ConferenceParticipantUpdatedEvent",
    (event) => event.participant.id === participant.participantId && event.participant.publishing,
  );
  return { peerId, client };
}

/** Watches over GraphQL, while somebody publishes. */
export async function watchMedia(
  peers: SyntheticPeers,
  participant: GraphqlParticipant,
): Promise<WatchedMedia> {
  const fields = "peerId offer streams { mid kind participantId }";
  const { peerId, offer, streams } = await participant.mutate("watchConference", fields);
  const midOf = (wanted: string): string =>
    streams.find(
      ({ kind, participantId }: { kind: string; participantId: string | null }) =>
        kind === wanted && participantId !== null,
    ).mid;
  const client = await answerOffer(peers, participant, peerId, offer);
  return { peerId, client, audio: midOf("AUDIO"), video: midOf("VIDEO") };
}

/** Answers an offer over a new peer connection. */
export async function answerOffer(
  peers: SyntheticPeers,
  participant: GraphqlParticipant,
  peerId: string,
  offer: string,
): Promise<SyntheticWatcher> {
  const client = await peers.watch(offer);
  await participant.mutate("answerConferencePeer", "done", { peerId, answer: client.answer });
  await client.connect();
  return client;
}

/** Number of packets that a media section has received. */
export async function packetsOf(client: SyntheticWatcher, mid: string): Promise<number> {
  return (await client.report()).tracks.find((each) => each.mid === mid)?.packets ?? 0;
}

/** Waits until more packets arrive in a media section. */
export async function flowsOn(client: SyntheticWatcher, mid: string): Promise<void> {
  const before = await packetsOf(client, mid);
  await passes(async () => {
    const now = await packetsOf(client, mid);
    if (now <= before + 20) throw new Error(`${now} packets, ${before} before`);
  });
}

/** Waits until packets of a sender arrive in two tracks: its audio and its video. */
export async function receives(watcher: SyntheticWatcher, sender: number): Promise<void> {
  await passes(async () => {
    const { tracks } = await watcher.report();
    const from = tracks.filter((track) => track.packets > 0 && track.senders.includes(sender));
    if (from.length !== 2) throw new Error(`${from.length} tracks of sender ${sender}`);
  });
}
