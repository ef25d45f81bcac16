/** What a peer connection carries, over the time since the figures were read before. */
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
  /** Path of the media; null before it is known. */
  readonly path: "direct" | "relayed" | null;
}

/** Counters of one reading. */
interface Totals {
  at: number;
  received: number;
  sent: number;
  packets: number;
  lost: number;
}

/** A report of getStats (WebRTC Statistics), as much of it as is read. */
type Report = Record<string, unknown> & { readonly type: string; readonly id: string };

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Reads the figures of one peer connection. */
export class StatisticsReader {
  #before: Totals = { at: 0, received: 0, sent: 0, packets: 0, lost: 0 };

  /** @returns the figures since the last call; those of the first call are zero */
  async read(connection: RTCPeerConnection): Promise<MediaStatistics> {
    const reports: Report[] = [];
    (await connection.getStats()).forEach((report: Report) => {
      reports.push(report);
    });
    const now: Totals = { at: performance.now(), received: 0, sent: 0, packets: 0, lost: 0 };
    let audioLevel: number | null = null;
    for (const report of reports) {
      if (report.type === "inbound-rtp") {
        now.received += numberOf(report.bytesReceived);
        now.packets += numberOf(report.packetsReceived);
        now.lost += numberOf(report.packetsLost);
        if (typeof report.audioLevel === "number") {
          audioLevel = Math.max(audioLevel ?? 0, report.audioLevel);
        }
      } else if (report.type === "outbound-rtp") now.sent += numberOf(report.bytesSent);
    }
    const before = this.#before.at === 0 ? now : this.#before;
    this.#before = now;
    const seconds = (now.at - before.at) / 1000;
    const perSecond = (bytes: number) => (seconds > 0 ? Math.max(0, (bytes * 8) / seconds) : 0);
    const lost = Math.max(0, now.lost - before.lost);
    const packets = Math.max(0, now.packets - before.packets) + lost;
    return {
      receivedBitrate: perSecond(now.received - before.received),
      sentBitrate: perSecond(now.sent - before.sent),
      lost: packets > 0 ? lost / packets : 0,
      audioLevel,
      ...pathOf(reports),
    };
  }
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
