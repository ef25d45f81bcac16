import { type Connection, openConnection, SignalboxError } from "../../../client/src/index.ts";
import { FakeService } from "../../support/client-package/fake-service";

/** The one WebSocket of a client, on a clock that the test moves. */

const SECOND = 1_000;
let service: FakeService;
let connection: Connection;
let seen: string[];
let ended: SignalboxError | null;
beforeEach(() => {
  jest.useFakeTimers();
  service = new FakeService();
  seen = [];
  ended = null;
});
afterEach(async () => {
  connection.close();
  await pass(SECOND);
  const left = jest.getTimerCount();
  jest.useRealTimers();
  expect(left).toBe(0);
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

async function open(options = {}): Promise<void> {
  connection = openConnection({ ...service.options(), ...options });
  connection.signals.on("status", (status) => seen.push(status));
  connection.signals.on("ended", (reason) => {
    ended = reason;
  });
  connection.signals.on("signal", ({ callId }) => seen.push(`signal ${callId}`));
  connection.signals.on("missed", () => seen.push("missed"));
  await pass(10);
}

const signal = (cursor: string) => ({
  data: { callSignals: { cursor, callId: cursor, from: { userId: "2", device: null } } },
});

const subscriptions = (index: number) =>
  (service.sockets[index]?.received ?? [])
    .filter(
      ({ type, payload }) => type === "subscribe" && `${payload?.query}`.includes("callSignals"),
    )
    .map(({ payload }) => payload?.variables);

test("each attempt that fails is one attempt, and the next waits twice as long, up to fifteen seconds", async () => {
  service.accepts = "none";
  await open();
  const times: number[] = [];
  for (let at = 0; at < 60 * SECOND; at += 100) {
    while (times.length < service.sockets.length) times.push(at);
    await pass(100);
  }
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const longest = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
  waits.forEach((wait, index) => {
    const most = longest[index] ?? 15_000;
    // Half of a wait is random; times are taken every 100 ms.
    expect(wait).toBeGreaterThanOrEqual(most / 2 - 100);
    expect(wait).toBeLessThanOrEqual(most + 100);
  });
  expect(waits.length).toBeGreaterThanOrEqual(7);
  service.accepts = "all";
  await pass(15 * SECOND);
  expect(connection.signals.status).toBe("online");
});

test("senders that wait make no attempts of their own", async () => {
  service.accepts = "none";
  await open();
  const sending = Array.from({ length: 20 }, () =>
    connection.signals.send({ userId: 2 }, { hangUp: { callId: "c" } }).catch((error) => error),
  );
  await pass(30 * SECOND);
  expect(service.sockets.length).toBeLessThanOrEqual(10);
  connection.close();
  const codes = (await Promise.all(sending)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(["CLOSED"]));
});

test("a lost connection comes back behind the last signal, and a repeated one is reported once", async () => {
  await open();
  const [first] = service.sockets;
  first?.next(signal("a"));
  await pass(10);
  first?.end(1012);
  await pass(SECOND);
  service.sockets[1]?.next(signal("a"));
  service.sockets[1]?.next(signal("b"));
  await pass(10);
  expect(seen).toEqual([
    ...["connecting", "online", "signal a", "offline", "connecting", "online", "signal b"],
  ]);
  expect([subscriptions(0), subscriptions(1)]).toEqual([
    [{ after: null, allowGap: false }],
    [{ after: "a", allowGap: false }],
  ]);
});

test("a connection that was lost before any signal may have missed some, and says so once it is back", async () => {
  await open();
  service.accepts = "none";
  service.sockets[0]?.end(1006);
  await pass(SECOND);
  expect(seen).not.toContain("missed");
  service.accepts = "all";
  await pass(15 * SECOND);
  expect(seen.slice(-2)).toEqual(["online", "missed"]);
  expect(seen.filter((each) => each === "missed")).toHaveLength(1);
});

test("an entry that cannot be delivered is reported as missed with the next one", async () => {
  await open();
  service.sockets[0]?.next({ errors: [{ message: "masked", extensions: { code: "INTERNAL" } }] });
  service.sockets[0]?.next(signal("b"));
  await pass(10);
  expect(seen.slice(2)).toEqual(["missed", "signal b"]);
});

/** Opens a connection that is lost after a signal, and comes back. */
async function loseAfterSignal(): Promise<void> {
  await open();
  service.sockets[0]?.next(signal("a"));
  await pass(10);
  service.sockets[0]?.end(1012);
  await pass(SECOND);
}

/** Refuses the last subscription to signals because of its cursor. */
async function refuseCursor(): Promise<void> {
  const id = service.sockets[1]?.received.findLast((each) =>
    JSON.stringify(each).includes("callSignals"),
  )?.id;
  const extensions = { code: "INVALID", fields: { after: ["is gone"] } };
  service.sockets[1]?.deliver({ type: "error", id, payload: [{ message: "gone", extensions }] });
  await pass(SECOND);
}

test("a cursor that has expired receives what is left, and reports once what may be missing", async () => {
  await loseAfterSignal();
  await refuseCursor();
  expect(subscriptions(1)).toEqual([
    { after: "a", allowGap: false },
    { after: "a", allowGap: true },
  ]);
  expect(seen.at(-1)).toBe("missed");
  const { data } = signal("b");
  service.sockets[1]?.next({ data: { callSignals: { ...data.callSignals, mayHaveMissed: true } } });
  await pass(10);
  expect(seen.slice(-2)).toEqual(["missed", "signal b"]);
  expect(seen.filter((each) => each === "missed")).toHaveLength(1);
});

test("a cursor that is refused twice is given up", async () => {
  await loseAfterSignal();
  await refuseCursor();
  await refuseCursor();
  expect(subscriptions(1).at(-1)).toEqual({ after: null, allowGap: false });
});

test("a proxy that closes as if nothing was open is not called again at once", async () => {
  await open();
  for (let turn = 0; turn < 3; turn += 1) {
    service.sockets.at(-1)?.end(1000);
    await pass(100);
    expect(service.sockets).toHaveLength(turn + 1);
    await pass(SECOND);
    expect(service.sockets).toHaveLength(turn + 2);
  }
  expect(connection.signals.status).toBe("online");
});

test("a socket that does not open is given up after ten seconds", async () => {
  service.accepts = "silence";
  await open();
  await pass(9 * SECOND);
  expect(service.sockets).toHaveLength(1);
  service.accepts = "all";
  await pass(2 * SECOND);
  expect([service.sockets.length, connection.signals.status]).toEqual([2, "online"]);
});

test("a connection without pongs is dead", async () => {
  await open();
  const [socket] = service.sockets;
  await pass(25 * SECOND);
  expect(service.sockets).toHaveLength(1);
  Object.assign(socket ?? {}, { deliver: () => {} });
  await pass(16 * SECOND);
  expect(service.sockets).toHaveLength(2);
});

test.each([
  [4403, "FORBIDDEN"],
  [4400, "MALFORMED"],
])("after close code %d there is no other attempt", async (code, expected) => {
  await open();
  service.sockets[0]?.end(code);
  await pass(60 * SECOND);
  expect([service.sockets.length, ended?.code, connection.signals.status]).toEqual([
    1,
    expected,
    "ended",
  ]);
});

test("a service that refuses every token ends the connection after three more", async () => {
  await open();
  for (let turn = 0; turn < 8; turn += 1) {
    const socket = service.sockets.at(-1);
    if (socket && socket.readyState === 1) socket.send = () => socket.end(4401);
    service.sockets.at(-1)?.end(4401);
    await pass(10 * SECOND);
  }
  expect(service.sockets.length).toBeLessThanOrEqual(10);
});

const unauthenticated = { message: "no session", extensions: { code: "UNAUTHENTICATED" } };

test("a refused token is not tried again while the service cannot say whether it is valid", async () => {
  let given = 0;
  await open({
    session() {
      given += 1;
      return given === 1 ? "old" : "new";
    },
  });
  const { answer } = service;
  service.refused.add("old");
  service.answer = () => new Response("", { status: 503 });
  service.sockets[0]?.end(4401);
  await pass(60 * SECOND);
  expect([service.sockets.length, connection.signals.status, ended]).toEqual([1, "offline", null]);
  service.answer = (query) =>
    given === 1 ? Response.json({ errors: [unauthenticated] }) : answer(query);
  await pass(20 * SECOND);
  expect([given, service.sockets.length, connection.signals.status]).toEqual([2, 2, "online"]);
  expect(service.sockets[1]?.received[0]?.payload).toEqual({ token: "new" });
});

/** Subscribes without the signals. */
async function watch(next: (result: unknown) => void = () => {}) {
  const errors: string[] = [];
  connection = openConnection(service.options());
  connection.subscribe(
    "subscription { callSignals { cursor } }",
    {},
    {
      next,
      error: ({ code }) => errors.push(code),
    },
  );
  await pass(10);
  return errors;
}

test("an exception of a subscription's sink is reported, and the connection goes on", async () => {
  const problem = new Error("of the application");
  const results: unknown[] = [];
  await watch((result) => {
    results.push(result);
    throw problem;
  });
  const queued: (() => void)[] = [];
  const spy = jest
    .spyOn(globalThis, "queueMicrotask")
    .mockImplementation((each) => void queued.push(each));
  try {
    service.sockets[0]?.next(signal("a"));
    service.sockets[0]?.next(signal("b"));
    await pass(SECOND);
  } finally {
    spy.mockRestore();
  }
  expect([results.length, service.sockets.length]).toEqual([2, 1]);
  expect(queued).toHaveLength(2);
  for (const each of queued) expect(each).toThrow(problem);
});

test.each([
  ["right after another failure", "UNAVAILABLE", 0],
  ["an hour after the last one", "UNAUTHENTICATED", 3_600 * SECOND],
])("a subscription whose session is refused %s is made again", async (_when, code, wait) => {
  const errors = await watch();
  const fail = async (extensions: object) => {
    const socket = service.sockets.at(-1);
    const { id } = socket?.received.findLast(({ type }) => type === "subscribe") ?? {};
    socket?.deliver({ type: "error", id, payload: [{ message: "failed", extensions }] });
    await pass(SECOND);
  };
  await fail({ code });
  await pass(wait);
  await fail(unauthenticated.extensions);
  await pass(SECOND);
  expect(errors).toEqual([]);
  const subscribed = service.sockets.flatMap(({ received }) =>
    received.filter(({ type }) => type === "subscribe"),
  );
  expect(subscribed).toHaveLength(3);
});

test("what a browser forbids is UNSUPPORTED, and tried once", async () => {
  let tries = 0;
  class Forbidding {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    constructor() {
      tries += 1;
      throw new DOMException("insecure", "SecurityError");
    }
  }
  await open({ WebSocket: Forbidding });
  await pass(60 * SECOND);
  expect([tries, ended?.code]).toEqual([1, "UNSUPPORTED"]);
});

test("a platform without WebSockets can still ask, and learns of it with the first signal", async () => {
  const { WebSocket } = globalThis;
  Reflect.deleteProperty(globalThis, "WebSocket");
  try {
    await open({ WebSocket: undefined });
    await connection.query("{ currentSession { userId } }");
    expect(ended?.code).toBe("UNSUPPORTED");
  } finally {
    if (WebSocket) Object.assign(globalThis, { WebSocket });
  }
});

test("several readers of one loop each get another entry, and all end", async () => {
  await open();
  const loop = connection.signals[Symbol.asyncIterator]();
  const reading = [loop.next(), loop.next(), loop.next()];
  service.sockets[0]?.next(signal("a"));
  service.sockets[0]?.next(signal("b"));
  await pass(10);
  connection.close();
  const entries = await Promise.all(reading);
  expect(entries.map(({ value, done }) => [done, value?.signal?.callId])).toEqual([
    [false, "a"],
    [false, "b"],
    [true, undefined],
  ]);
});

test("a loop that does not read loses the oldest entries, and is told", async () => {
  await open();
  const loop = connection.signals[Symbol.asyncIterator]();
  for (let index = 0; index < 1_001; index += 1) service.sockets[0]?.next(signal(`c${index}`));
  await pass(10);
  const { value } = await loop.next();
  expect([value.type, (await loop.next()).value.signal.callId]).toEqual(["missed", "c2"]);
  await loop.return?.();
  expect((await loop.next()).done).toBe(true);
});

test("a client of a URL that is none is refused at once, by the field", () => {
  for (const url of ["", "api.example", "ws://api.example", "https://api.example/?a=1"]) {
    let problem: unknown;
    try {
      openConnection({ url, session: () => "t" });
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(SignalboxError);
    expect(problem).toMatchObject({ code: "INVALID", fields: { url: [expect.any(String)] } });
  }
});
