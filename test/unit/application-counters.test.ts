import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ERRORS } from "../../src/core/errors";
import {
  ApplicationCounters,
  ERROR_COUNTERS,
  EVENT_COUNTERS,
} from "../../src/core/statistics/application-counters";
import { bucketRange, toPeriodStatistics } from "../../src/domain/statistics/statistics";
import { MINUTE, MovingClock } from "../support/moving-clock";
import { readSchema } from "../support/sql-statements";

function counters(waitingMax?: number) {
  const clock = new MovingClock();
  clock.hold(true);
  clock.advance(MINUTE - (clock.now() % MINUTE));
  return { clock, counters: new ApplicationCounters(clock, waitingMax) };
}

describe("counts", () => {
  test("are by application and minute, and are taken once", () => {
    const { clock, counters: counted } = counters();
    const minute = clock.now();
    counted.count(1, "signUps");
    counted.count(1, "signUps", 2);
    counted.count(2, "calls");
    clock.advance(MINUTE - 1);
    counted.count(1, "signIns");
    clock.advance(1);
    counted.count(1, "signUps");
    expect(counted.take()).toEqual({
      counted: [
        { applicationId: 1, minute, counts: { signUps: 3, signIns: 1 } },
        { applicationId: 2, minute, counts: { calls: 1 } },
        { applicationId: 1, minute: minute + MINUTE, counts: { signUps: 1 } },
      ],
      dropped: 0,
    });
    expect(counted.take()).toEqual({ counted: [], dropped: 0 });
  });

  test("that could not be written are added to the new ones", () => {
    const { counters: counted } = counters();
    counted.count(1, "signUps");
    const { counted: taken } = counted.take();
    counted.count(1, "signUps");
    counted.restore(taken);
    expect(counted.take().counted).toMatchObject([{ applicationId: 1, counts: { signUps: 2 } }]);
  });

  test("beyond the maximum number of applications are dropped, and those of known ones are not", () => {
    const { counters: counted } = counters(2);
    for (const id of [1, 2, 3, 4]) counted.count(id, "requests");
    counted.count(1, "requests");
    const { counted: taken, dropped } = counted.take();
    expect(taken.map(({ applicationId, counts }) => [applicationId, counts.requests])).toEqual([
      [1, 2],
      [2, 1],
    ]);
    expect(dropped).toBe(2);
    counted.count(3, "requests");
    expect(counted.take()).toMatchObject({ counted: [{ applicationId: 3 }], dropped: 0 });
  });

  test("of errors are by the codes of the error table alone", () => {
    const { counters: counted } = counters();
    for (const code of Object.keys(ERRORS)) counted.countError(1, code);
    for (const code of ["made up", "__proto__", "toString", "signUps"]) counted.countError(1, code);
    const [entry] = counted.take().counted;
    const once = Object.keys(ERRORS).map((code) => [code, 1]);
    expect(entry?.counts).toEqual({ ...Object.fromEntries(once), INTERNAL: 5 });
  });
});

test("a socket counts until it is closed, and once", () => {
  const { counters: counted } = counters();
  const first = counted.socketOpened(1, "graphql");
  const second = counted.socketOpened(1, "xmpp");
  expect([...counted.sockets()]).toEqual([[1, { graphql: 1, xmpp: 1, janus: 0 }]]);
  first();
  first();
  expect([...counted.sockets()]).toEqual([[1, { graphql: 0, xmpp: 1, janus: 0 }]]);
  second();
  expect([...counted.sockets()]).toEqual([]);
  const again = counted.socketOpened(1, "janus");
  second();
  expect([...counted.sockets()]).toEqual([[1, { graphql: 0, xmpp: 0, janus: 1 }]]);
  again();
});

test("every counter has a column", () => {
  const schema = readSchema(readFileSync(resolve(__dirname, "../../prisma/schema.prisma"), "utf8"));
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  expect([...(schema.columns.get("application_statistics") ?? [])]).toEqual(
    expect.arrayContaining([
      ...EVENT_COUNTERS.map(snake),
      ...ERROR_COUNTERS.map((code) => `errors_${code.toLowerCase()}`),
    ]),
  );
});

describe("a period", () => {
  const now = Date.parse("2026-03-01T10:00:59.999Z");

  test.each([
    ["hour", "2026-03-01T09:01:00.000Z", "2026-03-01T10:00:00.000Z", 60],
    ["day", "2026-02-28T11:00:00.000Z", "2026-03-01T10:00:00.000Z", 24],
    ["month", "2026-01-31T00:00:00.000Z", "2026-03-01T00:00:00.000Z", 30],
  ] as const)("%s starts at %s, and its last bucket at %s", (period, first, last, buckets) => {
    const range = bucketRange(period, now);
    expect(range.map((at) => at.toISOString())).toEqual([first, last]);
    const { series, from } = toPeriodStatistics(period, range, []);
    expect(from.toISOString()).toBe(first);
    expect(series).toHaveLength(buckets);
    expect(series.at(-1)?.startsAt.toISOString()).toBe(last);
  });

  test("a minute begins a new bucket with its first millisecond", () => {
    expect(bucketRange("hour", now + 1)[1].toISOString()).toBe("2026-03-01T10:01:00.000Z");
  });
});
