import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/core/package-root";
import { type Measurement, perCore } from "./measure";
import type { Subject } from "./scenarios";
import type { Start } from "./starts";

const SUBJECTS: Record<Subject, string> = {
  floor: "floor",
  lone: "lone node",
  redis: "node with Redis",
};

const BEGIN = "<!-- measured: npm run bench -- --write -->";
const END = "<!-- end of measured -->";

/** The measurements as tables of Markdown, the aims beside them. */
export function toTables(measurements: Measurement[], starts: Start[]): string {
  const floors = new Map(
    measurements
      .filter(({ scenario }) => scenario.subject === "floor")
      .map((measurement) => [measurement.scenario.name, measurement]),
  );
  const work = measurements.map((measurement) => {
    const { scenario, perSecond, p50, p99, cpuMicros, rssMb } = measurement;
    const floor = scenario.floor === undefined ? undefined : floors.get(scenario.floor);
    return [
      `${SUBJECTS[scenario.subject]}: ${scenario.name}`,
      whole(perSecond),
      `${short(p50)} / ${short(p99)}`,
      short(cpuMicros),
      whole(perCore(measurement)),
      whole(rssMb),
      floor ? `${(cpuMicros / floor.cpuMicros).toFixed(2)} ×` : "",
      judge(measurement, floor),
    ];
  });
  return [
    row(WORK_HEAD),
    row(["---", ...WORK_HEAD.slice(1).map(() => "---:")]),
    ...work.map(row),
    "",
    row(START_HEAD),
    row(["---", ...START_HEAD.slice(1).map(() => "---:")]),
    ...starts.map(startRow),
    "",
  ].join("\n");
}

const WORK_HEAD = [
  ...["work", "per second", "p50 / p99 ms", "CPU µs each", "one core carries"],
  ...["RSS MB", "CPU to the floor's", "aim"],
];
const START_HEAD = ["start", "ready in ms", "idle RSS MB", "aim"];

/** Puts the tables between the markers of bench/README.md. @throws Error when they are not there */
export function writeTables(tables: string): void {
  const path = join(packageRoot(), "bench", "README.md");
  const text = readFileSync(path, "utf8");
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${path} has no place for the tables`);
  writeFileSync(path, `${text.slice(0, begin + BEGIN.length)}\n\n${tables}\n${text.slice(end)}`);
}

function judge(measurement: Measurement, floor: Measurement | undefined): string {
  const { aim } = measurement.scenario;
  if (!aim) return "";
  if ("perSecond" in aim) {
    return `${verdict(perCore(measurement) >= aim.perSecond)}: ≥ ${whole(aim.perSecond)} per core`;
  }
  const percent = aim.shareOfFloor * 100;
  if (!floor) return "";
  const share = perCore(measurement) / perCore(floor);
  return `${verdict(share >= aim.shareOfFloor)}: ${whole(share * 100)} % of the floor, ≥ ${percent} %`;
}

function startRow({ name, readyMs, rssMb, aim }: Start): string {
  const judged = aim
    ? `${verdict(readyMs <= aim.readyMs)}: ≤ ${whole(aim.readyMs)} ms; ${verdict(rssMb <= aim.rssMb)}: ≤ ${aim.rssMb} MB`
    : "";
  return row([name, whole(readyMs), whole(rssMb), judged]);
}

function verdict(met: boolean): string {
  return met ? "met" : "**missed**";
}

function row(cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Three digits, no more. */
function short(value: number): string {
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2);
}
