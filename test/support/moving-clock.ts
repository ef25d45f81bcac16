import { inspect } from "node:util";
import type { Clock } from "../../src/core/clock";

/** The system clock, which a test can advance or stop. */
export class MovingClock implements Clock {
  private offset = 0;
  private held: number | null = null;

  now(): number {
    return (this.held ?? Date.now()) + this.offset;
  }

  /** Stops the clock, or continues at the current time. */
  hold(still: boolean): void {
    this.held = still ? Date.now() : null;
  }

  /** Advances the clock by a number of milliseconds. */
  advance(ms: number): void {
    this.offset += ms;
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/**
 * Polls until the result is the wanted one, soon at first.
 * @throws Error with the last result after 4,000 attempts, some 200 s
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  wanted: (answer: T) => boolean,
): Promise<T> {
  for (let asked = 1, wait = 2; ; asked += 1, wait = Math.min(50, 2 * wait)) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    // Before Jest ends the test, which would not say what the answer was.
    if (asked === 4_000) throw new Error(`never became what was wanted: ${inspect(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
