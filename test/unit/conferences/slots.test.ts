import {
  allSlots,
  assignSlots,
  feedKey,
  streamsOf,
} from "../../../src/domain/conferences/engine/embedded/sfu/slots";
import type { Feed } from "../../../src/domain/conferences/engine/engine";
import {
  type NetworkReport,
  PAUSE_AFTER,
  PoorNetworkPolicy,
  pauseOrder,
  RESUME_AFTER,
} from "../../../src/domain/conferences/engine/quality/poor-network";
import { seededRandom } from "../../../tools/seeded-random";

/** Which section carries which feed, and how many videos a poor network allows. */

const main = (participant: number): Feed => ({ participant, source: "main" });
const screen = (participant: number): Feed => ({ participant, source: "screen" });
const all = () => true;

describe("sections", () => {
  test("twelve participants and two screens have 12 audio and 14 video sections, with their own mids", () => {
    const mids = allSlots(true).flatMap(({ audio, video }) => [audio, video]);
    expect(allSlots(true).filter(({ audio }) => audio !== null)).toHaveLength(12);
    expect(allSlots(true).filter(({ video }) => video !== null)).toHaveLength(14);
    expect(new Set(mids.filter(Boolean)).size).toBe(26);
    expect(allSlots(false)).toEqual(
      Array.from({ length: 12 }, (_, mid) => ({ audio: `${mid}`, video: null })),
    );
  });

  test("eleven others and two screens with sound all fit, whoever comes first", () => {
    const slots = allSlots(true);
    const mains = Array.from({ length: 11 }, (_, index) => main(index + 2));
    for (const feeds of [
      [...mains, screen(2), screen(3)],
      [screen(2), screen(3), ...mains],
    ]) {
      let current: Array<Feed | null> = slots.map(() => null);
      for (let count = 1; count <= feeds.length; count += 1) {
        current = assignSlots(slots, current, feeds.slice(0, count), all) ?? [];
      }
      const carried = current.flatMap((feed) => (feed ? [feedKey(feed)] : []));
      expect(carried.sort()).toEqual(feeds.map(feedKey).sort());
      const streams = streamsOf(slots, current, (feed) => feed.source === "main");
      const audible = streams.filter(({ kind, feed }) => kind === "audio" && feed);
      expect(audible.length).toBeGreaterThanOrEqual(10);
    }
  });

  test("more feeds than slots are refused", () => {
    const slots = allSlots(true).slice(-4);
    const feeds = [1, 2, 3, 4, 5].map(main);
    expect(assignSlots(slots, [null, null, null, null], feeds, all)).toBeNull();
  });

  test("over random changes a feed keeps its slot, and none is carried twice", () => {
    const random = seededRandom(11);
    const slots = allSlots(true);
    let current: Array<Feed | null> = slots.map(() => null);
    for (let round = 0; round < 2_000; round += 1) {
      const feeds = Array.from({ length: 11 }, (_, index) => main(index + 1)).filter(
        () => random(2) === 0,
      );
      const next = assignSlots(slots, current, feeds, all) ?? [];
      const carried = next.flatMap((feed) => (feed ? [feedKey(feed)] : []));
      expect(carried.sort()).toEqual(feeds.map(feedKey).sort());
      for (const [index, feed] of current.entries()) {
        if (feed && carried.includes(feedKey(feed))) expect(next[index]).toEqual(feed);
      }
      current = next;
    }
  });
});

describe("a poor network", () => {
  const good: NetworkReport = { videoLoss: 0, estimate: null, sent: 1_000_000 };
  const lossy = { ...good, videoLoss: 0.3 };
  /** The last result of several seconds of one report. */
  const lastOf = (policy: PoorNetworkPolicy, seconds: number, report = good, videos = 3) => {
    let paused = 0;
    for (let second = 0; second < seconds; second += 1) paused = policy.update(report, videos);
    return paused;
  };

  test("videos are paused one by one while it stays poor, and resumed one by one", () => {
    const policy = new PoorNetworkPolicy();
    expect(lastOf(policy, PAUSE_AFTER - 1, lossy)).toBe(0);
    expect(lastOf(policy, 1, lossy)).toBe(1);
    expect(lastOf(policy, PAUSE_AFTER, lossy)).toBe(2);
    expect(lastOf(policy, 10 * PAUSE_AFTER, lossy)).toBe(3);
    expect(lastOf(policy, RESUME_AFTER)).toBe(2);
    expect(lastOf(policy, 2 * RESUME_AFTER)).toBe(0);
  });

  test("a short disturbance pauses nothing, and a loss of 10 % changes nothing", () => {
    const policy = new PoorNetworkPolicy();
    for (let round = 0; round < 10; round += 1) {
      expect(lastOf(policy, PAUSE_AFTER - 1, lossy)).toBe(0);
      expect(lastOf(policy, 1)).toBe(0);
    }
    lastOf(policy, PAUSE_AFTER, lossy);
    expect(lastOf(policy, 100, { ...good, videoLoss: 0.1 })).toBe(1);
  });

  test("an estimate below what is sent pauses, one above it does not", () => {
    const policy = new PoorNetworkPolicy();
    expect(lastOf(policy, 20, { ...good, estimate: 2_000_000 })).toBe(0);
    expect(lastOf(policy, PAUSE_AFTER, { ...good, estimate: 500_000 })).toBe(1);
  });

  test("an estimate that grows towards what is sent pauses nothing, one that falls or stays does", () => {
    const policy = new PoorNetworkPolicy();
    // As a browser reports on a good network, while a second and a third video begin.
    for (let estimate = 300_000; estimate < good.sent; estimate *= 1.08) {
      expect(policy.update({ ...good, estimate }, 3)).toBe(0);
    }
    // As it reports on a network for half of that: below it, then more, until the queue grows again.
    const cycle = [425_000, 459_000, 495_000];
    const paused = [...cycle, ...cycle, ...cycle, ...cycle].map((estimate) =>
      policy.update({ ...good, estimate }, 3),
    );
    expect(paused.at(-1)).toBe(1);
  });

  test("while a video is paused, an estimate that grows does not resume it before it suffices", () => {
    const policy = new PoorNetworkPolicy();
    lastOf(policy, PAUSE_AFTER, lossy);
    for (let estimate = 300_000; estimate < good.sent; estimate *= 1.08) {
      expect(policy.update({ ...good, estimate }, 3)).toBe(1);
    }
    expect(lastOf(policy, RESUME_AFTER, { ...good, estimate: 1_100_000 })).toBe(0);
  });

  test("after an attempt that failed, the next one waits twice as long", () => {
    const policy = new PoorNetworkPolicy();
    lastOf(policy, PAUSE_AFTER, lossy);
    expect(lastOf(policy, RESUME_AFTER)).toBe(0);
    expect(lastOf(policy, PAUSE_AFTER, lossy)).toBe(1);
    expect(lastOf(policy, 2 * RESUME_AFTER - 1)).toBe(1);
    expect(lastOf(policy, 1)).toBe(0);
  });

  test("a report may cover several seconds", () => {
    const policy = new PoorNetworkPolicy();
    expect(policy.update(lossy, 3, 5)).toBe(1);
    expect(policy.update(lossy, 3, 5)).toBe(2);
    expect(policy.update(good, 3, 5)).toBe(1);
    // The resumed video was too much: the next attempt waits twice as long.
    expect(policy.update(lossy, 3, 5)).toBe(2);
    expect(policy.update(good, 3, 5)).toBe(2);
    expect(policy.update(good, 3, 5)).toBe(1);
  });

  test("the last participants' videos are paused first, shared screens at last", () => {
    const videos = ["screen-1", "participant-1", "participant-2", "screen-2", "participant-3"];
    expect(pauseOrder(videos, (video) => video.startsWith("screen"))).toEqual([
      "participant-3",
      "participant-2",
      "participant-1",
      "screen-2",
      "screen-1",
    ]);
  });

  test("videos that are no longer there are not paused", () => {
    const policy = new PoorNetworkPolicy();
    lastOf(policy, 3 * PAUSE_AFTER, lossy);
    expect(policy.update(good, 1)).toBe(1);
    expect(policy.update(good, 0)).toBe(0);
  });
});
