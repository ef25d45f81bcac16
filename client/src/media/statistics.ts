/** What a peer connection carries, over the time since the statistics were read before. */
export interface MediaStatistics {
  /** Received media, in bits per second. */
  readonly receivedBitrate: number;
  /** Sent media, in bits per second. */
  readonly sentBitrate: number;
  /** Share of the received packets that were lost, from 0 to 1. */
  readonly lost: number;
  /** Round trip of the network, in milliseconds; null before it is known. */
  readonly roundTripMs: number | null;
  /** Loudness of what is received, from 0 to 1; null without audio. */
  readonly audioLevel: number | null;
  /** Loudness of the own microphone, from 0 to 1; null without one. */
  readonly sentAudioLevel: number | null;
  /** Received pictures per second; 0 without video. */
  readonly receivedFrameRate: number;
  /** Path of the media; null before it is known. */
  readonly path: "direct" | "relayed" | null;
}

/** Energy and duration of audio (WebRTC Statistics, totalAudioEnergy), or the level of this moment. */
interface Sound {
  energy: number;
  seconds: number;
  level: number;
}

/** Counters of one reading. */
interface Totals {
  at: number;
  received: number;
  sent: number;
  packets: number;
  lost: number;
  frames: number;
  heard: Sound | null;
  spoken: Sound | null;
}

/** A report of getStats (WebRTC Statistics), as much of it as is read. */
type Report = Record<string, unknown> & { readonly type: string; readonly id: string };

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/**
 * Reads the statistics of one peer connection. The event `statistics` of calls and conferences has them already; this is
 * for peer connections of a page's own.
 *
 * @example
 * ```ts
 * import { StatisticsReader } from "@signalbox/client";
 *
 * const connection = new RTCPeerConnection();
 * const reader = new StatisticsReader();
 * await reader.read(connection);
 * const { receivedBitrate, lost, roundTripMs } = await reader.read(connection);
 * console.log(receivedBitrate, lost, roundTripMs);
 * connection.close();
 * ```
 */
export class StatisticsReader {
  readonly #before = new Map<string, Totals>();

  /** @returns the statistics since the last call; those of the first call are zero */
  async read(connection: RTCPeerConnection): Promise<MediaStatistics> {
    const all = await this.readEach(connection, () => "");
    return all.get("") as MediaStatistics;
  }

  /**
   * Statistics by key.
   * @param keyOf the key of a media section; without a mid that of the connection as a whole. Null leaves it out.
   */
  async readEach(
    connection: RTCPeerConnection,
    keyOf: (mid: string | null) => string | null,
  ): Promise<Map<string, MediaStatistics>> {
    const reports: Report[] = [];
    (await connection.getStats()).forEach((report: Report) => {
      reports.push(report);
    });
    const now = new Map<string, Totals>();
    const at = performance.now();
    const count = (mid: string | null): Totals | null => {
      const key = keyOf(mid);
      if (key === null) return null;
      const totals = now.get(key) ?? emptyTotals(at);
      now.set(key, totals);
      return totals;
    };
    count(null);
    for (const report of reports) addReport(report, count);
    const path = pathOf(reports);
    const stats = new Map<string, MediaStatistics>();
    for (const [key, totals] of now) {
      stats.set(key, { ...difference(this.#before.get(key) ?? totals, totals), ...path });
    }
    this.#before.clear();
    for (const [key, totals] of now) this.#before.set(key, totals);
    return stats;
  }
}

function emptyTotals(at: number): Totals {
  const counters = { received: 0, sent: 0, packets: 0, lost: 0, frames: 0 };
  return { at, ...counters, heard: null, spoken: null };
}

function addReport(report: Report, count: (mid: string | null) => Totals | null): void {
  const mid = typeof report.mid === "string" ? report.mid : null;
  switch (report.type) {
    case "inbound-rtp": {
      const totals = count(mid);
      if (!totals) return;
      totals.received += numberOf(report.bytesReceived);
      totals.packets += numberOf(report.packetsReceived);
      totals.lost += numberOf(report.packetsLost);
      totals.frames += numberOf(report.framesDecoded);
      if (report.kind === "audio") totals.heard = louder(totals.heard, report);
      return;
    }
    case "outbound-rtp": {
      const totals = count(mid);
      if (totals) totals.sent += numberOf(report.bytesSent);
      return;
    }
    case "media-source": {
      const totals = count(null);
      if (totals && report.kind === "audio") totals.spoken = louder(totals.spoken, report);
    }
  }
}

function louder(before: Sound | null, report: Report): Sound {
  return {
    energy: (before?.energy ?? 0) + numberOf(report.totalAudioEnergy),
    seconds: Math.max(before?.seconds ?? 0, numberOf(report.totalSamplesDuration)),
    level: Math.max(before?.level ?? 0, numberOf(report.audioLevel)),
  };
}

function difference(
  before: Totals,
  now: Totals,
): Omit<MediaStatistics, keyof ReturnType<typeof pathOf>> {
  const seconds = (now.at - before.at) / 1000;
  const perSecond = (counted: number) => (seconds > 0 ? Math.max(0, counted / seconds) : 0);
  const lost = Math.max(0, now.lost - before.lost);
  const packets = Math.max(0, now.packets - before.packets) + lost;
  return {
    receivedBitrate: perSecond((now.received - before.received) * 8),
    sentBitrate: perSecond((now.sent - before.sent) * 8),
    lost: packets > 0 ? lost / packets : 0,
    audioLevel: levelOf(before.heard, now.heard),
    sentAudioLevel: levelOf(before.spoken, now.spoken),
    receivedFrameRate: perSecond(now.frames - before.frames),
  };
}

/** The mean level between two readings; that of the moment alone would miss most of what is said. */
function levelOf(before: Sound | null, now: Sound | null): number | null {
  if (!now) return null;
  const seconds = now.seconds - (before?.seconds ?? 0);
  const energy = now.energy - (before?.energy ?? 0);
  if (seconds <= 0 || energy < 0) return now.level;
  return Math.min(1, Math.sqrt(energy / seconds));
}

function pathOf(reports: Report[]): Pick<MediaStatistics, "path" | "roundTripMs"> {
  const transport = reports.find(({ type }) => type === "transport");
  const pair =
    reports.find(({ id }) => id === transport?.selectedCandidatePairId) ??
    // Firefox has no transport report.
    reports.find(({ type, nominated, state }) => {
      return type === "candidate-pair" && nominated === true && state === "succeeded";
    });
  if (!pair) return { path: null, roundTripMs: null };
  const ends = reports.filter(({ id }) => {
    return id === pair.localCandidateId || id === pair.remoteCandidateId;
  });
  const isRelayed = ends.some(({ candidateType }) => candidateType === "relay");
  const seconds = pair.currentRoundTripTime;
  return {
    path: isRelayed ? "relayed" : "direct",
    roundTripMs: typeof seconds === "number" ? seconds * 1000 : null,
  };
}
