/** Something that was promised, looked at while one target ran on one deployment. */
export const PROPERTIES = {
  answers: "no answer is a 5xx but 503, and none tells of the inside",
  log: "the log has nothing above info",
  hang: "the event loop goes on",
  memory: "memory is flat",
  canary: "a client who does nothing wrong is served throughout",
} as const;

/** A name of {@link PROPERTIES}. */
export type Property = keyof typeof PROPERTIES;

/** What a target met on a deployment. */
export interface TargetReport {
  name: string;
  inputs: number;
  cases: number;
  seconds: number;
  outcomes: Map<string, number>;
  /** Milliseconds that an event loop stood at most: by the clock, and while it was computing. */
  stalledMs: number;
  busyMs: number;
  /** Milliseconds of the slowest round of the client who does nothing wrong. */
  roundMs: number;
  /** Bytes after warming up and at the end, of the node that grew most. */
  memory: [before: number, after: number];
  /** By what they have in common; the first of each is told, and how many there were. */
  violations: Map<string, { property: Property; text: string; count: number }>;
}

/** Outcomes that are printed, the most frequent first. */
const OUTCOMES = 14;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Prints what a target met. */
export function printTarget(report: TargetReport): void {
  const { name, inputs, cases, seconds, outcomes, violations, memory } = report;
  const rate = Math.round(inputs / Math.max(seconds, 0.001));
  console.log(`\n${name}: ${inputs} inputs in ${cases} cases, ${seconds.toFixed(0)} s (${rate}/s)`);
  const sorted = [...outcomes].sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, OUTCOMES).map(([words, count]) => `${words} ×${count}`);
  const more = sorted.length > OUTCOMES ? `, and ${sorted.length - OUTCOMES} more` : "";
  console.log(`  outcomes: ${shown.join(", ")}${more}`);
  console.log(
    `  event loop stood ${report.stalledMs.toFixed(0)} ms at most, ${report.busyMs.toFixed(0)} ms of it computing; slowest round of the canary ${report.roundMs.toFixed(0)} ms; memory ${memory.map(megabytes).join(" → ")}`,
  );
  for (const { property, text, count } of violations.values()) {
    console.log(`  VIOLATION ×${count} (${PROPERTIES[property]}): ${text}`);
  }
}

/** Prints the sums, the last line in the form of a test runner's; answers whether all was well. */
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
