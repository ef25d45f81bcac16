import {
  APART_ROOMS,
  FIRST_STRIKE_MS,
  RoomPlacement,
  STRIKES_MS,
} from "../../../src/domain/conferences/engine/embedded/room-placement";
import { seededRandom } from "../../../tools/seeded-random";

/** Which process a room is in, and which room is ended after deaths. The clock is simulated. */

let clock = 0;
const now = () => clock;
beforeEach(() => {
  clock = 1_000_000;
});

function open(placement: RoomPlacement, room: string, application = 1): number {
  const process = placement.place(room, application);
  placement.opened(room);
  return process;
}

/** Opens rooms, and lets harmful ones kill their processes, until all harmful ones are ended. */
class Attack {
  readonly rooms: string[];
  readonly ended: string[] = [];
  readonly deaths = new Map<string, number>();
  readonly moves = new Map<string, number>();
  total = 0;

  constructor(
    private readonly placement: RoomPlacement,
    count: number,
  ) {
    this.rooms = Array.from({ length: count }, (_, index) => `c-${index}`);
    for (const room of this.rooms) open(placement, room);
  }

  /** A room kills its process; the others open again. */
  strike(room: string): void {
    clock += 5_000;
    this.total += 1;
    const { lost, ended } = this.placement.died(this.placement.processOf(room) ?? -1);
    this.ended.push(...ended);
    for (const each of lost) {
      this.deaths.set(each, (this.deaths.get(each) ?? 0) + 1);
      open(this.placement, each);
    }
  }
}

describe("where rooms are placed", () => {
  it("spreads the rooms of one application evenly", () => {
    const placement = new RoomPlacement({ regular: 4, quarantine: 2 }, now);
    const processes = Array.from({ length: 40 }, (_, index) => open(placement, `c-${index}`));
    for (const process of [0, 1, 2, 3]) {
      expect(processes.filter((each) => each === process)).toHaveLength(10);
    }
  });

  it("keeps applications apart while there is room", () => {
    const placement = new RoomPlacement({ regular: 2, quarantine: 2 }, now);
    expect(open(placement, "a-1", 1)).toBe(0);
    expect(open(placement, "b-1", 2)).toBe(1);
    for (let index = 2; index <= APART_ROOMS; index += 1) {
      expect(open(placement, `a-${index}`, 1)).toBe(0);
    }
    // The process of the first application is full: load counts from now on.
    expect(open(placement, "a-more", 1)).toBe(1);
  });

  it("keeps the process of an open room, and forgets a closed one", () => {
    const placement = new RoomPlacement({ regular: 2, quarantine: 2 }, now);
    open(placement, "c-1");
    open(placement, "c-2");
    expect(open(placement, "c-1")).toBe(0);
    placement.closed("c-1");
    expect(placement.processOf("c-1")).toBeUndefined();
    expect(open(placement, "c-3")).toBe(0);
  });

  it("does not forget a room that is being opened", () => {
    const placement = new RoomPlacement({ regular: 1, quarantine: 2 }, now);
    placement.place("c-1", 1);
    open(placement, "c-2");
    placement.opened("c-1");
    expect(placement.died(0).lost).toEqual(["c-1", "c-2"]);
  });

  it("places new rooms beside suspects only if there is no other process", () => {
    const placement = new RoomPlacement({ regular: 2, quarantine: 2 }, now);
    const attack = new Attack(placement, 8);
    attack.strike("c-0");
    attack.strike("c-0");
    const harmed = placement.processOf("c-0") === 0 ? 0 : placement.processOf("c-2");
    expect(open(placement, "new")).not.toBe(harmed);
  });
});

describe("what follows a death", () => {
  it("opens all rooms again in the same process after a first death, and after one a minute later", () => {
    const placement = new RoomPlacement({ regular: 1, quarantine: 2 }, now);
    const attack = new Attack(placement, 16);
    for (let death = 0; death < 5; death += 1) {
      attack.strike("c-3");
      expect(attack.rooms.map((room) => placement.processOf(room))).toEqual(Array(16).fill(0));
      clock += FIRST_STRIKE_MS + 1;
    }
    expect(attack.ended).toEqual([]);
  });

  it("moves half of the rooms to a quarantine process after a second death within a minute", () => {
    const placement = new RoomPlacement({ regular: 1, quarantine: 2 }, now);
    const attack = new Attack(placement, 16);
    attack.strike("c-3");
    attack.strike("c-3");
    const processes = attack.rooms.map((room) => placement.processOf(room));
    expect(processes.filter((process) => process === 0)).toHaveLength(8);
    expect(processes.filter((process) => process === 1)).toHaveLength(8);
  });

  it.each(
    Array.from({ length: 16 }, (_, index) => `c-${index}`),
  )("ends %s alone of 16 when it attacks, within nine deaths", (attacker) => {
    const attack = new Attack(new RoomPlacement({ regular: 1, quarantine: 2 }, now), 16);
    while (attack.ended.length === 0 && attack.total < 100) attack.strike(attacker);
    expect(attack.ended).toEqual([attacker]);
    expect(attack.total).toBeLessThanOrEqual(9);
    const interruptions = attack.rooms
      .filter((room) => room !== attacker)
      .reduce((sum, room) => sum + (attack.deaths.get(room) ?? 0), 0);
    // Without divisions, each death would interrupt all.
    expect(interruptions / 15).toBeLessThan(6);
  });

  it.each([
    [16, 1],
    [16, 2],
    [32, 3],
    [64, 4],
    [256, 1],
  ])("of %i rooms ends the %i that attack in any order, and no other", (count, attackers) => {
    const random = seededRandom(count);
    for (let round = 0; round < 20; round += 1) {
      const placement = new RoomPlacement({ regular: 1 + (round % 4), quarantine: 2 }, now);
      const attack = new Attack(placement, count);
      const harmful = new Set<string>();
      while (harmful.size < attackers) harmful.add(`c-${random(count)}`);
      const left = () => [...harmful].filter((room) => !attack.ended.includes(room));
      while (left().length > 0 && attack.total < 2_000) {
        const able = left();
        attack.strike(able[random(able.length)] as string);
      }
      expect([...attack.ended].sort()).toEqual([...harmful].sort());
      if (attackers === 1) expect(attack.total).toBeLessThanOrEqual(Math.log2(count) + 5);
    }
  });

  it("remembers strikes of a room that closes and opens again", () => {
    const placement = new RoomPlacement({ regular: 2, quarantine: 2 }, now);
    const attack = new Attack(placement, 1);
    attack.strike("c-0");
    placement.closed("c-0");
    open(placement, "c-0");
    attack.strike("c-0");
    placement.closed("c-0");
    clock += STRIKES_MS - 10_000;
    open(placement, "c-0");
    attack.strike("c-0");
    expect(attack.ended).toEqual(["c-0"]);
  });

  it("forgets strikes after ten minutes without one", () => {
    const placement = new RoomPlacement({ regular: 1, quarantine: 2 }, now);
    const attack = new Attack(placement, 1);
    for (let round = 0; round < 3; round += 1) {
      attack.strike("c-0");
      attack.strike("c-0");
      clock += STRIKES_MS + 1;
    }
    expect(attack.ended).toEqual([]);
    expect(placement.processOf("c-0")).toBe(1);
    placement.closed("c-0");
    expect(open(placement, "c-0")).toBe(0);
  });

  it("ends no room that shared its process, however often it died", () => {
    const placement = new RoomPlacement({ regular: 1, quarantine: 1 }, now);
    open(placement, "c-1");
    open(placement, "c-2");
    for (let death = 0; death < 6; death += 1) {
      clock += 1_000;
      // Every process dies, whoever is in it, as on a machine without memory.
      for (const process of [0, 1]) {
        const { lost, ended } = placement.died(process);
        if (lost.length > 1) expect(ended).toEqual([]);
        for (const room of lost) open(placement, room);
      }
    }
  });
});
