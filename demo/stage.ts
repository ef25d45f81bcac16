import { setTimeout as delay } from "node:timers/promises";
import { Mismatch } from "./check";
import type { Pane, Printer } from "./printer";

/** What a step leaves to show. */
export interface Outcome {
  /** A line about it. */
  note?: string;
  /** What was sent and what arrived. */
  panes?: [Pane, Pane];
  /** Milliseconds from sending a signal until it had arrived; the whole step counts otherwise. */
  signalMs?: number;
}

/** A step failed, and why has been printed. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** Milliseconds after which a step has failed. */
const LIMIT_MS = 10_000;

/** Runs the steps one after the other, prints each, and keeps the times. */
export class Stage {
  /** Milliseconds that each signal took. */
  readonly signalTimes: number[] = [];
  steps = 0;
  private readonly beginning = performance.now();

  /** @param pauseMs between steps, for a person who watches */
  constructor(
    private readonly printer: Printer,
    private readonly pauseMs: number,
  ) {}

  scene(title: string): void {
    this.printer.scene(title);
  }

  /**
   * Runs a step and prints it.
   * @param act gets a signal that is aborted when the step's time is over
   * @throws StepFailed after the reason was printed
   */
  async step(
    name: string,
    route: string,
    act: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<void> {
    this.printer.busy(name);
    const beginning = performance.now();
    let outcome: Outcome;
    try {
      outcome = await withinLimit(name, act);
    } catch (error) {
      this.printer.fail(`${name}  ${route}`.trim(), error);
      throw new StepFailed(name, { cause: error });
    }
    const { note, panes, signalMs } = outcome;
    this.steps += 1;
    if (signalMs !== undefined) this.signalTimes.push(signalMs);
    this.printer.pass(name, route, signalMs ?? performance.now() - beginning);
    if (note) this.printer.note(note);
    if (panes) this.printer.panes(...panes);
    await delay(this.pauseMs);
  }

  /** Milliseconds since the stage was set, without the pauses. */
  elapsed(): number {
    return performance.now() - this.beginning - this.steps * this.pauseMs;
  }
}

async function withinLimit<T>(name: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      // Whoever listens to the signal knows better what was waited for, and comes first.
      setImmediate(() =>
        reject(new Mismatch(name, `to end within ${LIMIT_MS / 1_000} s`, "no end")),
      );
    }, LIMIT_MS);
  });
  try {
    return await Promise.race([act(controller.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** The value in the middle of a list that is not empty. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle] ?? 0;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
