import type { PeerStream } from "../engine";
import type { JanusStream } from "./connection/janus-messages";
import type { PublisherIndex } from "./publisher-index";

/** A media section of a watching peer. */
export interface WatchedStream extends Pick<PeerStream, "mid" | "kind"> {
  /** The id at Janus of the feed that the section carries; null for none. */
  feedId: string | null;
  /** The peer that publishes the feed; null when it has ended, so that the section carries nothing. */
  publisher: string | null;
  /** Whether the client wants it, and whether its network allows it. */
  wanted: boolean;
  allowed: boolean;
}

/**
 * The sections as Janus lists them.
 * @param before the sections so far: those that carry the same stay paused
 */
export function readWatched(
  streams: JanusStream[],
  publishers: PublisherIndex,
  before: readonly WatchedStream[],
): WatchedStream[] {
  return streams.flatMap(({ mid, type, active, feed_id }) => {
    if (mid === undefined || (type !== "audio" && type !== "video")) return [];
    const feedId = active && feed_id !== undefined ? feed_id : null;
    const publisher = feedId === null ? null : (publishers.find(feedId)?.id ?? null);
    const was = before.find((each) => each.mid === mid && each.publisher === publisher);
    const { wanted = true, allowed = true } = was ?? {};
    return [{ mid, kind: type, feedId, publisher, wanted, allowed }];
  });
}
