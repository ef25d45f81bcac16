/** Runs the tasks of a handle one after the other. */
export class SerialTasks {
  private tail: Promise<unknown> = Promise.resolve();
  private count = 0;

  /** @param max maximum number of tasks that run or wait */
  constructor(private readonly max: number) {}

  /** Whether no further task fits. */
  get full(): boolean {
    return this.count >= this.max;
  }

  /** Resolves when the tasks so far have run. */
  async whenIdle(): Promise<void> {
    await this.tail;
  }

  /** Runs a task after the earlier ones, whether or not they failed. Resolves and rejects as the task does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    this.count += 1;
    const result = this.tail.then(task);
    this.tail = result.then(
      () => this.done(),
      () => this.done(),
    );
    return result;
  }

  private done(): void {
    this.count -= 1;
  }
}
