import { z } from "zod";

/** What the Admin API counts of one media section; all counts are since the peer connected. */
export interface MediaCounters {
  mid: string;
  kind: "audio" | "video";
  packets: number;
  bytes: number;
  /** Lost packets: of a publisher those that Janus misses, of a watcher those that its client reports. */
  lost: number;
  /** Packets that a watcher's client has requested again. Those that were sent again count as packets as well. */
  requested: number;
  /** Null if unknown. */
  roundTripMs: number | null;
}

/** The counters of a peer at a moment. */
export interface PeerCounters {
  /** Seconds of Janus's own monotonic clock. */
  at: number;
  media: MediaCounters[];
}

/** Maximum number of media sections that are read. */
const SECTIONS_MAX = 256;

const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const traffic = z.object({ packets: count, bytes: count });
/** Beside the packets of the first simulcast layer stand those of the others. */
const layer = traffic.catch({ packets: 0, bytes: 0 });
const layers = traffic.extend({
  nacks: count.catch(0),
  "video-simulcast-1": layer,
  "video-simulcast-2": layer,
});
const quality = z.object({
  rtt: z.number().nonnegative().catch(0),
  lost: z.number().int().catch(0),
  "lost-by-remote": z.number().int().catch(0),
});
const section = z.object({
  mid: z.string().min(1).max(64),
  type: z.enum(["audio", "video"]),
  /** One of each simulcast layer; only `main` without layers. */
  rtcp: z.record(z.string(), quality).catch({}),
  stats: z.object({ in: layers, out: traffic }),
});
const handleInfo = z.object({
  info: z.object({
    /** Microseconds. */
    current_time: z.number().positive(),
    webrtc: z.object({ media: z.record(z.string(), z.unknown()) }),
  }),
});

/**
 * Reads the Admin API's response to `handle_info`. A section without valid counters is left out.
 * @param direction `in` for a publisher, `out` for a watcher
 * @returns null if it has no counters, as before the peer connects
 */
export function readHandleInfo(response: unknown, direction: "in" | "out"): PeerCounters | null {
  const parsed = handleInfo.safeParse(response);
  if (!parsed.success) return null;
  const { current_time, webrtc } = parsed.data.info;
  const media = Object.values(webrtc.media)
    .slice(0, SECTIONS_MAX)
    .flatMap((each) => {
      const valid = section.safeParse(each);
      return valid.success ? [countersOf(valid.data, direction)] : [];
    });
  return { at: current_time / 1e6, media };
}

/** A client's count of lost packets is a signed number of 24 bits, which Janus takes for an unsigned one. */
const signed = (lost: number) => (lost >= 0x800000 ? lost - 0x1000000 : lost);

function countersOf(
  { mid, type, rtcp, stats }: z.infer<typeof section>,
  direction: "in" | "out",
): MediaCounters {
  const qualities = Object.values(rtcp);
  const lost = qualities.reduce(
    (sum, each) => sum + (direction === "in" ? each.lost : signed(each["lost-by-remote"])),
    0,
  );
  // Janus has 0 for what it does not know.
  const roundTripMs = Math.max(0, ...qualities.map(({ rtt }) => rtt)) || null;
  if (direction === "out") {
    return { mid, kind: type, ...stats.out, lost, requested: stats.in.nacks, roundTripMs };
  }
  const traffics = [stats.in, stats.in["video-simulcast-1"], stats.in["video-simulcast-2"]];
  const packets = traffics.reduce((sum, each) => sum + each.packets, 0);
  const bytes = traffics.reduce((sum, each) => sum + each.bytes, 0);
  return { mid, kind: type, packets, bytes, lost, requested: 0, roundTripMs };
}
