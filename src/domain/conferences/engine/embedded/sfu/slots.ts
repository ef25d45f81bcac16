import { type Feed, type PeerStream, ROOM_PARTICIPANTS_MAX, SCREENS_MAX } from "../../engine";

/** The media sections that one feed can take: a pair, so that browsers synchronise sound and picture. */
export interface Slot {
  audio: string | null;
  video: string | null;
}

/** Identifies a feed in its room. */
export const feedKey = (feed: Feed): string => `${feed.participant}/${feed.source}`;

/**
 * The sections of a peer that watches all: a pair for each participant that a room can ever have, and a video more for
 * each shared screen. They never change, also not with the seats of the conference, so that the peer is never
 * renegotiated.
 */
export function allSlots(video: boolean): Slot[] {
  const slots: Slot[] = [];
  let mid = 0;
  const next = () => String(mid++);
  for (let index = 0; index < ROOM_PARTICIPANTS_MAX; index += 1) {
    slots.push({ audio: next(), video: video ? next() : null });
  }
  if (!video) return slots;
  for (let index = 0; index < SCREENS_MAX; index += 1) slots.push({ audio: null, video: next() });
  return slots;
}

/** Whether a feed sends audio or video. */
export type FeedSends = (feed: Feed, kind: "audio" | "video") => boolean;

/**
 * The order in which a feed looks for a free slot: participants from the front, screens from the end, where those
 * without sound leave the last pair to one with sound.
 */
function preference(slots: readonly Slot[], feed: Feed, sends: FeedSends): number[] {
  const indexes = slots.map((_slot, index) => index);
  if (feed.source === "main") return indexes;
  const pairs = indexes.filter((index) => slots[index]?.audio !== null).reverse();
  const videos = indexes.filter((index) => slots[index]?.audio === null);
  return sends(feed, "audio") ? [...pairs, ...videos] : [...videos, ...pairs];
}

/**
 * Assigns feeds to slots. A feed keeps its slot; others get free ones. A screen with sound that finds only participants
 * in the pairs shows its picture alone.
 * @returns the feed of each slot, or null if there are more feeds than slots
 */
export function assignSlots(
  slots: readonly Slot[],
  current: ReadonlyArray<Feed | null>,
  feeds: readonly Feed[],
  sends: FeedSends,
): Array<Feed | null> | null {
  const wanted = new Map(feeds.map((feed) => [feedKey(feed), feed]));
  const assigned = slots.map((_slot, index) => {
    const feed = current[index];
    if (!feed || !wanted.delete(feedKey(feed))) return null;
    return feed;
  });
  for (const feed of wanted.values()) {
    const free = preference(slots, feed, sends).find((index) => assigned[index] === null);
    if (free === undefined) return null;
    assigned[free] = feed;
  }
  return assigned;
}

/** The streams of a watching peer. A section of a slot that its feed does not use has no feed. */
export function streamsOf(
  slots: readonly Slot[],
  feeds: ReadonlyArray<Feed | null>,
  sends: FeedSends,
): PeerStream[] {
  return slots.flatMap((slot, index) => {
    const feed = feeds[index] ?? null;
    return (["audio", "video"] as const).flatMap((kind) => {
      const mid = slot[kind];
      if (mid === null) return [];
      return [{ mid, kind, feed: feed && sends(feed, kind) ? feed : null }];
    });
  });
}
