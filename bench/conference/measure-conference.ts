import { setTimeout as wait } from "node:timers/promises";
import type { SyntheticParticipant } from "../../tools/conferences/gateway/synthetic-participant";
import { hostMilliseconds } from "../../tools/conferences/synthetic-media";
import type { Usage } from "../process-usage";
import type { BenchConference, Subject, SubjectUsage } from "./subject";

/** Numbers of participants that are measured. */
export const SIZES = [4, 8, 12] as const;
/** Time after the last join before a window, in milliseconds. */
const SETTLE_MS = 2_000;
/** Interval at which frames are looked for; the clients note when they arrive. */
const LOOK_MS = 20;
/** Time in which every frame must have arrived, in milliseconds. */
const FRAMES_TIMEOUT_MS = 30_000;

/** CPU time of the processes in a period, in microseconds. */
export interface CpuMicros {
  engine: number;
  gateway: number;
}

/** One participant's join. Times are in milliseconds from its first request. */
export interface JoinFigures {
  participant: number;
  /** Until it has the first complete key frame. */
  firstFrame: number;
  /** Until it has a key frame of every other participant. */
  allFrames: number;
  /** Until every other participant has a key frame of it. */
  seenByAll: number;
}

/** The joins after the previous size, up to a size. */
export interface JoinPhase {
  size: number;
  joins: number;
  cpu: CpuMicros;
}

/** A window with a constant number of participants. */
export interface SteadyFigures {
  size: number;
  seconds: number;
  /** Tracks with packets in the window. */
  tracks: number;
  /** Packets that the participants received in the window. */
  packets: number;
  /** Packets that were missing at the end of the window, and not at its beginning. */
  missing: number;
  cpu: CpuMicros;
  memory: { engine: number; gateway: number };
}

/** The figures of one subject. */
export interface ConferenceFigures {
  subject: Pick<Subject, "engine" | "way">;
  joins: JoinFigures[];
  phases: JoinPhase[];
  steady: SteadyFigures[];
}

/**
 * Fills conferences one after the other, participant by participant. In the last one, each size has a window. Before
 * it, the gateway has one without a conference.
 * @param runs number of conferences
 * @param seconds length of each window
 */
export async function measureConference(
  subject: Subject,
  runs: number,
  seconds: number,
): Promise<ConferenceFigures> {
  const { engine, way } = subject;
  const figures: ConferenceFigures = {
    subject: { engine, way },
    joins: [],
    phases: [],
    steady: [],
  };
  for (let run = 1; run <= runs; run++) {
    if (run === runs && way === "gateway") {
      figures.steady.push(await measureWindow(subject, [], seconds));
    }
    const conference = await subject.open();
    const participants: SyntheticParticipant[] = [];
    for (const size of SIZES) {
      const before = subject.usage();
      const earlier = participants.length;
      while (participants.length < size) figures.joins.push(await join(conference, participants));
      const cpu = spent(before, subject.usage());
      figures.phases.push({ size, joins: size - earlier, cpu });
      if (run === runs) figures.steady.push(await measureWindow(subject, participants, seconds));
    }
    await conference.close();
  }
  return figures;
}

/** Joins the next participant, and waits until everybody sees everybody. */
async function join(
  conference: BenchConference,
  participants: SyntheticParticipant[],
): Promise<JoinFigures> {
  const startedAt = hostMilliseconds();
  const participant = await conference.join();
  const others = participants.map(({ number }) => number);
  const own = await firstFrames(participant, others);
  const seen: number[] = [];
  for (const other of participants) seen.push(...(await firstFrames(other, [participant.number])));
  participants.push(participant);
  return {
    participant: participant.number,
    firstFrame: Math.min(...own) - startedAt,
    allFrames: Math.max(...own) - startedAt,
    seenByAll: Math.max(...seen) - startedAt,
  };
}

/** When the first key frame of each of some participants had arrived. @throws Error if one does not arrive */
async function firstFrames(watcher: SyntheticParticipant, senders: number[]): Promise<number[]> {
  const giveUpAt = hostMilliseconds() + FRAMES_TIMEOUT_MS;
  for (;;) {
    const tracks = await watcher.received();
    const times = senders.flatMap((number) => {
      const found = tracks.find(
        ({ sender, firstKeyFrameAt }) => sender === number && firstKeyFrameAt !== null,
      );
      return found?.firstKeyFrameAt ?? [];
    });
    if (times.length === senders.length) return times;
    if (hostMilliseconds() > giveUpAt) {
      throw new Error(
        `participant ${watcher.number} sees ${times.length} of ${senders.length} others`,
      );
    }
    await wait(LOOK_MS);
  }
}

async function measureWindow(
  subject: Subject,
  participants: SyntheticParticipant[],
  seconds: number,
): Promise<SteadyFigures> {
  await wait(SETTLE_MS);
  const before = { usage: subject.usage(), received: await receivedBy(participants) };
  const startedAt = performance.now();
  await wait(seconds * 1000);
  const after = { usage: subject.usage(), received: await receivedBy(participants) };
  const elapsed = (performance.now() - startedAt) / 1000;
  let tracks = 0;
  let packets = 0;
  let missing = 0;
  for (const [key, track] of after.received) {
    const earlier = before.received.get(key);
    const count = track.packets - (earlier?.packets ?? 0);
    if (count > 0) tracks += 1;
    packets += count;
    missing += track.missing - (earlier?.missing ?? 0);
  }
  const { engine, gateway } = after.usage;
  return {
    size: participants.length,
    seconds: elapsed,
    tracks,
    packets,
    missing,
    cpu: spent(before.usage, after.usage),
    memory: { engine: engine.rssMb, gateway: gateway?.rssMb ?? 0 },
  };
}

/** What all participants have received so far, by participant and media section. */
async function receivedBy(participants: SyntheticParticipant[]) {
  const reports = await Promise.all(
    participants.map(async (participant) =>
      (await participant.received()).map(
        (track) => [`${participant.number}/${track.mid}`, track] as const,
      ),
    ),
  );
  return new Map(reports.flat());
}

function spent(before: SubjectUsage, after: SubjectUsage): CpuMicros {
  const difference = (from: Usage | undefined, to: Usage | undefined) =>
    (to?.cpuMicros ?? 0) - (from?.cpuMicros ?? 0);
  return {
    engine: difference(before.engine, after.engine),
    gateway: difference(before.gateway, after.gateway),
  };
}
