import type { GraphqlMember } from "../../../../tools/conferences/graphql-member";
import { passes } from "../../../../tools/conferences/graphql-member";
import type {
  SyntheticPeers,
  SyntheticPublisher,
  SyntheticWatcher,
} from "../../../../tools/conferences/synthetic-peer";

/** A publishing peer connection of a member. */
export interface PublishedMedia {
  peerId: string;
  client: SyntheticPublisher;
}

/** A watching peer connection of a member, with the sections of the first member that it receives. */
export interface WatchedMedia {
  peerId: string;
  client: SyntheticWatcher;
  /** `mid` of the media sections. */
  audio: string;
  video: string;
}

/** Publishes over GraphQL, and waits until the member's own events say that media flows. */
export async function publishMedia(
  peers: SyntheticPeers,
  member: GraphqlMember,
  sender: number,
): Promise<PublishedMedia> {
  const client = await peers.publish({ sender });
  const input = { offer: client.offer };
  const fields = "peerId answer";
  const { peerId, answer } = await member.mutate("publishConferenceMedia", fields, input);
  await client.accept(answer);
  await member.event(
    "ConferenceMemberUpdatedEvent",
    (event) => event.member.id === member.memberId && event.member.publishing,
  );
  return { peerId, client };
}

/** Watches over GraphQL, while somebody publishes. */
export async function watchMedia(
  peers: SyntheticPeers,
  member: GraphqlMember,
): Promise<WatchedMedia> {
  const fields = "peerId offer streams { mid kind memberId }";
  const { peerId, offer, streams } = await member.mutate("watchConference", fields);
  const midOf = (wanted: string): string =>
    streams.find(
      ({ kind, memberId }: { kind: string; memberId: string | null }) =>
        kind === wanted && memberId !== null,
    ).mid;
  const client = await answerOffer(peers, member, peerId, offer);
  return { peerId, client, audio: midOf("AUDIO"), video: midOf("VIDEO") };
}

/** Answers an offer over a new peer connection. */
export async function answerOffer(
  peers: SyntheticPeers,
  member: GraphqlMember,
  peerId: string,
  offer: string,
): Promise<SyntheticWatcher> {
  const client = await peers.watch(offer);
  await member.mutate("answerConferencePeer", "done", { peerId, answer: client.answer });
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
