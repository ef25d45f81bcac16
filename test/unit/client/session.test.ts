import {
  type Connection,
  openConnection,
  SignalboxError,
  sessionFromUrl,
} from "../../../client/src/index.ts";
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

describe("a backend's endpoint that refuses a session", () => {
  const refuse = (response: () => Response) => {
    connection = openConnection({
      ...service.options(),
      session: sessionFromUrl("/session"),
      fetch: async () => {
        asked += 1;
        return response();
      },
    });
    connection.session.on("ended", ({ code }) => ended.push(code));
    const failed = connection.session.token().then(
      () => null,
      (error: SignalboxError) => error,
    );
    // Longer than all retries.
    return pass(10 * MINUTE).then(() => failed);
  };

  test.each([
    [400, "INVALID"],
    [401, "UNAUTHENTICATED"],
    [403, "FORBIDDEN"],
    [409, "INVALID"],
    [422, "INVALID"],
  ])("with status %i ends the session at once, with its message", async (status, code) => {
    const error = await refuse(() => Response.json({ message: "The login is taken" }, { status }));
    expect(error).toMatchObject({ code, message: "The login is taken" });
    expect([asked, ended]).toEqual([1, [code]]);
  });

  test.each([
    [404, "UNAVAILABLE"],
    [429, "LIMITED"],
    [500, "UNAVAILABLE"],
    [503, "UNAVAILABLE"],
  ])("with status %i is asked again, and its message is that of the error", async (status, code) => {
    const error = await refuse(() => Response.json({ message: "Not now" }, { status }));
    expect(error).toMatchObject({ code, message: "Not now" });
    expect([asked, ended]).toEqual([4, []]);
  });

  test.each([
    ["a page", () => new Response("<h1>Bad gateway</h1>", { status: 422 })],
    ["another type", () => Response.json({ message: { text: "no" } }, { status: 422 })],
    ["null", () => Response.json(null, { status: 422 })],
    ["an empty message", () => Response.json({ message: "" }, { status: 422 })],
  ])("without a message (%s) is named with its status", async (_, response) => {
    const error = await refuse(response);
    expect(error?.message).toBe("/session refuses a session (status 422)");
  });

  test("is not trusted to be short", async () => {
    const error = await refuse(() =>
      Response.json({ message: "x".repeat(9_000) }, { status: 422 }),
    );
    expect(error?.message).toHaveLength(500);
  });
});
