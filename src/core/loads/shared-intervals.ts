interface Running {
  listeners: Set<() => void>;
  timer: NodeJS.Timeout;
}

/**
 * Calls the listeners of a key together at an interval, so that what they load then can be one load. A new listener is
 * first called after at most one interval.
 */
export class SharedIntervals {
  private readonly running = new Map<string, Running>();

  /** @param ms the interval, in milliseconds */
  constructor(private readonly ms: number) {}

  /** Adds a listener, which must not throw. @returns removes it; idempotent */
  add(key: string, listener: () => void): () => void {
    const running = this.running.get(key) ?? this.start(key);
    // A wrapper, since the same function may be added twice.
    const entry = () => listener();
    running.listeners.add(entry);
    return () => {
      if (!running.listeners.delete(entry) || running.listeners.size > 0) return;
      clearInterval(running.timer);
      this.running.delete(key);
    };
  }

  private start(key: string): Running {
    const listeners = new Set<() => void>();
    const timer = setInterval(() => {
      for (const listener of [...listeners]) listener();
    }, this.ms).unref();
    const running = { listeners, timer };
    this.running.set(key, running);
    return running;
  }
}
