import { short, toTable, verdict, whole } from "../markdown";
import type { MeasuredOperation } from "./measure-operation";

/** Aims: how much slower than on the small application, and the median, in milliseconds. */
const RATIO_MAX = 10;
const P50_MAX_MS = 100;

const name = (users: number) => `${whole(users)} users`;

/**
 * The measurements as a Markdown table.
 * @param floor the cheapest operation
 * @param users number of users of the large and of the small application
 */
export function toDashboardTable(
  measured: readonly MeasuredOperation[],
  floor: MeasuredOperation,
  [large, small]: readonly [large: number, small: number],
): string {
  const head = [
    "operation",
    `p50 / p99 ms, ${name(large)}`,
    name(small),
    "p50 to the small one's",
    "… to the cheapest",
    `rows read, ${name(large)}`,
    name(small),
    "aim",
  ];
  const cheapest = floor.figures[0]?.p50 ?? Number.NaN;
  const rows = [floor, ...measured].map(({ operation, figures: [big, little] }) => {
    if (!big || !little) throw new Error(`${operation.name} was not measured`);
    const ratio = big.p50 / little.p50;
    return [
      operation.name,
      `${short(big.p50)} / ${short(big.p99)}`,
      `${short(little.p50)} / ${short(little.p99)}`,
      `${ratio.toFixed(2)} ×`,
      `${(big.p50 / cheapest).toFixed(1)} ×`,
      whole(big.rows),
      whole(little.rows),
      isSlow(big.p50, ratio) ? verdict(false) : verdict(true),
    ];
  });
  return toTable(head, rows, ["operation", "aim"]);
}

/** Whether an operation misses an aim. */
function isSlow(p50: number, ratio: number): boolean {
  return ratio > RATIO_MAX || p50 > P50_MAX_MS;
}

/** The plans of the operations that miss an aim, to find out why. */
export function plansOfSlow(measured: readonly MeasuredOperation[]): string {
  return measured
    .filter(({ figures: [big, little] }) => big && little && isSlow(big.p50, big.p50 / little.p50))
    .flatMap(({ operation, figures: [big] }) => [
      `## ${operation.name}`,
      ...(big?.statements ?? []).map(
        ({ text, plan }) => `${text}\n${JSON.stringify(plan, null, 1)}`,
      ),
    ])
    .join("\n\n");
}
