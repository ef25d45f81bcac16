import { readHandleInfo } from "../../../src/domain/conferences/engine/janus-server/stats/handle-info";
import { statsBetween } from "../../../src/domain/conferences/engine/janus-server/stats/peer-stats";
import { seededRandom } from "../../../tools/seeded-random";

/** The statistics of a peer, from the responses of the Admin API of Janus. */

interface Counts {
  packets: number;
  bytes: number;
}
const nothing: Counts = { packets: 0, bytes: 0 };

/** A media section as Janus 1.1.2 describes it. */
const section = (
  mid: string,
  type: string,
  stats: { in?: Counts & Record<string, unknown>; out?: Counts },
  quality: Record<string, unknown> = {},
) => ({
  type,
  mindex: Number(mid),
  mid,
  do_nacks: true,
  rtcp: { main: { base: 90_000, rtt: 0, lost: 0, "lost-by-remote": 0, ...quality } },
  stats: { in: { ...nothing, nacks: 0, ...stats.in }, out: { ...nothing, nacks: 0, ...stats.out } },
});

const response = (seconds: number, sections: { mid: string }[]) => ({
  janus: "success",
  info: {
    current_time: seconds * 1_000_000,
    plugin: "janus.plugin.videoroom",
    webrtc: { media: Object.fromEntries(sections.map((each) => [each.mid, each])) },
  },
});

/** The statistics between two responses. */
function stats(direction: "in" | "out", first: object, second: object) {
  const [before, after] = [readHandleInfo(first, direction), readHandleInfo(second, direction)];
  return before && after && statsBetween(before, after, direction);
}

test("of a watcher: what was sent, what its client has lost, the longest round trip", () => {
  const sections = (packets: number, lost: number) => [
    section("0", "audio", { out: { packets, bytes: packets * 100 } }, { rtt: 20 }),
    section(
      "1",
      "video",
      { out: { packets, bytes: packets * 1_000 } },
      { rtt: 35, "lost-by-remote": lost },
    ),
  ];
  const between = stats("out", response(100, sections(50, 3)), response(105, sections(300, 53)));
  expect(between).toEqual({
    seconds: 5,
    statistics: { audioBitrate: 40_000, videoBitrate: 400_000, packetLoss: 0.2, roundTripMs: 35 },
    videoLoss: 0.2,
  });
});

test("of a publisher: what arrived, in all simulcast layers, and what did not", () => {
  const at = (seconds: number, packets: number, lost: number) => {
    const layer = { packets, bytes: packets * 500 };
    const { rtcp, ...rest } = section(
      "1",
      "video",
      { in: { ...layer, "video-simulcast-1": layer, "video-simulcast-2": layer } },
      { lost },
    );
    return response(seconds, [{ ...rest, ...{ rtcp: { ...rtcp, sim1: { lost: 2 * lost } } } }]);
  };
  expect(stats("in", at(7, 100, 0), at(8, 200, 100))).toEqual({
    seconds: 1,
    statistics: { audioBitrate: 0, videoBitrate: 1_200_000, packetLoss: 0.5, roundTripMs: null },
    videoLoss: 0.5,
  });
});

test("packets that were sent again do not hide that they were lost", () => {
  const at = (seconds: number, packets: number, lost: number, nacks: number) =>
    response(seconds, [
      section(
        "1",
        "video",
        { in: { ...nothing, nacks }, out: { packets, bytes: packets * 1_000 } },
        { "lost-by-remote": lost },
      ),
    ]);
  expect(stats("out", at(1, 0, 0, 0), at(2, 120, 20, 20))).toMatchObject({ videoLoss: 0.2 });
  // Some are requested several times.
  expect(stats("out", at(1, 0, 0, 0), at(2, 120, 20, 90))).toMatchObject({ videoLoss: 0.2 });
});

test("a section that is new, or whose counters went back, is left out", () => {
  const video = (mid: string, packets: number, lost = 0) =>
    section(mid, "video", { out: { packets, bytes: packets * 1_000 } }, { "lost-by-remote": lost });
  const first = response(1, [video("1", 500), video("2", 100, 50)]);
  const second = response(2, [video("1", 10), video("2", 200, 40), video("3", 900, 900)]);
  expect(stats("out", first, second)).toMatchObject({
    // Late packets that were counted as lost are no gain of another second.
    statistics: { videoBitrate: 800_000, packetLoss: 0 },
    videoLoss: 0,
  });
});

test("a client that received more than was sent, as of repeated packets, has lost nothing", () => {
  const at = (seconds: number, lost: number) => {
    const stats = { out: { packets: seconds * 10, bytes: seconds * 1_000 } };
    return response(seconds, [section("1", "video", stats, { "lost-by-remote": lost })]);
  };
  expect(stats("out", at(1, 0), at(2, 0xffffff))).toMatchObject({ videoLoss: 0 });
  expect(stats("out", at(2, 0xfffffe), at(3, 1))).toMatchObject({ videoLoss: 0.3 });
});

test("a paused video has no loss, and no time has no statistics", () => {
  const at = (seconds: number) =>
    response(seconds, [
      section("1", "video", { out: { packets: 9, bytes: 9 } }, { "lost-by-remote": 9 }),
    ]);
  expect(stats("out", at(1), at(6))).toMatchObject({ videoLoss: null });
  expect(stats("out", at(6), at(6))).toBeNull();
  expect(stats("out", at(6), at(1))).toBeNull();
});

test("impossible counts stay within GraphQL's Int and the share of 1", () => {
  const at = (seconds: number, count: number) =>
    response(seconds, [
      section(
        "1",
        "video",
        { out: { packets: Math.min(count, 10), bytes: count } },
        { "lost-by-remote": Math.min(count, 0x7fffff), rtt: 1e300 },
      ),
    ]);
  expect(stats("out", at(1, 0), at(1.000001, Number.MAX_SAFE_INTEGER))?.statistics).toEqual({
    audioBitrate: 0,
    videoBitrate: 2_147_483_647,
    packetLoss: 1,
    roundTripMs: 2_147_483_647,
  });
});

test.each([
  null,
  "text",
  {},
  { info: {} },
  { info: { current_time: 1 } },
  { info: { current_time: 1, webrtc: {} } },
  { info: { current_time: "1", webrtc: { media: {} } } },
  { info: { current_time: 1, webrtc: { media: [] } } },
])("%j is no reading", (text) => {
  expect(readHandleInfo(text, "in")).toBeNull();
});

test("anything else in a response is left out, or is no figure at all", () => {
  const random = seededRandom(14);
  const values = [
    null,
    -1,
    0.5,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    "9",
    [],
    {},
    "\u0000",
    2 ** 60,
    true,
    undefined,
  ];
  const good = section("1", "audio", { in: { packets: 5, bytes: 500 } });
  const first = {
    at: 1,
    media: ["1", "2"].map((mid) => {
      const kind = mid === "1" ? ("audio" as const) : ("video" as const);
      return { mid, kind, packets: 0, bytes: 0, lost: 0, requested: 0, roundTripMs: null };
    }),
  };
  const none = { audioBitrate: 0, videoBitrate: 0, packetLoss: 0, roundTripMs: null };
  let readings = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const changed = structuredClone(
      response(3, [good, section("2", "video", { in: { packets: 7, bytes: 700 } })]),
    );
    const paths: [object, string][] = [];
    const collect = (node: object) => {
      for (const [key, value] of Object.entries(node)) {
        paths.push([node, key]);
        if (typeof value === "object" && value !== null) collect(value);
      }
    };
    collect(changed);
    const [node, key] = paths[random(paths.length)] ?? [{}, ""];
    Object.assign(node, { [key]: values[random(values.length)] });
    const read = readHandleInfo(changed, "in");
    if (!read) continue;
    readings += 1;
    for (const { mid, kind, packets, bytes, lost, roundTripMs } of read.media) {
      expect(mid.length).toBeGreaterThan(0);
      expect(["audio", "video"]).toContain(kind);
      for (const figure of [packets, bytes]) expect(Number.isSafeInteger(figure)).toBe(true);
      expect(Number.isInteger(lost)).toBe(true);
      expect(roundTripMs === null || roundTripMs > 0).toBe(true);
    }
    const { audioBitrate, videoBitrate, packetLoss, roundTripMs } =
      statsBetween(first, read, "in")?.statistics ?? none;
    for (const figure of [audioBitrate, videoBitrate, roundTripMs ?? 0]) {
      expect(Number.isInteger(figure) && figure >= 0 && figure < 2 ** 31).toBe(true);
    }
    expect(packetLoss >= 0 && packetLoss <= 1).toBe(true);
  }
  expect(readings).toBeGreaterThan(1_000);
});
