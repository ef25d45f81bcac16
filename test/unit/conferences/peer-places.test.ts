import type { Fault } from "../../../src/core/errors";
import {
  APPLICATION_PEERS_MAX,
  PEERS_MAX,
  USER_PEERS_MAX,
} from "../../../src/domain/conferences/engine/embedded/sfu/bounds/limits";
import { PeerPlaces } from "../../../src/domain/conferences/engine/embedded/sfu/bounds/peer-places";
import { seededRandom } from "../../../tools/seeded-random";

/** Which peer ends for a new one, and which request is refused, when the places of a process are taken. */

const USER_FULL = "The participant has too many peer connections in all conferences together";
const APPLICATION_FULL = "The application has too many peer connections at the media server";
const ALL_FULL = "The media server has too many peer connections";
const GAVE_WAY = "not connected, and its place was needed";
const REPLACED = "replaced by another peer connection of the participant";

/** A process whose peers are names. */
class Peers {
  /** Peers that were ended for others, and why. */
  readonly ended: Array<[peer: string, reason: string]> = [];
  readonly open = new Set<string>();
  private readonly places = new PeerPlaces();
  private last = 0;

  /** Begins to open a peer. */
  take(application: number, participant: number, replaced?: string): string {
    this.last += 1;
    const peer = `${application}/${participant}/${this.last}`;
    this.places.take(peer, { application, participant }, replaced);
    return peer;
  }

  /** The peer is open, or is negotiated again. */
  opened(peer: string): string {
    this.open.add(peer);
    this.places.expectConnection(peer, (reason) => {
      this.ended.push([peer, reason]);
      this.release(peer);
    });
    return peer;
  }

  /** Opens peers that do not connect. */
  wait(application: number, participant: number, count = 1): string[] {
    return Array.from({ length: count }, () => this.opened(this.take(application, participant)));
  }

  /** Opens peers that connect. */
  connect(application: number, participant: number, count = 1): string[] {
    return this.wait(application, participant, count).map((peer) => this.up(peer));
  }

  /** Participants of the application fill what is left of its share, or of a part of it, with connected peers. */
  fill(application: number, count = APPLICATION_PEERS_MAX): string[] {
    return Array.from({ length: count }, (_, index) => {
      const participant = 1_000 + Math.floor(index / USER_PEERS_MAX);
      return this.connect(application, participant);
    }).flat();
  }

  up(peer: string): string {
    this.places.connected(peer);
    return peer;
  }

  release(peer: string): void {
    this.open.delete(peer);
    this.places.release(peer);
  }

  /** The message of the fault that refuses a request; null for none. */
  refusal(application: number, participant: number, replaced?: string): string | null {
    try {
      this.release(this.take(application, participant, replaced));
      return null;
    } catch (error) {
      expect((error as Fault).code).toBe("UNAVAILABLE");
      return (error as Fault).message;
    }
  }

  endedPeers(): string[] {
    return this.ended.map(([peer]) => peer);
  }
}

let peers: Peers;
beforeEach(() => {
  peers = new Peers();
});

describe("the share of a user", () => {
  it("is of 64 peers, beyond which the one that has waited longest ends", () => {
    const [first, second] = peers.wait(1, 1, USER_PEERS_MAX);
    const [other] = peers.wait(1, 2);
    expect(peers.ended).toEqual([]);
    peers.wait(1, 1, 2);
    expect(peers.ended).toEqual([
      [first, GAVE_WAY],
      [second, GAVE_WAY],
    ]);
    expect(peers.open).toContain(other);
    expect(peers.open.size).toBe(USER_PEERS_MAX + 1);
  });

  it("refuses only what has none of its own to end", () => {
    const [connected] = peers.connect(1, 1, USER_PEERS_MAX);
    peers.wait(1, 2);
    expect(peers.refusal(1, 1)).toBe(USER_FULL);
    expect(peers.ended).toEqual([]);
    // The same number in another application is somebody else.
    expect(peers.refusal(2, 1)).toBeNull();
    peers.release(connected ?? "");
    expect(peers.refusal(1, 1)).toBeNull();
  });

  it("keeps connected peers, also those that have waited longest", () => {
    const [first, second] = peers.wait(1, 1, USER_PEERS_MAX);
    peers.up(first ?? "");
    peers.wait(1, 1);
    expect(peers.endedPeers()).toEqual([second]);
  });
});

describe("the share of an application", () => {
  it("leaves the participants of others a quarter, if all of its peers are connected", () => {
    peers.fill(1);
    expect(peers.refusal(1, 1)).toBe(APPLICATION_FULL);
    peers.fill(2, PEERS_MAX - APPLICATION_PEERS_MAX);
    expect(APPLICATION_PEERS_MAX).toBe(Math.floor((PEERS_MAX * 3) / 4));
    expect(peers.refusal(2, 1)).toBe(ALL_FULL);
    expect(peers.ended).toEqual([]);
  });

  it("is kept free by the user with the most peers that are not connected", () => {
    peers.fill(1, APPLICATION_PEERS_MAX - 8);
    const [honest] = peers.wait(1, 1, 3);
    const [first, second] = peers.wait(1, 2, 5);
    peers.wait(2, 2, USER_PEERS_MAX);
    peers.connect(1, 3);
    peers.connect(1, 4);
    expect(peers.endedPeers()).toEqual([first, second]);
    // Both have as many now.
    peers.connect(1, 5);
    expect(peers.endedPeers()).toEqual([first, second, honest]);
  });
});

describe("all places of the process", () => {
  /** Two applications have connected peers, and the participants of a third one have opened one each for the rest. */
  function fillAll(): void {
    peers.fill(1);
    peers.fill(2, 300);
    for (let left = PEERS_MAX - APPLICATION_PEERS_MAX - 300; left > 0; left -= 1) {
      peers.wait(3, left);
    }
  }

  it("are kept free by the application with the most peers that are not connected", () => {
    fillAll();
    const newcomer = peers.wait(2, 1, 2);
    for (let participant = 1; participant <= 20; participant += 1) peers.wait(3, 100 + participant);
    expect(peers.ended).toHaveLength(22);
    expect(peers.endedPeers().filter((peer) => !peer.startsWith("3/"))).toEqual([]);
    expect([...peers.open]).toEqual(expect.arrayContaining(newcomer));
  });

  it("refuse a request only if all peers are connected", () => {
    fillAll();
    for (const peer of peers.open) peers.up(peer);
    expect(peers.refusal(2, 1)).toBe(ALL_FULL);
    expect(peers.refusal(4, 1)).toBe(ALL_FULL);
    // The share of this one is full as well.
    expect(peers.refusal(1, 1)).toBe(APPLICATION_FULL);
    expect(peers.ended).toEqual([]);
  });
});

describe("requests at the same time", () => {
  it("count for their user from their beginning", () => {
    const requests = Array.from({ length: USER_PEERS_MAX }, () => peers.take(1, 1));
    expect(peers.refusal(1, 1)).toBe(USER_FULL);
    peers.release(requests.pop() ?? "");
    expect(peers.refusal(1, 1)).toBeNull();
  });

  it("count for their application and for all", () => {
    for (let index = 0; index < APPLICATION_PEERS_MAX; index += 1) peers.take(1, index);
    expect(peers.refusal(1, -1)).toBe(APPLICATION_FULL);
    for (let index = APPLICATION_PEERS_MAX; index < PEERS_MAX; index += 1) peers.take(2, index);
    expect(peers.refusal(3, 1)).toBe(ALL_FULL);
  });
});

describe("a peer that replaces another one", () => {
  it("needs no new place", () => {
    const [replaced = ""] = peers.fill(1);
    const next = peers.take(1, 1_000, replaced);
    peers.release(replaced);
    peers.up(peers.opened(next));
    expect(peers.ended).toEqual([]);
    expect(peers.refusal(1, 1)).toBe(APPLICATION_FULL);
    peers.release(next);
    expect(peers.refusal(1, 1)).toBeNull();
  });

  it("shares the place with no second request, and leaves it if it fails", () => {
    const [replaced = ""] = peers.fill(1);
    const failing = peers.take(1, 1_000, replaced);
    expect(peers.refusal(1, 1_000, replaced)).toBe(USER_FULL);
    peers.release(failing);
    expect(peers.refusal(1, 1_000, replaced)).toBeNull();
    expect(peers.refusal(1, 1)).toBe(APPLICATION_FULL);
  });

  it.each([
    ["the one that shares", 0],
    ["the other one", 1],
  ])("leaves one place taken after two requests, of which %s is answered first", (_name, index) => {
    peers.fill(1, APPLICATION_PEERS_MAX - 2);
    const [replaced = ""] = peers.connect(1, 1);
    const [waiting] = peers.wait(1, 2);
    const requests = [peers.take(1, 1, replaced), peers.take(1, 1, replaced)];
    expect(peers.endedPeers()).toEqual([waiting]);
    const [answered = ""] = requests.splice(index, 1);
    peers.release(replaced);
    peers.up(peers.opened(answered));
    peers.release(answered);
    peers.up(peers.opened(requests[0] ?? ""));
    expect(peers.refusal(1, 3)).toBeNull();
    peers.connect(1, 3);
    expect(peers.refusal(1, 4)).toBe(APPLICATION_FULL);
    expect(peers.endedPeers()).toEqual([waiting]);
  });

  it.each([
    ["not connected", () => undefined],
    ["connected", (peer: string) => peers.up(peer)],
  ])("ends the other one, which is %s, rather than one that has waited longer", (_state, act) => {
    const [longest, earlier = "", next] = peers.wait(1, 1, USER_PEERS_MAX);
    act(earlier);
    const peer = peers.take(1, 1, earlier);
    expect(peers.ended).toEqual([]);
    peers.opened(peer);
    expect(peers.ended).toEqual([[earlier, REPLACED]]);
    peers.wait(1, 1, 2);
    expect(peers.endedPeers()).toEqual([earlier, longest, next]);
  });

  it("keeps the other one from giving way before it is open", () => {
    const [replaced = "", next] = peers.wait(1, 1, USER_PEERS_MAX);
    const peer = peers.take(1, 1, replaced);
    peers.wait(1, 1);
    expect(peers.endedPeers()).toEqual([next]);
    peers.opened(peer);
    expect(peers.endedPeers()).toEqual([next, replaced]);
  });

  it("ends nothing while there are places", () => {
    const [earlier] = peers.wait(1, 1);
    peers.opened(peers.take(1, 1, earlier));
    expect(peers.ended).toEqual([]);
  });
});

it("a peer that is negotiated again needs no place, and waits from then on", () => {
  const [first = "", second = "", third] = peers.wait(1, 1, USER_PEERS_MAX);
  peers.opened(peers.up(first));
  peers.opened(second);
  expect(peers.ended).toEqual([]);
  peers.wait(1, 1);
  expect(peers.endedPeers()).toEqual([third]);
  for (const peer of peers.open) if (peer !== first && peer !== second) peers.up(peer);
  peers.wait(1, 1, 2);
  expect(peers.endedPeers()).toEqual([third, first, second]);
});

it("over random changes no share is exceeded, and all places are free in the end", () => {
  const random = seededRandom(7);
  const pick = (from: Iterable<string>) => {
    const all = [...from];
    return all[random(all.length)] ?? "";
  };
  const open = (prefix: string) => [...peers.open].filter((peer) => peer.startsWith(prefix));
  const refusals = new Map<string, number>();
  /** Requests, and the peer that each replaces. */
  const pending = new Map<string, string>();
  peers.fill(1, 900);
  peers.fill(2, 200);
  for (let step = 0; step < 3_000; step += 1) {
    const action = random(16);
    if (action < 9 && pending.size < 30) {
      const application = random(4) === 0 ? 2 : 1;
      const participant = random(2) === 0 ? 1 : random(20);
      const replaced = random(4) === 0 ? pick(open(`${application}/${participant}/`)) : "";
      try {
        pending.set(peers.take(application, participant, replaced), replaced);
      } catch (error) {
        const { message } = error as Fault;
        refusals.set(message, (refusals.get(message) ?? 0) + 1);
      }
    } else if (action < 15 && pending.size > 0) {
      const peer = pick(pending.keys());
      const replaced = pending.get(peer) ?? "";
      pending.delete(peer);
      if (random(2) === 0) peers.release(replaced);
      if (random(10) === 0) peers.release(peer);
      else peers.opened(peer);
      if (random(4) > 0) peers.up(peer);
      const [application, participant] = peer.split("/");
      expect(open(`${application}/${participant}/`).length).toBeLessThanOrEqual(USER_PEERS_MAX);
      expect(open(`${application}/`).length).toBeLessThanOrEqual(APPLICATION_PEERS_MAX);
      expect(peers.open.size).toBeLessThanOrEqual(PEERS_MAX);
    } else if (random(8) === 0) peers.release(pick(peers.open));
  }
  expect([...refusals.keys()].sort()).toEqual([APPLICATION_FULL, USER_FULL, ALL_FULL].sort());
  for (const peer of [...peers.open, ...pending.keys()]) peers.release(peer);
  const ended = peers.ended.length;
  peers.fill(1);
  peers.fill(2, PEERS_MAX - APPLICATION_PEERS_MAX);
  expect(peers.ended).toHaveLength(ended);
});
