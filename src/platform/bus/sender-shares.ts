import type { AppendOptions } from "./bus";

/** An entry that counts against its sender's share. */
export interface AccountedEntry {
  body: Buffer;
  options: AppendOptions;
}

/** The limit that an inbox exceeds. */
export type ExceededLimit = "entries" | "bytes";

/** One sender's share of an inbox. */
interface Usage<E> {
  entries: number;
  bytes: number;
  /** The sender's entries by priority, oldest first. */
  lowPriority: E[];
  highPriority: E[];
}

/** Tracks each sender's share of one inbox and selects the entries to evict. */
export class SenderShares<E extends AccountedEntry> {
  private readonly usages = new Map<string, Usage<E>>();
  private readonly largest = {
    entries: new MaxHeap<Usage<E>>(({ entries }) => entries),
    bytes: new MaxHeap<Usage<E>>(({ bytes }) => bytes),
  };

  /** Adds the newest entry. */
  add(entry: E): void {
    const { sender, highPriority } = entry.options;
    const usage = this.usages.get(sender) ?? {
      entries: 0,
      bytes: 0,
      lowPriority: [],
      highPriority: [],
    };
    this.usages.set(sender, usage);
    (highPriority ? usage.highPriority : usage.lowPriority).push(entry);
    this.update(usage, 1, entry);
  }

  /** Removes an entry, usually its sender's oldest one. */
  remove(entry: E): void {
    const { sender, highPriority } = entry.options;
    const usage = this.usages.get(sender);
    if (!usage) return;
    const list = highPriority ? usage.highPriority : usage.lowPriority;
    const index = list[0] === entry ? 0 : list.lastIndexOf(entry);
    if (index >= 0) list.splice(index, 1);
    this.update(usage, -1, entry);
    if (usage.entries === 0) this.usages.delete(sender);
  }

  /** Selects the entry to evict for the newest one; that one itself if no other may be evicted. */
  victim(excess: ExceededLimit, newest: E): E {
    const own = this.usages.get(newest.options.sender);
    const top = this.largest[excess].first();
    // Among equal shares the sender of the new entry makes room.
    const usage = own && top && own[excess] >= top[excess] ? own : top;
    return usage?.lowPriority[0] ?? usage?.highPriority[0] ?? newest;
  }

  private update(usage: Usage<E>, sign: 1 | -1, { body }: E): void {
    usage.entries += sign;
    usage.bytes += sign * body.length;
    this.largest.entries.update(usage);
    this.largest.bytes.update(usage);
  }
}

/** A binary max-heap that tracks the index of each item, so that the size of an item can change. */
class MaxHeap<T> {
  private readonly heap: T[] = [];
  private readonly indexes = new Map<T, number>();

  constructor(private readonly sizeOf: (item: T) => number) {}

  first(): T | undefined {
    return this.heap[0];
  }

  /** Reorders the heap after the size of an item has changed; an item of size 0 is removed. */
  update(item: T): void {
    let index = this.indexes.get(item);
    if (this.sizeOf(item) === 0) {
      if (index === undefined) return;
      const last = this.heap.pop() as T;
      this.indexes.delete(item);
      if (last !== item) this.siftDown(last, this.siftUp(last, index));
      return;
    }
    if (index === undefined) index = this.heap.push(item) - 1;
    this.siftDown(item, this.siftUp(item, index));
  }

  /** Moves an item up from its own or a free index. Returns its new index. */
  private siftUp(item: T, from: number): number {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.heap[parentIndex] as T;
      if (this.sizeOf(parent) >= this.sizeOf(item)) break;
      this.put(parent, index);
      index = parentIndex;
    }
    this.put(item, index);
    return index;
  }

  private siftDown(item: T, from: number): void {
    let index = from;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const larger = this.sizeAt(right) > this.sizeAt(left) ? right : left;
      if (this.sizeAt(larger) <= this.sizeOf(item)) break;
      this.put(this.heap[larger] as T, index);
      index = larger;
    }
    this.put(item, index);
  }

  private sizeAt(index: number): number {
    return index < this.heap.length ? this.sizeOf(this.heap[index] as T) : -1;
  }

  private put(item: T, index: number): void {
    this.heap[index] = item;
    this.indexes.set(item, index);
  }
}
