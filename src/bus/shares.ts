import type { Share } from "./bus";

/** An entry as its share counts it. */
export interface Held {
  body: Buffer;
  share: Share;
}

/** What there is too much of in an inbox. */
export type Excess = "entries" | "bytes";

/** What one sender holds of an inbox. */
interface Holding<E> {
  entries: number;
  bytes: number;
  /** Its entries in their order, those that go first and those that go last. */
  passing: E[];
  lasting: E[];
}

/** What each sender holds of one inbox, and who of them makes room. */
export class Shares<E extends Held> {
  private readonly holdings = new Map<string, Holding<E>>();
  private readonly most = {
    entries: new Largest<Holding<E>>(({ entries }) => entries),
    bytes: new Largest<Holding<E>>(({ bytes }) => bytes),
  };

  /** Takes the newest entry. */
  add(entry: E): void {
    const { sender, lasting } = entry.share;
    const holding = this.holdings.get(sender) ?? { entries: 0, bytes: 0, passing: [], lasting: [] };
    this.holdings.set(sender, holding);
    (lasting ? holding.lasting : holding.passing).push(entry);
    this.change(holding, 1, entry);
  }

  /** Takes out an entry, which is the first of its sender's in most cases. */
  remove(entry: E): void {
    const { sender, lasting } = entry.share;
    const holding = this.holdings.get(sender);
    if (!holding) return;
    const list = lasting ? holding.lasting : holding.passing;
    const place = list[0] === entry ? 0 : list.lastIndexOf(entry);
    if (place >= 0) list.splice(place, 1);
    this.change(holding, -1, entry);
    if (holding.entries === 0) this.holdings.delete(sender);
  }

  /** The entry that makes room for the newest one; that itself, where none may. */
  next(excess: Excess, newest: E): E {
    const own = this.holdings.get(newest.share.sender);
    const top = this.most[excess].first();
    // Of those who hold as much, it is the one who wants more.
    const holding = own && top && own[excess] >= top[excess] ? own : top;
    return holding?.passing[0] ?? holding?.lasting[0] ?? newest;
  }

  private change(holding: Holding<E>, sign: 1 | -1, { body }: E): void {
    holding.entries += sign;
    holding.bytes += sign * body.length;
    for (const most of [this.most.entries, this.most.bytes]) most.update(holding);
  }
}

/** The largest of some things whose size changes one at a time: a binary heap that knows its places. */
class Largest<T> {
  private readonly heap: T[] = [];
  private readonly places = new Map<T, number>();

  constructor(private readonly sizeOf: (item: T) => number) {}

  first(): T | undefined {
    return this.heap[0];
  }

  /** Notes that the size of something has changed; of size 0 it is taken out. */
  update(item: T): void {
    let place = this.places.get(item);
    if (this.sizeOf(item) === 0) {
      if (place === undefined) return;
      const last = this.heap.pop() as T;
      this.places.delete(item);
      if (last !== item) this.sink(last, this.rise(last, place));
      return;
    }
    if (place === undefined) place = this.heap.push(item) - 1;
    this.sink(item, this.rise(item, place));
  }

  /** Moves an item up from a place that is its own or free; answers where it stands. */
  private rise(item: T, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.heap[above] as T;
      if (this.sizeOf(parent) >= this.sizeOf(item)) break;
      this.put(parent, place);
      place = above;
    }
    this.put(item, place);
    return place;
  }

  private sink(item: T, from: number): void {
    let place = from;
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const larger = this.sizeAt(right) > this.sizeAt(left) ? right : left;
      if (this.sizeAt(larger) <= this.sizeOf(item)) break;
      this.put(this.heap[larger] as T, place);
      place = larger;
    }
    this.put(item, place);
  }

  private sizeAt(place: number): number {
    return place < this.heap.length ? this.sizeOf(this.heap[place] as T) : -1;
  }

  private put(item: T, place: number): void {
    this.heap[place] = item;
    this.places.set(item, place);
  }
}
