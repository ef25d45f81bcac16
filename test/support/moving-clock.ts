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

/** Polls until the result is the wanted one, soon at first. Has no timeout other than jest's. */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  wanted: (answer: T) => boolean,
): Promise<T> {
  for (let wait = 2; ; wait = Math.min(50, 2 * wait)) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
