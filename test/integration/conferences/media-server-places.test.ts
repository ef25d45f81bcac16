import { eventually } from "../../../scripts/services/binaries";
import {
  APPLICATION_PEERS_MAX,
  APPLICATION_ROOMS_MAX,
  PARTICIPANT_PEERS_MAX,
  ROOMS_MAX,
  USER_PEERS_MAX,
} from "../../../src/domain/conferences/engine/embedded/sfu/bounds/limits";
import { closeAfterEach } from "../../support/close-after-each";
import { startEmbedded } from "../../support/conferences/engines";

/**
 * What one user or application takes of the places in a process of the embedded engine, and what is left for others.
 */

const GAVE_WAY = "not connected, and its place was needed";
const REPLACED = "replaced by another peer connection of the participant";

const opened = closeAfterEach();

/** An engine with rooms `a`, `b` and `c` of application 1 and `other` of application 2. */
async function start() {
  const fixture = await startEmbedded();
  opened({ close: fixture.stop });
  const { engine, events } = fixture;
  const open = (room: string, application?: number) =>
    engine.open({
      ...{ room, generation: 1, video: true, bitrate: 500_000 },
      ...(application !== undefined && { application }),
    });
  for (const room of ["a", "b", "c"]) await open(room, 1);
  await open("other", 2);
  return {
    engine,
    open,
    /** Opens a watching peer that does not connect. */
    async watch(room: string, participant: number) {
      const watch = { feeds: [], sections: "all" as const };
      return (await engine.connect({ room, generation: 1, participant, watch })).peer;
    },
    /** Publishes, and waits until media flows. */
    async publish(room: string, participant: number) {
      const client = await fixture.publish({ sender: participant, kbits: 60 });
      const publish = { source: "main" as const, offer: client.offer };
      const { peer, sdp } = await engine.connect({ room, generation: 1, participant, publish });
      await client.accept(peer, sdp);
      await eventually(async () => expect(events).toContainEqual({ type: "up", room, peer }));
      return peer;
    },
    gone: () =>
      events.flatMap((event) => (event.type === "gone" ? [[event.peer, event.reason]] : [])),
  };
}

const times = async <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let index = 0; index < count; index += 1) results.push(await act(index));
  return results;
};

test("a user's 65th peer ends one of the same user that is not connected, and others connect", async () => {
  const { engine, watch, publish, gone } = await start();
  const [first, second = ""] = await times(PARTICIPANT_PEERS_MAX, () => watch("a", 1));
  await times(PARTICIPANT_PEERS_MAX, () => watch("b", 1));
  expect(gone()).toEqual([]);
  await watch("c", 1);
  expect(gone()).toEqual([[first, GAVE_WAY]]);
  // A restart needs no place.
  await engine.signal(second, { restart: {} });
  await publish("other", 1);
  await publish("c", 2);
  expect(gone()).toEqual([[first, GAVE_WAY]]);
  await engine.close({ peer: second });
  await watch("c", 1);
  expect(gone()).toHaveLength(1);
});

test("a peer that replaces another one needs no place, whatever its user has open", async () => {
  const { engine, watch, publish, gone } = await start();
  await publish("a", 1);
  await times(PARTICIPANT_PEERS_MAX - 1, () => watch("a", 1));
  const rest = USER_PEERS_MAX - PARTICIPANT_PEERS_MAX - 1;
  await times(rest, () => watch("b", 1));
  const earlier = await watch("c", 1);

  await publish("a", 1);
  expect(gone()).toEqual([]);
  const next = await watch("c", 1);
  expect(gone()).toEqual([[earlier, REPLACED]]);
  await expect(engine.signal(next, { restart: {} })).resolves.toMatchObject({ replaced: true });
  await eventually(async () => expect(engine.usage().peers).toBe(USER_PEERS_MAX));
});

test("an application that fills its share keeps no participant of another one out", async () => {
  const { watch, publish, gone } = await start();
  const participants = APPLICATION_PEERS_MAX / USER_PEERS_MAX;
  const peers = await Promise.all(
    Array.from({ length: participants }, (_, participant) =>
      times(USER_PEERS_MAX, (index) => watch(index % 2 === 0 ? "a" : "b", 10 + participant)),
    ),
  );
  expect(gone()).toEqual([]);
  await publish("other", 1);
  expect(gone()).toEqual([]);
  // A further participant of the application takes the place of one that is not connected.
  await publish("c", 1);
  expect(gone()).toEqual([[expect.anything(), GAVE_WAY]]);
  expect(peers.flat()).toContain(gone()[0]?.[0]);
});

test("an application has 256 of the conferences, and others can open theirs", async () => {
  const { engine, open } = await start();
  await times(APPLICATION_ROOMS_MAX, (index) => open(`r-${index}`));
  await expect(open("one-more")).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "The application has too many conferences at the media server",
  });
  // One that is open may open again.
  await engine.open({ room: "r-0", generation: 2, video: true, bitrate: 500_000 });
  // Four are open from the start.
  await times(ROOMS_MAX - APPLICATION_ROOMS_MAX - 4, (index) => open(`s-${index}`, 3));
  await expect(open("one-more", 2)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "The media server has too many conferences",
  });
  await engine.close({ room: "r-0" });
  await open("one-more", 2);
});
