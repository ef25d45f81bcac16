import { short, toTable, verdict, whole } from "../markdown";
import {
  type ConferenceFigures,
  type CpuMicros,
  SIZES,
  type SteadyFigures,
} from "./measure-conference";

/** Aim for the gateway's CPU time, as a share of the engine's in percent. */
const SHARE_MAX = 5;
/** Aim for the first frame of the last participant of a full conference, in milliseconds. */
const FIRST_FRAME_MAX_MS = 1_000;
const FULL = Math.max(...SIZES);

const STEADY_HEAD = [
  "conference",
  "tracks",
  "packets per second",
  "missing",
  "engine, cores",
  "µs per second and track",
  "millicores per participant",
  "engine to the bare one",
  "gateway, cores",
  "gateway to engine",
  "… above idle",
  "engine RSS MB",
  "gateway RSS MB",
  "aim",
];
const JOIN_HEAD = [
  "join",
  "first frame ms",
  "all others' ms",
  "seen by all ms",
  "engine CPU ms",
  "gateway CPU ms",
  "gateway to engine",
  "aim",
];

/** The measurements as Markdown tables, with their aims. */
export function toConferenceTables(figures: ConferenceFigures[]): string {
  const steady = figures.flatMap((each) =>
    each.steady.map((window) => steadyRow(each, window, floorOf(figures, each, window.size))),
  );
  const joins = figures.flatMap((each) => SIZES.map((size) => joinRow(each, size)));
  return [
    toTable(STEADY_HEAD, steady, ["conference", "aim"]),
    toTable(JOIN_HEAD, joins, ["join", "aim"]),
  ].join("\n");
}

function steadyRow(
  { subject, steady }: ConferenceFigures,
  window: SteadyFigures,
  floor: SteadyFigures | undefined,
): string[] {
  const { size, seconds, tracks, packets, missing, cpu, memory } = window;
  const cores = (micros: number) => (micros / seconds / 1e6).toFixed(3);
  const isGateway = subject.way === "gateway";
  if (size === 0) {
    const figures = ["", "", "", "", "", "", "", cores(cpu.gateway), "", "", ""];
    return [`${nameOf(subject)}, no conference`, ...figures, whole(memory.gateway), ""];
  }
  const idle = steady.find((each) => each.size === 0);
  const idleMicros = idle ? (idle.cpu.gateway / idle.seconds) * seconds : 0;
  const aboveIdle = { ...cpu, gateway: Math.max(0, cpu.gateway - idleMicros) };
  return [
    `${nameOf(subject)}, ${size} participants`,
    whole(tracks),
    whole(packets / seconds),
    whole(missing),
    cores(cpu.engine),
    whole(cpu.engine / seconds / tracks),
    short(cpu.engine / seconds / 1e3 / size),
    floor ? `${(cpu.engine / seconds / (floor.cpu.engine / floor.seconds)).toFixed(2)} ×` : "",
    isGateway ? cores(cpu.gateway) : "",
    isGateway ? `${shareOf(cpu).toFixed(1)} %` : "",
    isGateway ? `${shareOf(aboveIdle).toFixed(1)} %` : "",
    whole(memory.engine),
    isGateway ? whole(memory.gateway) : "",
    isGateway ? `${verdict(shareOf(cpu) <= SHARE_MAX)}: ≤ ${SHARE_MAX} %` : "",
  ];
}

function joinRow({ subject, joins, phases }: ConferenceFigures, size: number): string[] {
  const isGateway = subject.way === "gateway";
  const these = joins.filter(({ participant }) => participant === size);
  const first = medianAndMost(these.map(({ firstFrame }) => firstFrame));
  const cpu = { engine: 0, gateway: 0 };
  let count = 0;
  for (const phase of phases.filter((each) => each.size === size)) {
    cpu.engine += phase.cpu.engine;
    cpu.gateway += phase.cpu.gateway;
    count += phase.joins;
  }
  const aim = size === FULL && isGateway;
  return [
    `${nameOf(subject)}, participant ${size}`,
    first.text,
    medianAndMost(these.map(({ allFrames }) => allFrames)).text,
    medianAndMost(these.map(({ seenByAll }) => seenByAll)).text,
    short(cpu.engine / count / 1e3),
    isGateway ? short(cpu.gateway / count / 1e3) : "",
    isGateway ? `${whole(shareOf(cpu))} %` : "",
    aim ? `${verdict(first.most <= FIRST_FRAME_MAX_MS)}: ≤ ${whole(FIRST_FRAME_MAX_MS)} ms` : "",
  ];
}

function nameOf({ engine, way }: ConferenceFigures["subject"]): string {
  return way === "bare" ? `${engine}, bare` : engine;
}

/** The window of the same engine without the gateway. */
function floorOf(
  figures: ConferenceFigures[],
  { subject }: ConferenceFigures,
  size: number,
): SteadyFigures | undefined {
  if (subject.way === "bare") return undefined;
  const floor = figures.find(
    (each) => each.subject.way === "bare" && each.subject.engine === subject.engine,
  );
  return floor?.steady.find((window) => window.size === size);
}

function shareOf({ engine, gateway }: CpuMicros): number {
  return (gateway / engine) * 100;
}

function medianAndMost(values: number[]): { text: string; most: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const most = sorted.at(-1) ?? Number.NaN;
  return { text: `${whole(middle)} / ${whole(most)}`, most };
}
