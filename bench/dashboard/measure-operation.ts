import { percentile } from "../percentile";
import type { Answer } from "./member-client";
import type { DashboardOperation } from "./operations";
import type { ExecutedStatement, PlanLog } from "./rows-read";
import type { DashboardSubject } from "./subject";

/** Requests of an operation before the measurement: PostgreSQL keeps a plan after some executions. */
const WARM_UP = 8;
/** Fewest measured requests of an operation. */
const LEAST = 10;
/** Repetitions in which rows are counted: the least is without what background jobs read meanwhile. */
const COUNTED = 3;

/** How long an operation is measured. */
export interface Effort {
  /** Most measured requests on each application. */
  requests: number;
  /** Time after which no more are sent, in seconds. */
  seconds: number;
}

/** The figures of an operation on one application. */
export interface OperationFigures {
  /** Latency in milliseconds. */
  p50: number;
  p99: number;
  /** Rows that a request read. */
  rows: number;
  /** What it executed. */
  statements: ExecutedStatement[];
}

/** An operation on each application, in the order of the applications. */
export interface MeasuredOperation {
  operation: DashboardOperation;
  figures: OperationFigures[];
}

/**
 * Measures an operation on applications in turns, so that other load on the machine slows down all alike.
 * @throws Error if an answer is an error or has an unexpected empty list
 */
export async function measureOperation(
  operation: DashboardOperation,
  subjects: readonly DashboardSubject[],
  { requests, seconds }: Effort,
): Promise<MeasuredOperation> {
  const runs = await Promise.all(
    subjects.map(async (subject) => ({
      subject,
      variables: await operation.variables(subject),
      times: [] as number[],
    })),
  );
  for (let n = -WARM_UP, end = Number.POSITIVE_INFINITY; n < requests; n++) {
    if (n === 0) end = performance.now() + seconds * 1_000;
    if (n >= LEAST && performance.now() > end) break;
    for (const { subject, variables, times } of runs) {
      const { answer, ms } = await subject.client.timed(
        operation.document,
        variables[(n + WARM_UP) % variables.length],
      );
      if (n >= 0) times.push(ms);
      else if (!operation.mayBeEmpty) checkLists(operation, answer);
    }
  }
  const figures = runs.map(({ times }) => ({
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    rows: 0,
    statements: [],
  }));
  return { operation, figures };
}

/** Adds the rows that a request of each measured operation reads. */
export async function countRows(
  log: PlanLog,
  { operation, figures }: MeasuredOperation,
  subjects: readonly DashboardSubject[],
): Promise<void> {
  for (const [index, subject] of subjects.entries()) {
    const [variables] = await operation.variables(subject);
    const figure = figures[index];
    if (!figure) continue;
    for (let n = 0; n < COUNTED; n++) {
      const statements = await log.during(() => subject.client.ask(operation.document, variables));
      const rows = statements.reduce((sum, each) => sum + each.rows, 0);
      if (n === 0 || rows < figure.rows) Object.assign(figure, { rows, statements });
    }
  }
}

/** @throws Error if a page of the answer has no entry, which would be cheap for a wrong reason */
function checkLists({ name }: DashboardOperation, answer: Answer): void {
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("nodes" in value && Array.isArray(value.nodes) && value.nodes.length === 0) {
      throw new Error(`${name}: the list is empty`);
    }
    for (const each of Object.values(value)) visit(each);
  };
  visit(answer);
}
