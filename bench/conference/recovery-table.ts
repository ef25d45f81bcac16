import { toTable, verdict, whole } from "../markdown";
import type { Failure, RecoveryFigures } from "./recovery";

/** Aims, in milliseconds: until a failure is noticed, and until participants are back after the engine answers. */
const NOTICED_MAX_MS = 3_000;
const BACK_MAX_MS: Record<Failure, number> = {
  "engine killed": 3_000,
  "engine hung": 5_000,
  "host node killed": 3_000,
  rejoin: 3_000,
};
const HEAD = ["failure", "noticed ms", "engine answers ms", "back ms", "… after it answers", "aim"];

/** The measurements as a Markdown table: medians and maxima, with their aims. */
export function toRecoveryTable(figures: RecoveryFigures[]): string {
  const names = [...new Set(figures.map(({ engine, failure }) => `${engine}, ${failure}`))];
  const rows = names.map((name) => {
    const these = figures.filter(({ engine, failure }) => `${engine}, ${failure}` === name);
    const { failure } = these[0] as RecoveryFigures;
    const noticed = these.flatMap((each) => each.noticed ?? []);
    const after = these.map(({ back, answered }) => Math.max(0, back - answered));
    const met =
      most(after) <= BACK_MAX_MS[failure] &&
      (noticed.length === 0 || most(noticed) <= NOTICED_MAX_MS);
    return [
      name,
      noticed.length > 0 ? medianAndMost(noticed) : "",
      medianAndMost(these.map(({ answered }) => answered)),
      medianAndMost(these.map(({ back }) => back)),
      medianAndMost(after),
      `${verdict(met)}: ≤ ${whole(BACK_MAX_MS[failure])} ms`,
    ];
  });
  return toTable(HEAD, rows, ["failure", "aim"]);
}

const most = (values: number[]) => Math.max(...values);

function medianAndMost(values: number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return `${whole(sorted[Math.floor(sorted.length / 2)] ?? 0)} / ${whole(most(values))}`;
}
