import { Fault } from "../../../src/core/errors";
import type { CloseTarget, Feed, PeerMessage } from "../../../src/domain/conferences/engine/engine";
import type { PeerOwner } from "../../../src/domain/conferences/peers/peer";
import { Peers } from "../../../src/domain/conferences/peers/peers";
import { FakeEngine, fakeSdp } from "../../support/conferences/fake-engine";

/** The peers of a conference at an engine that refuses some requests. */

const ROOM = { room: "c-1", generation: 1 };
const OFFER = fakeSdp(["audio", "video"]);
const unavailable = () => new Fault("UNAVAILABLE", "The media server does not answer");

class RefusingEngine extends FakeEngine {
  /** Peers whose updates, and peers or participants whose closing it refuses. */
  readonly refusedUpdates = new Set<string>();
  readonly refusedClosings = new Set<string>();

  override async signal(peer: string, message: PeerMessage) {
    if (message.watch && this.refusedUpdates.has(peer)) throw unavailable();
    return super.signal(peer, message);
  }

  override async close(target: CloseTarget) {
    if ("peer" in target && this.refusedClosings.delete(target.peer)) throw unavailable();
    return super.close(target);
  }
}

let engine: RefusingEngine;
let peers: Peers;
let ended: string[];
let feeds: [number, string, boolean][];

beforeEach(async () => {
  ended = [];
  feeds = [];
  engine = new RefusingEngine((event) => {
    if (event.type === "up") peers.onUp(event.peer);
  });
  peers = new Peers(
    engine,
    () => ROOM,
    {
      onFeed: ({ number }, source, up) => feeds.push([number, source, up]),
      onStreams: () => undefined,
      onEnded: ({ id }) => ended.push(id),
    },
    () => 0,
  );
  await engine.open({ ...ROOM, video: true, bitrate: 100_000 });
});

const owner = (number: number): PeerOwner => ({
  participantId: 100 + number,
  number,
  generation: 1,
});
const main = (participant: number): Feed => ({ participant, source: "main" });
/** Lets what runs in the background finish: the engine answers at once. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function publish(number: number): Promise<string> {
  const { peer } = await peers.publish(owner(number), "main", OFFER);
  engine.connected(peer);
  await settled();
  return peer;
}

/** Watches all, and answers. */
async function watch(number: number): Promise<string> {
  const { peer } = await peers.watch(owner(number), undefined);
  await peers.signal(owner(number), peer, { answer: OFFER });
  await settled();
  return peer;
}

test("a watching peer that cannot be updated is closed at the engine as well", async () => {
  const watcher = await watch(1);
  engine.refusedUpdates.add(watcher);
  const publisher = await publish(2);
  expect(ended).toEqual([watcher]);
  expect(engine.peersOf(ROOM.room)).toEqual([publisher]);
});

test("a participant who is closed has no peer left at the engine, whatever of it is known and fails", async () => {
  const failed = await watch(1);
  const published = await publish(1);
  engine.refusedUpdates.add(failed);
  engine.refusedClosings.add(failed);
  const other = await publish(2);
  expect(peers.list().map(({ id }) => id)).toEqual([published, other]);
  expect(engine.peersOf(ROOM.room)).toEqual([failed, published, other]);

  await peers.watch(owner(1), main(2));
  engine.refusedClosings.add(published);
  await expect(peers.closeParticipant(101, 1)).rejects.toThrow("does not answer");
  expect(peers.list().map(({ id }) => id)).toEqual([other]);
  expect(engine.peersOf(ROOM.room)).toEqual([other]);
});

test("a participant opens at most 14 watching peers, also at the same time", async () => {
  for (let number = 2; number <= 21; number += 1) await publish(number);
  const all = Array.from({ length: 20 }, (_, index) => main(index + 2));
  const results = await Promise.allSettled(all.map((feed) => peers.watch(owner(1), feed)));
  const codes = results.map((result) => (result.status === "rejected" ? result.reason.code : ""));
  expect(codes).toEqual([...Array(14).fill(""), ...Array(6).fill("LIMITED")]);
  expect(peers.list().filter(({ feed }) => feed)).toHaveLength(14);
  // One that is opened again replaces the earlier one.
  await peers.watch(owner(1), main(2));
  await expect(peers.watch(owner(1), undefined)).rejects.toThrow("at most 14");
});

test("of a participant's requests to watch all at the same time, one peer remains", async () => {
  const opened = await Promise.all([1, 2, 3].map(() => peers.watch(owner(1), undefined)));
  expect(engine.peersOf(ROOM.room)).toEqual([opened.at(-1)?.peer]);
  expect(peers.list()).toHaveLength(1);
});

test("an attempt to watch that the engine refuses counts no more", async () => {
  await publish(2);
  engine.lose();
  for (let attempt = 0; attempt < 15; attempt += 1) {
    await expect(peers.watch(owner(1), main(2))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  }
});

test("a publisher whose media began while its conference had no host is watched by the next host", async () => {
  const published = await peers.publish(owner(2), "main", OFFER);
  const stored = structuredClone(peers.list());
  engine.connected(published.peer);
  const watcher = await watch(1);

  peers.clear();
  feeds = [];
  peers.restore([...stored, { ...owner(1), id: watcher, up: false }]);
  await settled();
  expect(feeds).toEqual([[2, "main", true]]);
  expect(peers.feeds()).toEqual([main(2)]);
  expect(engine.calls.at(-1)).toEqual(["signal", watcher, { watch: [main(2)] }]);
});
