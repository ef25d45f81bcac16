/** Calls a function of the application. An exception is reported as an uncaught error, and keeps nothing from others. */
export function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Emits events to listeners. @typeParam Events the argument of each event by its name */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(argument: never) => void>>();

  /** Calls a listener for each event of a name. @returns a function that removes it */
  on<Name extends keyof Events>(
    name: Name,
    listener: (argument: Events[Name]) => void,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Number of listeners of all events. */
  get listenerCount(): number {
    let count = 0;
    for (const listeners of this.#listeners.values()) count += listeners.size;
    return count;
  }

  /** Whether somebody listens to an event. */
  protected hasListeners(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /**
   * Calls the listeners in the order in which they were added. An exception of one is reported as an uncaught error,
   * and keeps nothing from the others.
   */
  protected emit<Name extends keyof Events>(name: Name, argument: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      callSafely(() => (listener as (argument: Events[Name]) => void)(argument));
    }
  }

  /** Removes all listeners. */
  protected removeListeners(): void {
    this.#listeners.clear();
  }
}
