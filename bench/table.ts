import { putIntoReadme, short, toTable, verdict, whole } from "./markdown";
import { type Measurement, perCore } from "./measure";
import type { Subject } from "./scenarios";
import type { Start } from "./starts";

const SUBJECTS: Record<Subject, string> = {
  baseline: "baseline",
  single: "single node",
  redis: "node with Redis",
};

/** The measurements as Markdown tables, with their aims. */
export function toTables(measurements: Measurement[], starts: Start[]): string {
  const baselines = new Map(
    measurements
      .filter(({ scenario }) => scenario.subject === "baseline")
      .map((measurement) => [measurement.scenario.name, measurement]),
  );
  const work = measurements.map((measurement) => {
    const { scenario, perSecond, p50, p99, cpuMicros, rssMb } = measurement;
    const baseline = scenario.baseline === undefined ? undefined : baselines.get(scenario.baseline);
    return [
      `${SUBJECTS[scenario.subject]}: ${scenario.name}`,
      whole(perSecond),
      `${short(p50)} / ${short(p99)}`,
      short(cpuMicros),
      whole(perCore(measurement)),
      whole(rssMb),
      baseline ? `${(cpuMicros / baseline.cpuMicros).toFixed(2)} ×` : "",
      compareWithAim(measurement, baseline),
    ];
  });
  const tables = [
    toTable(WORK_HEAD, work, ["work", "aim"]),
    toTable(START_HEAD, starts.map(startRow), ["start", "aim"]),
  ];
  return tables.join("\n");
}

const WORK_HEAD = [
  "work",
  "per second",
  "p50 / p99 ms",
  "CPU µs each",
  "one core carries",
  "RSS MB",
  "CPU to the baseline's",
  "aim",
];
const START_HEAD = ["start", "ready in ms", "idle RSS MB", "aim"];

/** Writes the tables into bench/README.md. @throws Error if the markers are missing */
export function writeTables(tables: string): void {
  putIntoReadme("npm run bench -- --write", tables);
}

function compareWithAim(measurement: Measurement, baseline: Measurement | undefined): string {
  const { aim } = measurement.scenario;
  if (!aim) return "";
  if ("perSecond" in aim) {
    return `${verdict(perCore(measurement) >= aim.perSecond)}: ≥ ${whole(aim.perSecond)} per core`;
  }
  const percent = aim.shareOfBaseline * 100;
  if (!baseline) return "";
  const share = perCore(measurement) / perCore(baseline);
  return `${verdict(share >= aim.shareOfBaseline)}: ${whole(share * 100)} % of the baseline, ≥ ${percent} %`;
}

function startRow({ name, readyMs, rssMb, aim }: Start): string[] {
  const comparison = aim
    ? `${verdict(readyMs <= aim.readyMs)}: ≤ ${whole(aim.readyMs)} ms; ${verdict(rssMb <= aim.rssMb)}: ≤ ${aim.rssMb} MB`
    : "";
  return [name, whole(readyMs), whole(rssMb), comparison];
}
