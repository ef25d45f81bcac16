import { setTimeout as delay } from "node:timers/promises";
import { Mismatch } from "./check";
import type { Pane, Printer } from "./printer";

/** The printable result of a step. */
export interface StepResult {
  /** A remark in one line. */
  note?: string;
  /** The sent and the received message. */
  panes?: [Pane, Pane];
  /** Time from sending a signal to its arrival, in milliseconds; the duration of the step if absent. */
  signalMs?: number;
}

/** A step failed; the reason has been printed. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** Timeout of a step, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Runs the steps in sequence, prints each one and records the times. */
export class StepRunner {
  /** Transmission time of each signal, in milliseconds. */
  readonly signalTimes: number[] = [];
  steps = 0;
  private readonly startedAt = performance.now();
  private current: Promise<unknown> = Promise.resolve();
  private stopped = false;

  /** @param pauseMs pause between steps, in milliseconds */
  constructor(
    private readonly printer: Printer,
    private readonly pauseMs: number,
  ) {}

  section(title: string): void {
    this.printer.section(title);
  }

  /**
   * Runs a step and prints it.
   * @param act receives an AbortSignal that aborts at the timeout
   * @throws StepFailed after printing the reason
   */
  async step(
    name: string,
    route: string,
    act: (signal: AbortSignal) => Promise<StepResult>,
  ): Promise<void> {
    if (this.stopped) return new Promise(() => undefined);
    this.printer.busy(name);
    const startedAt = performance.now();
    let outcome: StepResult;
    try {
      const running = withTimeout(name, act);
      this.current = running.catch(() => undefined);
      outcome = await running;
    } catch (error) {
      this.printer.fail(`${name}  ${route}`.trim(), error);
      throw new StepFailed(name, { cause: error });
    }
    const { note, panes, signalMs } = outcome;
    this.steps += 1;
    if (signalMs !== undefined) this.signalTimes.push(signalMs);
    this.printer.pass(name, route, signalMs ?? performance.now() - startedAt);
    if (note) this.printer.note(note);
    if (panes) this.printer.panes(...panes);
    await delay(this.pauseMs);
  }

  /** Lets the current step finish; no further one begins or ends. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.current;
  }

  /** Time since the start without the pauses, in milliseconds. */
  elapsed(): number {
    return performance.now() - this.startedAt - this.steps * this.pauseMs;
  }
}

async function withTimeout<T>(name: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      // A listener of the signal rejects first, with a more specific error.
      setImmediate(() =>
        reject(new Mismatch(name, `completion within ${TIMEOUT_MS / 1_000} s`, "a timeout")),
      );
    }, TIMEOUT_MS);
  });
  try {
    return await Promise.race([act(controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The median of a list that is not empty. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle] ?? 0;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
