import {
  CONTROL_BURST_SECONDS,
  CONTROL_BYTES_PER_SECOND,
  CONTROL_PACKETS_PER_SECOND,
  MEDIA_BURST_SECONDS,
  MEDIA_BYTES_PER_SECOND,
  MEDIA_PACKETS_PER_SECOND,
  ROOM_BURST_SECONDS,
  ROOM_PACKETS_PER_SECOND,
  ROOM_SHARE_MIN,
} from "../../../src/domain/conferences/engine/embedded/sfu/bounds/limits";
import { PeerBudget } from "../../../src/domain/conferences/engine/embedded/sfu/bounds/peer-budget";
import { RoomBudget } from "../../../src/domain/conferences/engine/embedded/sfu/bounds/room-budget";

/** What a peer may send to the embedded engine, and what a room may cost it, by a simulated clock. */

let now = 0;
const clock = () => now;
beforeEach(() => {
  now = 0;
});

/** A budget, and the reasons for which it was exceeded. */
function budget(bitrate = 0) {
  const reasons: string[] = [];
  return { reasons, peer: new PeerBudget(bitrate, (reason) => reasons.push(reason), clock) };
}

/** Sends packets evenly over some seconds. @returns how many were handled */
function send(perSecond: number, seconds: number, one: () => boolean): number {
  let handled = 0;
  const start = now;
  for (let count = 0; count < perSecond * seconds; count += 1) {
    now = start + (count * 1_000) / perSecond;
    if (one()) handled += 1;
  }
  return handled;
}

describe("a peer", () => {
  test.each([
    ["RTCP packets", CONTROL_PACKETS_PER_SECOND, 60, CONTROL_BURST_SECONDS],
    ["RTCP bytes", CONTROL_BYTES_PER_SECOND / 1_000, 1_000, CONTROL_BURST_SECONDS],
  ])("may send its %s for ever, and ends once beyond a burst", (_name, rate, bytes, burst) => {
    const honest = budget();
    expect(send(rate, 60, () => honest.peer.control(bytes))).toBe(rate * 60);
    expect(honest.reasons).toEqual([]);
    const { peer, reasons } = budget();
    const handled = send(rate * 10, 60, () => peer.control(bytes));
    expect(handled).toBeLessThan(rate * burst * 1.2);
    expect(reasons).toEqual(["too many RTCP packets"]);
    expect(peer.media(100)).toBe(false);
    expect(peer.takePackets()).toBe(handled + 1);
  });

  test("may answer every fourth packet that it receives beside that", () => {
    const { peer, reasons } = budget();
    send(4_000, 30, () => {
      peer.sent(1_000);
      return true;
    });
    now = 0;
    const watcher = budget();
    let packets = 0;
    send(4_000, 30, () => {
      watcher.peer.sent(1_000);
      packets += 1;
      return packets % 4 === 0 ? watcher.peer.control(60) : true;
    });
    expect([reasons, watcher.reasons]).toEqual([[], []]);
    expect(send(5_000, 5, () => watcher.peer.control(60))).toBeLessThan(25_000);
    expect(watcher.reasons).toEqual(["too many RTCP packets"]);
  });

  test.each([
    ["a low bitrate", 64_000, MEDIA_PACKETS_PER_SECOND, MEDIA_BYTES_PER_SECOND],
    ["the highest bitrate", 4_000_000, 2_000, 2_000_000],
  ])("that publishes with %s may send several times as much, and no more", (_name, bitrate, packets, bytes) => {
    const honest = budget(bitrate);
    expect(send(packets, 30, () => honest.peer.media(bytes / packets))).toBe(packets * 30);
    expect(honest.reasons).toEqual([]);
    for (const [rate, size] of [
      [packets * 4, 20],
      [packets, (4 * bytes) / packets],
    ] as const) {
      const { peer, reasons } = budget(bitrate);
      expect(send(rate, 10, () => peer.media(size))).toBeLessThan(
        packets * (MEDIA_BURST_SECONDS + 2),
      );
      expect(reasons).toEqual(["too much media"]);
    }
  });
});

describe("a room", () => {
  /** Peers that cost so many packets per second; a number is replaced by 0 when its peer ends. */
  function room(...rates: number[]) {
    const whole = new RoomBudget(clock);
    return {
      rates,
      whole,
      second() {
        now += 1_000;
        whole.update(
          rates.map((packets, index) => ({
            packets,
            end: () => {
              rates[index] = 0;
            },
          })),
        );
      },
    };
  }

  test("of twelve participants with audio and video, and two screens, has its whole bitrate", () => {
    const { rates, whole, second } = room(...Array.from({ length: 14 }, () => (75 + 50) * 12));
    for (let count = 0; count < 600; count += 1) second();
    expect(whole.share).toBe(1);
    expect(rates.every((rate) => rate > 0)).toBe(true);
  });

  test("that is expensive asks for less video, and keeps its peers if they send less", () => {
    const full = 470 * 12;
    const { rates, whole, second } = room(...Array.from({ length: 14 }, () => full));
    for (let count = 0; count < 600; count += 1) {
      second();
      // Honest clients respond after a second.
      rates.fill(full * whole.share);
    }
    expect(rates.every((rate) => rate > 0)).toBe(true);
    expect(whole.share).toBeGreaterThan(0.3);
    rates.fill(100);
    for (let count = 0; count < 100; count += 1) second();
    expect(whole.share).toBe(1);
  });

  test("that stays beyond its budget loses those that cost most, and no others", () => {
    const honest = Array.from({ length: 6 }, () => 1_500);
    const { rates, whole, second } = room(...honest, 30_000, 20_000);
    let seconds = 0;
    for (; rates.includes(30_000) && seconds < 60; seconds += 1) second();
    expect(seconds).toBeLessThanOrEqual(
      1 + (ROOM_BURST_SECONDS * ROOM_PACKETS_PER_SECOND) / (59_000 - ROOM_PACKETS_PER_SECOND),
    );
    expect(whole.share).toBeGreaterThanOrEqual(ROOM_SHARE_MIN);
    for (let count = 0; count < 60; count += 1) second();
    expect(rates).toEqual([...honest, 0, 20_000]);
  });

  test("that costs more than a burst at once loses peers at once", () => {
    const { rates, second } = room(400, 1_000_000, 900_000, 400);
    second();
    expect(rates).toEqual([400, 0, 0, 400]);
  });
});
