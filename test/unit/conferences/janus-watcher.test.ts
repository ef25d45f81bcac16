import { PublisherIndex } from "../../../src/domain/conferences/engine/janus-server/publisher-index";
import type { PeerRecord } from "../../../src/domain/conferences/engine/janus-server/room-record";
import {
  JanusWatcher,
  type WatcherRoom,
} from "../../../src/domain/conferences/engine/janus-server/watcher";

/** A watching peer that another gateway process has left at Janus. */

/** A room where Janus accepts everything, and nobody publishes. */
const ROOM: WatcherRoom = {
  room: "c-1",
  session: { send: async () => ({ data: {} }) } as unknown as WatcherRoom["session"],
  privateId: 1,
  publishers: new PublisherIndex(),
  attach: async () => 2,
  detach: async () => undefined,
};
const ANSWER =
  "v=0\r\na=ice-ufrag:abcd\r\n" +
  `a=fingerprint:sha-256 ${"00:".repeat(31)}00\r\nm=audio 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\n`;
const record = (awaiting: boolean): PeerRecord => ({
  peer: "p",
  handle: 1,
  participant: 1,
  sections: "all",
  awaiting,
  streams: [],
});
const resume = (awaiting: boolean) => JanusWatcher.resume(ROOM, record(awaiting), "all");

test("takes no other feeds while an answer to the former gateway's offer is missing", async () => {
  await expect(resume(true).signal({ watch: [] })).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await resume(false).signal({ watch: [] })).toEqual({ streams: [] });
});

test("goes on once the client has answered the former gateway's offer", async () => {
  const watcher = resume(true);
  await watcher.signal({ answer: ANSWER });
  expect(await watcher.signal({ watch: [] })).toEqual({ streams: [] });
});
