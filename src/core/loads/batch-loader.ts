/** Maximum number of keys that one load takes. */
const BATCH_MAX = 500;

interface Batch<Key, Value> {
  keys: Set<Key>;
  values: Promise<ReadonlyMap<Key, Value>>;
}

/**
 * Loads values by their keys. All who ask in one turn of the event loop share a load, and so do all who ask for a key
 * while it is being loaded: they share the next one, because the one in progress may have read an older state. The
 * number of loads thereby does not grow with the number of those who ask. Nothing is kept after a load.
 */
export class BatchLoader<Key extends number | string, Value> {
  private batch: Batch<Key, Value> | null = null;
  /** The loads in progress, by key. */
  private readonly running = new Map<Key, Promise<unknown>>();

  /** @param query loads values; keys that have none are absent */
  constructor(private readonly query: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>) {}

  /** Loads a value as it is now or later, shared with others, who must not change it; undefined if there is none. */
  async load(key: Key): Promise<Value | undefined> {
    for (let running = this.running.get(key); running; running = this.running.get(key)) {
      await running.catch(() => undefined);
    }
    if (this.batch === null || this.batch.keys.size >= BATCH_MAX) this.batch = this.startBatch();
    const { keys, values } = this.batch;
    keys.add(key);
    return (await values).get(key);
  }

  /** Loads several values, in the order of their keys. Those that do not exist are left out. */
  async loadAll(keys: readonly Key[]): Promise<Value[]> {
    const values = await Promise.all(keys.map((key) => this.load(key)));
    return values.filter((value) => value !== undefined);
  }

  private startBatch(): Batch<Key, Value> {
    const keys = new Set<Key>();
    const batch: Batch<Key, Value> = { keys, values: this.loadLater(keys, () => batch) };
    return batch;
  }

  private async loadLater(
    keys: ReadonlySet<Key>,
    batch: () => Batch<Key, Value>,
  ): Promise<ReadonlyMap<Key, Value>> {
    // All fields of a list are resolved, and all listeners of a message called, before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.batch === batch()) this.batch = null;
    const loading = this.query([...keys]);
    for (const key of keys) this.running.set(key, loading);
    try {
      return await loading;
    } finally {
      for (const key of keys) if (this.running.get(key) === loading) this.running.delete(key);
    }
  }
}

/** A {@link BatchLoader} of the rows that belong to an id, such as the participants of a conference. */
export class ListLoader<Row> {
  private readonly lists: BatchLoader<number, Row[]>;

  /**
   * @param read finds the rows of all ids, those of one id in their order
   * @param idOf the id that a row belongs to
   */
  constructor(read: (ids: number[]) => Promise<Row[]>, idOf: (row: Row) => number) {
    this.lists = new BatchLoader(async (ids) => {
      const lists = new Map<number, Row[]>(ids.map((id) => [id, []]));
      for (const row of await read(ids)) lists.get(idOf(row))?.push(row);
      return lists;
    });
  }

  /** Loads the rows of an id, which others share and must not change. */
  async load(id: number): Promise<readonly Row[]> {
    return (await this.lists.load(id)) ?? [];
  }
}
