interface Load<Value> {
  value: Promise<Value>;
  started: boolean;
}

/**
 * Loads by key that all share who ask for them in one turn of the event loop, or while an earlier load of the key runs,
 * which may have read an older state. At most one load of a key runs at a time. Nothing is kept after a load.
 */
export class SharedLoads<Value> {
  /** The last load of each key. */
  private readonly loads = new Map<string, Load<Value>>();

  /** Loads a value as it is now or later, shared with others, who must not change it. @throws what `start` throws */
  load(key: string, start: () => Promise<Value>): Promise<Value> {
    const last = this.loads.get(key);
    if (last?.started === false) return last.value;
    const load: Load<Value> = { value: this.run(key, start, () => load, last), started: false };
    this.loads.set(key, load);
    return load.value;
  }

  private async run(
    key: string,
    start: () => Promise<Value>,
    load: () => Load<Value>,
    earlier: Load<Value> | undefined,
  ): Promise<Value> {
    if (earlier) await earlier.value.catch(() => undefined);
    else await new Promise((resolve) => setImmediate(resolve));
    load().started = true;
    try {
      return await start();
    } finally {
      if (this.loads.get(key) === load()) this.loads.delete(key);
    }
  }
}
