/**
 * The process that each room belongs to, and what follows when a process dies. Pure: it knows names and numbers only.
 *
 * Processes 0 to `regular` - 1 take new rooms; `quarantine` more take rooms that may have ended theirs. A packet of one
 * participant can end a process, and nothing tells whose it was. Only the rooms that were open in it can have sent it:
 *
 * - Each open room of a process that dies gets a **strike**. A first strike is forgotten after a minute, and all
 *   strikes of a room are once it has had none for ten minutes.
 * - After a first strike, all rooms open again in the same process.
 * - The rooms with the most strikes, of those in the process, are the **suspects** once they have two. From a regular
 *   process, half of the suspects move to a quarantine process. From a quarantine process, half of the suspects stay,
 *   and all other rooms move back to the processes that they came from. So the number of suspects halves with every
 *   death, and only rooms move that were interrupted anyway.
 * - A room that dies **as the only one** in its process, with three strikes, has ended that process by itself: it is
 *   ended. No other room ever is, however many strikes it has had beside a harmful one.
 *
 * One harmful room among `n` is ended after at most log2(n) + 5 deaths. Several are ended one after the other, which
 * takes more deaths, since each strikes rooms beside the others.
 */

/** Strikes from which a room is a suspect. */
const SUSPECT_STRIKES = 2;
/** Strikes from which a room that dies as the only one in its process is ended. */
const END_STRIKES = 3;
/** Time after which a first strike is forgotten, in milliseconds. */
export const FIRST_STRIKE_MS = 60_000;
/** Time after which more strikes are forgotten, in milliseconds. */
export const STRIKES_MS = 600_000;
/** Number of rooms up to which a process without another application's rooms is preferred for an application. */
export const APART_ROOMS = 8;

/** Sizes of the placement. */
export interface PlacementSizes {
  /** Number of processes that take new rooms; at least one. */
  regular: number;
  /** Number of further processes for suspects; at least one. */
  quarantine: number;
}

/** What follows from the death of a process. */
export interface Death {
  /** Rooms that were open in it, and may open again where {@link RoomPlacement.place} says. */
  lost: string[];
  /** Rooms that must not open again. */
  ended: string[];
}

interface PlacedRoom {
  application: number;
  process: number;
  /** The regular process that it came from. */
  home: number;
  /** Whether it is open, or being opened. */
  held: boolean;
  open: boolean;
  strikes: number;
  lastStrikeAt: number;
}

/** Places rooms in processes. */
export class RoomPlacement {
  private readonly rooms = new Map<string, PlacedRoom>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(
    private readonly sizes: PlacementSizes,
    private readonly now: () => number,
  ) {}

  /** The process of a room, which it keeps; of a new one, the process that suits its application best. */
  place(room: string, application: number): number {
    this.forget();
    const known = this.rooms.get(room);
    if (known) {
      known.held = true;
      return known.process;
    }
    const process = this.choose(application);
    const placed = { application, process, home: process, strikes: 0, lastStrikeAt: 0 };
    this.rooms.set(room, { ...placed, held: true, open: false });
    return process;
  }

  /** The process of a room that was placed; undefined for an unknown one. */
  processOf(room: string): number | undefined {
    return this.rooms.get(room)?.process;
  }

  /** The room is open: a death of its process is a strike from now on. */
  opened(room: string): void {
    const placed = this.rooms.get(room);
    if (placed) placed.open = true;
  }

  /** The room was closed, or could not be opened. */
  closed(room: string): void {
    const placed = this.rooms.get(room);
    if (!placed) return;
    placed.held = false;
    placed.open = false;
    this.forget();
  }

  /** The process has died: strikes its rooms, and places them for when they open again. */
  died(process: number): Death {
    const hit = [...this.rooms].filter(([, room]) => room.open && room.process === process);
    for (const [, room] of hit) {
      room.held = false;
      room.open = false;
      room.strikes = this.isForgotten(room) ? 1 : room.strikes + 1;
      room.lastStrikeAt = this.now();
    }
    const [only] = hit;
    if (hit.length === 1 && only && only[1].strikes >= END_STRIKES) {
      this.rooms.delete(only[0]);
      return { lost: [], ended: [only[0]] };
    }
    const most = Math.max(...hit.map(([, { strikes }]) => strikes));
    if (most >= SUSPECT_STRIKES) this.divide(process, hit, most);
    return { lost: hit.map(([name]) => name), ended: [] };
  }

  private divide(process: number, hit: Array<[string, PlacedRoom]>, most: number): void {
    const suspects = hit
      .map(([, room]) => room)
      .filter(({ strikes }) => strikes === most)
      // The conferences of one application stay together where possible.
      .sort((one, other) => one.application - other.application);
    const half = new Set(suspects.slice(0, Math.ceil(suspects.length / 2)));
    if (process < this.sizes.regular) {
      const quarantine = this.quarantine();
      for (const room of half) room.process = quarantine;
      return;
    }
    for (const [, room] of hit) if (!half.has(room)) room.process = room.home;
  }

  /** The quarantine process with the fewest rooms. */
  private quarantine(): number {
    const { regular, quarantine } = this.sizes;
    const processes = Array.from({ length: quarantine }, (_, index) => regular + index);
    return least(processes, (process) => [this.in(process).length]);
  }

  private choose(application: number): number {
    const processes = Array.from({ length: this.sizes.regular }, (_, index) => index);
    return least(processes, (process) => {
      const rooms = this.in(process);
      const suspects = rooms.some(({ strikes }) => strikes >= SUSPECT_STRIKES);
      const apart =
        rooms.length < APART_ROOMS && rooms.every((room) => room.application === application);
      return [Number(suspects), Number(!apart), rooms.length];
    });
  }

  private in(process: number): PlacedRoom[] {
    return [...this.rooms.values()].filter((room) => room.process === process);
  }

  private isForgotten({ strikes, lastStrikeAt }: PlacedRoom): boolean {
    if (strikes === 0) return true;
    return this.now() - lastStrikeAt > (strikes === 1 ? FIRST_STRIKE_MS : STRIKES_MS);
  }

  /** Forgets closed rooms whose strikes are forgotten, so that those that are kept are those of ten minutes. */
  private forget(): void {
    for (const [name, room] of this.rooms) {
      if (!room.held && this.isForgotten(room)) this.rooms.delete(name);
    }
  }
}

/** The first value whose ranks are the least, compared in order. */
function least(values: number[], ranks: (value: number) => number[]): number {
  const [first = 0, ...others] = values.map((value) => ({ value, ranks: ranks(value) }));
  let best = first as { value: number; ranks: number[] };
  for (const each of others) {
    const index = each.ranks.findIndex((rank, at) => rank !== best.ranks[at]);
    if (index >= 0 && (each.ranks[index] ?? 0) < (best.ranks[index] ?? 0)) best = each;
  }
  return best.value;
}
