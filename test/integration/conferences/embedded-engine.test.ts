import { fork } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "../../../scripts/services/binaries";
import type { Feed } from "../../../src/domain/conferences/engine/engine";
import { freeUdpPort } from "../../../tools/conferences/free-udp-port";
import { closeAfterEach } from "../../support/close-after-each";
import { startEmbedded } from "../../support/conferences/engines";

/** What only the embedded engine shows: poor networks, its process. */

const ROOM = { room: "r-1", generation: 1, video: true, bitrate: 500_000 };
const main = (participant: number): Feed => ({ participant, source: "main" });

const opened = closeAfterEach();
async function start(options: Parameters<typeof startEmbedded>[0] = {}) {
  const fixture = await startEngine(options);
  opened({ close: fixture.stop });
  return fixture;
}

async function startEngine(options: Parameters<typeof startEmbedded>[0] = {}) {
  const fixture = await startEmbedded(options);
  const { engine, events } = fixture;
  const { room, generation } = ROOM;
  const isUp = (peer: string) =>
    eventually(async () => expect(events).toContainEqual({ type: "up", room, peer }));
  return {
    ...fixture,
    newWatcher: fixture.watch,
    async join(participant: number, kbits: number) {
      const client = await fixture.publish({ sender: participant, kbits });
      const publish = { source: "main" as const, offer: client.offer };
      const peer = await engine.connect({ room, generation, participant, publish });
      await client.accept(peer.peer, peer.sdp);
      await isUp(peer.peer);
      return { ...peer, client: client.media };
    },
    async watch(participant: number, feeds: Feed[]) {
      const watch = { feeds, sections: "all" as const };
      const peer = await engine.connect({ room, generation, participant, watch });
      const client = await fixture.watch(peer.sdp);
      await engine.signal(peer.peer, { answer: client.answer });
      await client.answered();
      await isUp(peer.peer);
      return { ...peer, client: client.media };
    },
  };
}

/** A client that has gone without a word. ICE notices after 30 seconds, in which the other tests run. */
let departure: Promise<
  Pick<Awaited<ReturnType<typeof startEngine>>, "engine" | "events" | "stop"> & {
    publisher: string;
    watcher: string;
  }
>;
beforeAll(() => {
  departure = (async () => {
    const { engine, events, stop, join, watch } = await startEngine();
    await engine.open(ROOM);
    const publisher = await join(1, 60);
    const watcher = await watch(2, [main(1)]);
    await publisher.client.close();
    return { engine, events, stop, publisher: publisher.peer, watcher: watcher.peer };
  })();
  // The last test shows a failure.
  departure.catch(() => undefined);
});
afterAll(async () => (await departure).stop());

test("a watcher that can receive less keeps the audio, and gets the video again later", async () => {
  const { engine, join, watch } = await start();
  await engine.open(ROOM);
  await join(1, 300);
  const watcher = await watch(2, [main(1)]);
  const [audio, video] = watcher.streams.filter(({ feed }) => feed !== null).map(({ mid }) => mid);
  const packets = async (mid?: string) => {
    const { tracks } = await watcher.client.report();
    return tracks.find((each) => each.mid === mid)?.packets ?? 0;
  };
  const ssrc = Number(/a=ssrc:(\d+)/.exec(watcher.sdp.slice(watcher.sdp.indexOf("m=video")))?.[1]);
  await eventually(async () => expect(await packets(video)).toBeGreaterThan(5));
  await eventually(async () => {
    await watcher.client.estimate(video ?? "", ssrc, 40_000);
    const before = [await packets(audio), await packets(video)];
    await eventually(async () =>
      expect(await packets(audio)).toBeGreaterThan((before[0] ?? 0) + 20),
    );
    expect(await packets(video)).toBe(before[1]);
  });
  const paused = await packets(video);
  await eventually(async () => expect(await packets(video)).toBeGreaterThan(paused + 10));
});

test("statistics of both sides are reported", async () => {
  const { engine, events, join, watch } = await start();
  await engine.open(ROOM);
  const publisher = await join(1, 300);
  const watcher = await watch(2, [main(1)]);
  for (const { peer } of [publisher, watcher]) {
    await eventually(async () => {
      const found = events.some(
        (event) =>
          event.type === "statistics" &&
          event.peer === peer &&
          event.statistics.audioBitrate > 20_000 &&
          event.statistics.videoBitrate > 200_000 &&
          event.statistics.packetLoss < 0.5,
      );
      expect(found).toBe(true);
    });
  }
});

describe("the process", () => {
  const alive = (pid: number) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };

  test("starts with the first room, and ends after the last one", async () => {
    const { engine, events } = await start({ idleMs: 50 });
    expect(engine.pids).toEqual([]);
    await expect(
      engine.connect({ room: "r-1", generation: 1, participant: 1 }),
    ).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await engine.close({ room: ROOM.room });
    expect(engine.pids).toEqual([]);

    await engine.open(ROOM);
    const pid = engine.pids[0] ?? 0;
    expect(alive(pid)).toBe(true);
    await engine.close({ room: ROOM.room });
    await eventually(async () => expect(alive(pid)).toBe(false));
    await engine.open(ROOM);
    expect(engine.pids).not.toContain(pid);
    expect(events).toEqual([]);
  });

  test("ends with the engine", async () => {
    const { engine, events } = await start();
    await engine.open(ROOM);
    const pid = engine.pids[0] ?? 0;
    await engine.shutdown();
    expect(alive(pid)).toBe(false);
    await expect(engine.open(ROOM)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(events).toEqual([]);
  });

  test("ends when the gateway is killed", async () => {
    const gateway = fork(
      join(__dirname, "../../support/conferences/engine-holder.ts"),
      [String(await freeUdpPort())],
      { execArgv: ["-r", join(__dirname, "../../../tools/run-typescript.js")] },
    );
    opened({ close: () => gateway.kill("SIGKILL") });
    const pid = await new Promise<number>((resolve) => gateway.once("message", resolve));
    expect(alive(pid)).toBe(true);
    gateway.kill("SIGKILL");
    await eventually(async () => expect(alive(pid)).toBe(false));
  });

  test("a port that is taken makes connections UNAVAILABLE, and nothing else", async () => {
    const first = await start();
    const second = await start({ port: first.port, bindAddress: "127.0.0.1" });
    await first.engine.open(ROOM);
    await first.join(1, 60);
    await second.engine.open(ROOM);
    const { offer } = await second.publish({ sender: 1 });
    const publish = { source: "main" as const, offer };
    await expect(
      second.engine.connect({ room: ROOM.room, generation: 1, participant: 1, publish }),
    ).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(second.events).toEqual([]);
  });

  test("an announced address replaces the host's own in every candidate", async () => {
    const { engine, publish } = await start({ announcedAddress: "203.0.113.7" });
    await engine.open(ROOM);
    const { offer } = await publish({ sender: 1 });
    const { sdp } = await engine.connect({
      room: ROOM.room,
      generation: 1,
      participant: 1,
      publish: { source: "main", offer },
    });
    const candidates = sdp.split("\r\n").filter((line) => line.startsWith("a=candidate:"));
    expect(candidates).toHaveLength(1);
    expect(candidates[0]).toContain(" 203.0.113.7 ");
    expect(sdp).not.toContain("IP4 127.0.0.1 ");
  });
});

describe("the answer to an offer", () => {
  const watch = { feeds: [], sections: "all" as const };
  const ufragOf = (sdp: string) => /a=ice-ufrag:(\S+)/.exec(sdp)?.[1] ?? "";

  /** A connectivity check of a client (RFC 8445 section 7.2.4), with a transaction id that begins with the mark. */
  function iceCheck(mark: number, offer: string, ufrag: string): Buffer {
    const attribute = (type: number, value: Buffer) => {
      const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
      padded.writeUInt16BE(type, 0);
      padded.writeUInt16BE(value.length, 2);
      value.copy(padded, 4);
      return padded;
    };
    const attributes = Buffer.concat([
      attribute(0x0006, Buffer.from(`${ufragOf(offer)}:${ufrag}`)),
      attribute(0x0024, Buffer.from([0x6e, 0, 0x1e, 0xff])),
      attribute(0x8029, randomBytes(8)),
    ]);
    const head = Buffer.alloc(20);
    head.writeUInt16BE(1, 0);
    head.writeUInt16BE(attributes.length + 24, 2);
    head.writeUInt32BE(0x2112a442, 4);
    head[8] = mark;
    const signed = Buffer.concat([head, attributes]);
    const password = /a=ice-pwd:(\S+)/.exec(offer)?.[1] ?? "";
    return Buffer.concat([
      signed,
      attribute(0x0008, createHmac("sha1", password).update(signed).digest()),
    ]);
  }

  test("opens its transport, which answers no check before", async () => {
    const { engine, port, newWatcher } = await start();
    await engine.open(ROOM);
    const connect = (participant: number) =>
      engine.connect({ room: ROOM.room, generation: 1, participant, watch });
    const [unanswered, answered] = [await connect(1), await connect(2)];
    const client = await newWatcher(answered.sdp);
    await engine.signal(answered.peer, { answer: client.answer });
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    opened({ close: () => socket.close() });
    await once(socket, "listening");
    const marks: number[] = [];
    socket.on("message", (message) => marks.push(message[8] ?? 0));
    // The media server reads them in this order.
    await eventually(async () => {
      socket.send(iceCheck(1, unanswered.sdp, "client"), port, "127.0.0.1");
      socket.send(iceCheck(2, answered.sdp, ufragOf(client.answer)), port, "127.0.0.1");
      expect(marks).toContain(2);
    });
    expect(marks).not.toContain(1);
    await client.answered();
  });

  test("names the only certificate that a client can connect with", async () => {
    const { engine, events, newWatcher } = await start();
    await engine.open(ROOM);
    const { peer, sdp } = await engine.connect({
      room: ROOM.room,
      generation: 1,
      participant: 1,
      watch,
    });
    const client = await newWatcher(sdp);
    const answer = client.answer.replace(
      /^(a=fingerprint:sha-256 .*)([0-9A-F])/gm,
      (_line, before: string, last: string) => before + (last === "0" ? "1" : "0"),
    );
    expect(answer).not.toBe(client.answer);
    await engine.signal(peer, { answer });
    await client.answered();
    await eventually(async () =>
      expect(events).toContainEqual({
        type: "gone",
        room: ROOM.room,
        peer,
        reason: "ICE or DTLS failed",
      }),
    );
    expect(events.filter(({ type }) => type === "up")).toEqual([]);
  });
});

test("a client that goes without a word is gone, and what it leaves is released", async () => {
  const { engine, events, publisher, watcher } = await departure;
  await eventually(async () => {
    expect(events).toContainEqual(expect.objectContaining({ type: "gone", peer: publisher }));
    expect(events).toContainEqual(expect.objectContaining({ type: "streams", peer: watcher }));
  });
  await eventually(async () => {
    expect(engine.usage()).toEqual({ rooms: 1, peers: 1, tracks: 0 });
  });
});
