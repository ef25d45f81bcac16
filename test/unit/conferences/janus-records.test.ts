import { newId } from "../../../src/core/random";
import {
  type Feed,
  ROOM_PARTICIPANTS_MAX,
  SCREENS_MAX,
} from "../../../src/domain/conferences/engine/engine";
import { feedIdOf } from "../../../src/domain/conferences/engine/janus-server/feed-id";
import {
  type PeerRecord,
  parseRecord,
  type RoomRecord,
} from "../../../src/domain/conferences/engine/janus-server/room-record";

/** The record of a room at Janus, with ids as long as Janus and the database make them. */

const HANDLE = 2 ** 53 - 1;
const PARTICIPANT = 2 ** 40;
const participants = Array.from(
  { length: ROOM_PARTICIPANTS_MAX },
  (_, index) => PARTICIPANT + index,
);
const feeds: Feed[] = participants.flatMap((participant, index): Feed[] => [
  { participant, source: "main" },
  ...(index < SCREENS_MAX ? [{ participant, source: "screen" as const }] : []),
]);

const streamsOf = (watched: Feed[]): PeerRecord["streams"] =>
  watched.flatMap((feed, index): PeerRecord["streams"] => [
    [`${2 * index}`, "audio", feedIdOf(feed)],
    [`${2 * index + 1}`, "video", feedIdOf(feed)],
  ]);

function peer(participant: number, watched: Feed[], more: Partial<PeerRecord>): PeerRecord {
  return { peer: newId(), handle: HANDLE, participant, streams: streamsOf(watched), ...more };
}

const watcher = (participant: number, watched: Feed[], sections: "all" | "one"): PeerRecord => {
  const videos = watched.map((_, index) => `${2 * index + 1}`);
  return peer(participant, watched, {
    sections,
    awaiting: false,
    unwanted: videos,
    disallowed: videos,
  });
};

const fingerprint = Array(32).fill("AB").join(":");
const publishers = feeds.map((feed) =>
  peer(feed.participant, [feed], { source: feed.source, fingerprint: `sha-256 ${fingerprint}` }),
);

test.each<[string, PeerRecord[]]>([
  ["one peer connection", participants.map((participant) => watcher(participant, feeds, "all"))],
  [
    "a peer connection for each feed",
    participants.flatMap((participant) => feeds.map((feed) => watcher(participant, [feed], "one"))),
  ],
])("the record of a full room whose participants watch over %s is less than 64 KiB", (_, watchers) => {
  const peers = [...publishers, ...watchers];
  const record: RoomRecord = { generation: HANDLE, control: HANDLE, privateId: HANDLE, peers };
  const text = JSON.stringify(record);
  expect(parseRecord(text)).toEqual(record);
  expect(text.length).toBeLessThan(65_536);
});
