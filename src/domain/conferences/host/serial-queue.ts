import { Fault } from "../../../core/errors";

/** Maximum number of tasks that wait. */
const WAITING_MAX = 1_000;

/** Runs tasks one after the other. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** Runs a task after all earlier ones. @throws Fault UNAVAILABLE when too many wait; errors of the task */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.waiting >= WAITING_MAX) {
      throw new Fault("UNAVAILABLE", "The conference is overloaded", undefined, 1);
    }
    return this.runAlways(task);
  }

  /** Runs a task after all earlier ones, however many wait. @throws errors of the task */
  runAlways<T>(task: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    const result = this.last.then(task).finally(() => {
      this.waiting -= 1;
    });
    this.last = result.catch(() => undefined);
    return result;
  }
}
