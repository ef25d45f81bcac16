import { type Arrival, LoadShedder } from "../../src/http/load-shedder";

/** When a node under too much load refuses what, in which order, and when it serves everybody again. */

const LIMITS = { OVERLOAD_DELAY_MS: 100, OVERLOAD_REQUESTS: 10 };

function shedder(limits: Partial<typeof LIMITS> = {}) {
  const made = new LoadShedder({ ...LIMITS, ...limits });
  const samples = (count: number, delayMs: number) => {
    for (let index = 0; index < count; index += 1) made.sample(delayMs);
  };
  /** How many of a hundred arrivals are refused. */
  const refused = (arrival: Arrival) => {
    let count = 0;
    for (let index = 0; index < 100; index += 1) count += made.refusal(arrival) > 0 ? 1 : 0;
    return count;
  };
  return { made, samples, refused };
}

describe("by the delay of the event loop", () => {
  it("refuses nobody for one long pause, or for a few", () => {
    const { samples, refused } = shedder();
    for (let round = 0; round < 10; round += 1) {
      samples(4, 60_000);
      samples(1, 0);
      expect([refused("anonymous"), refused("request")]).toEqual([0, 0]);
    }
  });

  it("refuses anonymous arrivals first, all of them, and only then requests with a token", () => {
    const { samples, refused } = shedder();
    samples(4, 150);
    let before = { anonymous: 0, request: 0 };
    for (let round = 0; round < 40; round += 1) {
      samples(1, 150);
      const now = { anonymous: refused("anonymous"), request: refused("request") };
      if (now.request > 0) expect(now.anonymous).toBe(100);
      expect(now.anonymous).toBeGreaterThanOrEqual(before.anonymous);
      expect(now.request).toBeGreaterThanOrEqual(before.request - 1);
      before = now;
    }
    expect(before).toEqual({ anonymous: 100, request: 100 });
  });

  it("refuses more at once the longer the delay is", () => {
    const [mild, bad] = [shedder(), shedder()];
    mild.samples(5, 110);
    bad.samples(5, 2_000);
    expect(bad.refused("anonymous")).toBeGreaterThan(mild.refused("anonymous"));
  });

  it("recovers in the opposite order, to nothing refused", () => {
    const { samples, refused } = shedder();
    samples(30, 1_000);
    let requestsServed = false;
    for (let round = 0; round < 40; round += 1) {
      samples(1, 0);
      const [anonymous, request] = [refused("anonymous"), refused("request")];
      if (request === 0) requestsServed = true;
      if (anonymous < 100) expect(requestsServed).toBe(true);
    }
    expect([refused("anonymous"), refused("request")]).toEqual([0, 0]);
  });

  it("spreads refusals evenly", () => {
    const { made, samples } = shedder();
    samples(5, 250);
    const answers = Array.from({ length: 40 }, () => made.refusal("anonymous") > 0);
    const runs = answers
      .join()
      .split("true")
      .map((text) => text.split("false").length);
    expect(Math.max(...runs)).toBeLessThanOrEqual(6);
  });

  it("never refuses where it is off", () => {
    const { samples, refused } = shedder({ OVERLOAD_DELAY_MS: 0 });
    samples(100, 60_000);
    expect([refused("anonymous"), refused("request")]).toEqual([0, 0]);
  });
});

describe("by requests in flight", () => {
  it("refuses anonymous arrivals at the limit, and requests at twice the limit", () => {
    const { made, refused } = shedder();
    for (let index = 0; index < 9; index += 1) made.started();
    expect([refused("anonymous"), refused("request")]).toEqual([0, 0]);
    made.started();
    expect([refused("anonymous"), refused("request")]).toEqual([100, 0]);
    for (let index = 0; index < 10; index += 1) made.started();
    expect([refused("anonymous"), refused("request")]).toEqual([100, 100]);
    for (let index = 0; index < 20; index += 1) made.finished();
    expect([refused("anonymous"), refused("request")]).toEqual([0, 0]);
  });

  it("never refuses where it is off", () => {
    const { made, refused } = shedder({ OVERLOAD_REQUESTS: 0 });
    for (let index = 0; index < 10_000; index += 1) made.started();
    expect([refused("anonymous"), refused("request")]).toEqual([0, 0]);
  });
});

it("asks clients to return after different times of some seconds", () => {
  const { made, samples } = shedder();
  samples(30, 1_000);
  const waits = Array.from({ length: 20 }, () => made.refusal("request"));
  expect(new Set(waits).size).toBeGreaterThan(3);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(10);
});
