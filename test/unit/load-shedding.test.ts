import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import {
  LoadShedder,
  registerLoadShedding,
  type TrafficClass,
} from "../../src/transports/http/load-shedding";
import { openServer } from "../../src/transports/http/server";
import { registerRestErrors, restServerOptions } from "../../src/transports/rest/error";

/** What an overloaded node sheds, in which order, and when it recovers. */

const LIMITS = { OVERLOAD_DELAY_MS: 100, OVERLOAD_REQUESTS: 10 };

function openShedder(limits: Partial<typeof LIMITS> = {}) {
  const shedder = new LoadShedder({ ...LIMITS, ...limits });
  const samples = (count: number, delayMs: number) => {
    for (let index = 0; index < count; index += 1) shedder.sample(delayMs);
  };
  /** How many of a hundred arrivals are shed. */
  const shedOf = (trafficClass: TrafficClass) => {
    let count = 0;
    for (let index = 0; index < 100; index += 1) count += shedder.shed(trafficClass) > 0 ? 1 : 0;
    return count;
  };
  return { shedder, samples, shedOf };
}

describe("by event-loop delay", () => {
  it("sheds nothing after a single long pause, or after a few", () => {
    const { samples, shedOf } = openShedder();
    for (let round = 0; round < 10; round += 1) {
      samples(4, 60_000);
      samples(1, 0);
      expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([0, 0]);
    }
  });

  it("sheds all anonymous arrivals before any request with a token", () => {
    const { samples, shedOf } = openShedder();
    samples(4, 150);
    let before = { anonymous: 0, with_token: 0 };
    for (let round = 0; round < 40; round += 1) {
      samples(1, 150);
      const now = { anonymous: shedOf("anonymous"), with_token: shedOf("with_token") };
      if (now.with_token > 0) expect(now.anonymous).toBe(100);
      expect(now.anonymous).toBeGreaterThanOrEqual(before.anonymous);
      expect(now.with_token).toBeGreaterThanOrEqual(before.with_token - 1);
      before = now;
    }
    expect(before).toEqual({ anonymous: 100, with_token: 100 });
  });

  it("sheds more for a longer delay", () => {
    const [mild, bad] = [openShedder(), openShedder()];
    mild.samples(5, 110);
    bad.samples(5, 2_000);
    expect(bad.shedOf("anonymous")).toBeGreaterThan(mild.shedOf("anonymous"));
  });

  it("recovers in the opposite order, until nothing is shed", () => {
    const { samples, shedOf } = openShedder();
    samples(30, 1_000);
    let requestsServed = false;
    for (let round = 0; round < 40; round += 1) {
      samples(1, 0);
      const [anonymous, request] = [shedOf("anonymous"), shedOf("with_token")];
      if (request === 0) requestsServed = true;
      if (anonymous < 100) expect(requestsServed).toBe(true);
    }
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([0, 0]);
  });

  it("spreads rejections evenly", () => {
    const { shedder, samples } = openShedder();
    samples(5, 250);
    const shedFlags = Array.from({ length: 40 }, () => shedder.shed("anonymous") > 0);
    const runs = shedFlags
      .join()
      .split("true")
      .map((text) => text.split("false").length);
    expect(Math.max(...runs)).toBeLessThanOrEqual(6);
  });

  it("sheds nothing if disabled", () => {
    const { samples, shedOf } = openShedder({ OVERLOAD_DELAY_MS: 0 });
    samples(100, 60_000);
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([0, 0]);
  });
});

describe("by in-flight requests", () => {
  it("sheds anonymous arrivals at the limit, and requests at twice the limit", () => {
    const { shedder, shedOf } = openShedder();
    for (let index = 0; index < 9; index += 1) shedder.requestStarted();
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([0, 0]);
    shedder.requestStarted();
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([100, 0]);
    for (let index = 0; index < 10; index += 1) shedder.requestStarted();
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([100, 100]);
    for (let index = 0; index < 20; index += 1) shedder.requestFinished();
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([0, 0]);
  });

  it("sheds nothing if disabled", () => {
    const { shedder, shedOf } = openShedder({ OVERLOAD_REQUESTS: 0 });
    for (let index = 0; index < 10_000; index += 1) shedder.requestStarted();
    expect([shedOf("anonymous"), shedOf("with_token")]).toEqual([0, 0]);
  });
});

it("varies Retry-After by some seconds", () => {
  const { shedder, samples } = openShedder();
  samples(30, 1_000);
  const waits = Array.from({ length: 20 }, () => shedder.shed("with_token"));
  expect(new Set(waits).size).toBeGreaterThan(3);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(10);
});

describe("routes", () => {
  const open = async (shedder: LoadShedder) => {
    const server = await openServer(readConfig({}), {
      log: openLog("silent"),
      countRequest: () => null,
      options: restServerOptions,
    });
    registerLoadShedding(server, shedder, openMetrics());
    registerRestErrors(server);
    return server;
  };

  it("that hold their requests until there is an answer are no work in progress", async () => {
    const server = await open(openShedder({ OVERLOAD_REQUESTS: 3 }).shedder);
    let release = () => {};
    const released = new Promise<string>((resolve) => {
      release = () => resolve("released");
    });
    server.get("/wait", { config: { counts: "request", waits: true } }, () => released);
    server.get("/work", { config: { counts: "request" } }, () => released);
    const statuses = async (path: string) => {
      const responses = Array.from({ length: 5 }, () => server.inject(path));
      // Each has been accepted or refused once another request is answered.
      await server.inject("/unknown");
      return responses;
    };
    const waiting = await statuses("/wait");
    const working = await statuses("/work");
    release();
    const codes = async (responses: Awaited<ReturnType<typeof statuses>>) =>
      (await Promise.all(responses)).map(({ statusCode }) => statusCode);
    expect(await codes(waiting)).toEqual(Array(5).fill(200));
    expect(new Set(await codes(working))).toEqual(new Set([200, 503]));
    await server.close();
  });

  it("whose requests carry a token elsewhere are shed last", async () => {
    const { shedder } = openShedder();
    for (let index = 0; index < 10; index += 1) shedder.requestStarted();
    const server = await open(shedder);
    server.get("/session", { config: { counts: "request", hasToken: true } }, () => "served");
    server.get("/open", { config: { counts: "request" } }, () => "served");
    const codesOf = async (path: string) => {
      const responses = await Promise.all(Array.from({ length: 5 }, () => server.inject(path)));
      return new Set(responses.map(({ statusCode }) => statusCode));
    };
    expect(await codesOf("/open")).toEqual(new Set([503]));
    expect(await codesOf("/session")).toEqual(new Set([200]));
    await server.close();
  });
});
