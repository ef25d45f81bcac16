import { openLog } from "../../src/core/log";
import { SessionEvents } from "../../src/domain/session-events/session-events";
import { openLocalBus } from "../../src/platform/bus/local";
import { reconnectDelay } from "../../src/platform/bus/redis-connection";

const log = openLog("silent");

test("a reconnect to Redis is delayed by up to a second, with jitter", () => {
  for (let attempt = 1; attempt < 40; attempt++) {
    const longest = Math.min(100 * 2 ** (attempt - 1), 1_000);
    const waits = Array.from({ length: 100 }, () => reconnectDelay(attempt));
    expect(Math.max(...waits)).toBeLessThanOrEqual(longest);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(longest / 2);
    expect(new Set(waits).size).toBeGreaterThan(10);
  }
});

test("a session that ends during an outage of the bus ends on its own node immediately, without waiting for the bus", async () => {
  const bus = openLocalBus({ now: () => 0 }, log);
  let fail = (_: Error) => {};
  const publish = () =>
    new Promise<void>((_, reject) => {
      fail = reject;
    });
  const away = Object.assign(Object.create(bus) as typeof bus, { publish });
  const sessionEvents = await SessionEvents.open(away, log);
  const closed: string[] = [];
  sessionEvents.track({ sessionId: 1, userId: 2, close: () => void closed.push("of the session") });
  sessionEvents.track({ sessionId: null, userId: 2, close: () => void closed.push("of the user") });
  expect(sessionEvents.publish({ kind: "session", sessionId: 1 })).toBeUndefined();
  expect(closed).toEqual(["of the session"]);
  sessionEvents.publish({ kind: "user", userId: 2 });
  expect(closed).toEqual(["of the session", "of the session", "of the user"]);
  // A failure of the asynchronous publish is only logged.
  fail(new Error("away"));
  await bus.close();
});
