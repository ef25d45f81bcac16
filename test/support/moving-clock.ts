import type { Clock } from "../../src/core/clock";

/** A clock that runs as the machine's does, and that a test moves on or holds still. */
export class MovingClock implements Clock {
  private ahead = 0;
  private held: number | null = null;

  now(): number {
    return (this.held ?? Date.now()) + this.ahead;
  }

  /** Stands still from now on, or goes on from where it would be. */
  hold(still: boolean): void {
    this.held = still ? Date.now() : null;
  }

  /** Moves on by so many milliseconds. */
  advance(ms: number): void {
    this.ahead += ms;
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Asks again until the answer is the wanted one; jest's own time-out ends a wait in vain. */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  wanted: (answer: T) => boolean,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
