import type { PeerStatistics } from "../../engine";
import type { MediaCounters, PeerCounters } from "./handle-info";

/** Maximum of a value: GraphQL's Int. */
const VALUE_MAX = 2_147_483_647;

const bounded = (value: number) => Math.min(VALUE_MAX, Math.round(value));

/** What happened to a peer between two readings of its counters. */
export interface PeerStats {
  seconds: number;
  statistics: PeerStatistics;
  /** Share of the video packets that were lost; null without video. */
  videoLoss: number | null;
}

/**
 * The statistics between two readings. A section whose counters went back is a new one, and left out.
 * @param direction `in` for a publisher, whose counted packets are those that arrived; `out` for a watcher, whose
 *   counted packets are those that were sent
 * @returns null if no time has passed
 */
export function statsBetween(
  before: PeerCounters,
  after: PeerCounters,
  direction: "in" | "out",
): PeerStats | null {
  const seconds = after.at - before.at;
  if (!(seconds > 0)) return null;
  const earlier = new Map(before.media.map((each) => [each.mid, each]));
  const media = after.media.flatMap((each) => {
    const was = earlier.get(each.mid);
    return was ? difference(was, each) : [];
  });
  const bitrate = (kind: MediaCounters["kind"]) => {
    const bytes = media.reduce((sum, each) => sum + (each.kind === kind ? each.bytes : 0), 0);
    return bounded((bytes * 8) / seconds);
  };
  const losses = media.flatMap((each) => lossOf(each, direction));
  const roundTrips = after.media.flatMap(({ roundTripMs }) => roundTripMs ?? []);
  const statistics = {
    audioBitrate: bitrate("audio"),
    videoBitrate: bitrate("video"),
    packetLoss: Math.max(0, ...losses.map(({ loss }) => loss)),
    roundTripMs: roundTrips.length > 0 ? bounded(Math.max(...roundTrips)) : null,
  };
  const videoLosses = losses.flatMap(({ kind, loss }) => (kind === "video" ? loss : []));
  const videoLoss = videoLosses.length > 0 ? Math.max(...videoLosses) : null;
  return { seconds, statistics, videoLoss };
}

function difference(before: MediaCounters, after: MediaCounters): MediaCounters[] {
  const packets = after.packets - before.packets;
  const bytes = after.bytes - before.bytes;
  if (packets < 0 || bytes < 0 || before.kind !== after.kind) return [];
  // Clients take lost packets back that arrive late.
  const lost = Math.max(0, after.lost - before.lost);
  const requested = Math.max(0, after.requested - before.requested);
  return [{ ...after, packets, bytes, lost, requested }];
}

function lossOf(
  { kind, packets, lost, requested }: MediaCounters,
  direction: "in" | "out",
): { kind: MediaCounters["kind"]; loss: number }[] {
  // Each lost packet that was requested was sent at least twice; clients count only the first time.
  const expected = direction === "in" ? packets + lost : packets - Math.min(lost, requested);
  return expected > 0 ? [{ kind, loss: Math.min(1, lost / expected) }] : [];
}
