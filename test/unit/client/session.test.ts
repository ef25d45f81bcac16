import { type Connection, openConnection, SignalboxError } from "../../../client/src/index.ts";
import { FakeService } from "../../support/client-package/fake-service";

/** The renewal of a session that expires, on a clock that the test moves. */

const MINUTE = 60_000;
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let service: FakeService;
let connection: Connection;
let ended: string[];
/** The number of times that the source was asked. */
let asked: number;
beforeEach(() => {
  jest.useFakeTimers();
  service = new FakeService();
  ended = [];
  asked = 0;
});
afterEach(() => {
  connection.close();
  jest.useRealTimers();
});

/** Opens a session "old", which expires after two hours. @param next gives the later ones */
async function open(next: () => string): Promise<void> {
  const expiresAt = new Date(Date.now() + 120 * MINUTE).toISOString();
  service.answer = () =>
    Response.json({
      data: { currentSession: { token: "old", userId: "1", expiresAt, user: null } },
    });
  connection = openConnection({
    ...service.options(),
    session() {
      asked += 1;
      return asked === 1 ? "old" : next();
    },
  });
  connection.session.on("ended", ({ code }) => ended.push(code));
  await connection.session.current();
}

test("a session whose early renewal fails serves on, and is renewed before it expires", async () => {
  let isAway = true;
  await open(() => {
    if (isAway) throw new TypeError("fetch failed");
    return "new";
  });
  await pass(110 * MINUTE);
  expect(asked).toBe(5);
  expect(await connection.session.token()).toBe("old");
  expect(asked).toBe(5);
  isAway = false;
  await pass(9.5 * MINUTE);
  expect([await connection.session.token(), ended]).toEqual(["new", []]);
});

test("a service that is away at the time of the renewal is asked again before the session expires", async () => {
  await open(() => "new");
  const { answer } = service;
  service.answer = () => new Response("", { status: 503 });
  await pass(110 * MINUTE);
  expect(await connection.session.token()).toBe("old");
  service.answer = answer;
  await pass(9.5 * MINUTE);
  expect(await connection.session.token()).toBe("new");
});

test("a source that refuses early ends the session only when that expires", async () => {
  await open(() => {
    throw new SignalboxError("UNAUTHENTICATED", "Nobody is signed in here");
  });
  await pass(115 * MINUTE);
  expect(asked).toBe(2);
  expect([await connection.session.token(), ended]).toEqual(["old", []]);
  service.answer = () =>
    Response.json({ errors: [{ message: "expired", extensions: { code: "UNAUTHENTICATED" } }] });
  await pass(6 * MINUTE);
  expect(ended).toEqual(["UNAUTHENTICATED"]);
});
