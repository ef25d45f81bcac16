/** The properties that are checked for each target on each deployment. */
export const PROPERTIES = {
  answers: "no response is a 5xx other than 503, and none leaks internals",
  log: "the log has nothing above info",
  hang: "the event loop is not blocked",
  memory: "memory does not grow",
  canary: "a well-behaved client is served throughout",
} as const;

/** A name of {@link PROPERTIES}. */
export type Property = keyof typeof PROPERTIES;

/** Results of a target on a deployment. */
export interface TargetReport {
  name: string;
  inputs: number;
  cases: number;
  seconds: number;
  outcomes: Map<string, number>;
  /** Longest event loop delay in milliseconds: wall-clock and CPU time. */
  stalledMs: number;
  busyMs: number;
  /** Slowest round of the canary, in milliseconds. */
  roundMs: number;
  /** Memory in bytes after the warm-up and at the end, of the node that grew most. */
  memory: [before: number, after: number];
  /** Violations by kind: the first of each kind, and their number. */
  violations: Map<string, { property: Property; text: string; count: number }>;
}

/** Number of most frequent outcomes that are printed. */
const OUTCOMES = 14;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Prints the results of a target. */
export function printTarget(report: TargetReport): void {
  const { name, inputs, cases, seconds, outcomes, violations, memory } = report;
  const rate = Math.round(inputs / Math.max(seconds, 0.001));
  console.log(`\n${name}: ${inputs} inputs in ${cases} cases, ${seconds.toFixed(0)} s (${rate}/s)`);
  const sorted = [...outcomes].sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, OUTCOMES).map(([words, count]) => `${words} ×${count}`);
  const more = sorted.length > OUTCOMES ? `, and ${sorted.length - OUTCOMES} more` : "";
  console.log(`  outcomes: ${shown.join(", ")}${more}`);
  console.log(
    `  longest event loop delay ${report.stalledMs.toFixed(0)} ms, ${report.busyMs.toFixed(0)} ms of CPU time; slowest round of the canary ${report.roundMs.toFixed(0)} ms; memory ${memory.map(megabytes).join(" → ")}`,
  );
  for (const { property, text, count } of violations.values()) {
    console.log(`  VIOLATION ×${count} (${PROPERTIES[property]}): ${text}`);
  }
}

/** Prints the totals, the last line in jest's format. @returns whether there were no violations */
export function printSummary(reports: TargetReport[]): boolean {
  const names = Object.keys(PROPERTIES) as Property[];
  let failed = 0;
  for (const { name, violations } of reports) {
    for (const property of names) {
      if (![...violations.values()].some((each) => each.property === property)) continue;
      failed += 1;
      console.log(`✕ ${name}: ${PROPERTIES[property]}`);
    }
  }
  const total = reports.length * names.length;
  const inputs = reports.reduce((sum, report) => sum + report.inputs, 0);
  const wrong = failed > 0 ? `${failed} failed, ` : "";
  console.log(`\nInputs: ${inputs}`);
  console.log(`Tests: ${wrong}${total - failed} passed, ${total} total`);
  return failed === 0;
}
