import {
  type Connection,
  type ConnectionOptions,
  createUser,
  openConnection,
  SignalboxError,
  type TokenStorage,
} from "../../../client/src/index.ts";
import { FakeService } from "../../support/client-package/fake-service";

/** Whatever the service, a proxy or the platform does, what is thrown is a SignalboxError. */

const QUERY = "{ currentSession { userId } }";
let service: FakeService;
const open = new Set<Connection>();
beforeEach(() => {
  service = new FakeService();
});
afterEach(() => {
  for (const each of open) each.close();
});

function connect(options: Partial<ConnectionOptions> = {}): Connection {
  const connection = openConnection({ ...service.options(), ...options });
  open.add(connection);
  return connection;
}

async function errorOf(attempt: Promise<unknown>): Promise<SignalboxError> {
  const error = await attempt.then(
    () => null,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(SignalboxError);
  const { name, code, message, fields, requestId, retryAfter } = error as SignalboxError;
  expect([name, typeof code, typeof message, typeof fields]).toEqual([
    "SignalboxError",
    "string",
    "string",
    "object",
  ]);
  for (const reasons of Object.values(fields)) expect(reasons).toEqual([expect.any(String)]);
  expect(requestId === null || typeof requestId === "string").toBe(true);
  expect(retryAfter === null || Number.isFinite(retryAfter)).toBe(true);
  return error;
}

const ask = () => connect().query(QUERY);
const graphql = (...errors: unknown[]) => Response.json({ data: null, errors });

test.each<[string, () => Response, object]>([
  [
    "a page of a proxy",
    () =>
      new Response("<h1>Bad gateway</h1>", {
        status: 502,
        headers: { "x-request-id": "r1", "retry-after": "7" },
      }),
    { code: "UNAVAILABLE", requestId: "r1", retryAfter: 7 },
  ],
  ["a proxy that limits", () => new Response("slow", { status: 429 }), { code: "LIMITED" }],
  ["another page", () => new Response("<h1>Hello</h1>"), { code: "MALFORMED", retryAfter: null }],
  [
    "a limit",
    () => graphql({ message: "m", extensions: { code: "LIMITED", retryAfter: 3 } }),
    { code: "LIMITED", retryAfter: 3 },
  ],
  [
    "a masked error",
    () => graphql({ message: "Internal", extensions: { code: "INTERNAL", requestId: "r2" } }),
    { code: "INTERNAL", requestId: "r2" },
  ],
  [
    "an error of fields",
    () => graphql({ message: "m", extensions: { code: "INVALID", fields: { login: ["taken"] } } }),
    { code: "INVALID", fields: { login: ["taken"] } },
  ],
  ["no data", () => Response.json({ data: null }), { code: "INTERNAL" }],
  [
    "errors that are no list",
    () => Response.json({ errors: { base: ["x"] } }),
    { code: "INTERNAL" },
  ],
  ["an error that is none", () => graphql(null), { code: "INTERNAL" }],
  [
    "extensions of other types",
    () =>
      graphql({ message: 1, extensions: { code: 5, fields: "x", retryAfter: "1", requestId: 2 } }),
    { code: "INTERNAL", fields: {}, retryAfter: null, requestId: null },
  ],
  [
    "reasons of other types",
    () => graphql({ extensions: { code: "INVALID", fields: { a: "one", b: [1, "two"], c: {} } } }),
    { fields: { a: ["one"], b: ["two"] } },
  ],
  [
    "a wait without end",
    () => graphql({ extensions: { code: "LIMITED", retryAfter: 1e300 } }),
    { code: "LIMITED", retryAfter: 3_600 },
  ],
  ["a negative wait", () => graphql({ extensions: { retryAfter: -1 } }), { retryAfter: null }],
])("%s", async (_, answer, expected) => {
  service.answer = answer;
  expect(await errorOf(ask())).toMatchObject(expected);
});

test("a network that fails is NETWORK, with its cause", async () => {
  service.answer = () => Promise.reject(new TypeError("fetch failed"));
  const { code, cause } = await errorOf(ask());
  expect([code, (cause as Error).message]).toEqual(["NETWORK", "fetch failed"]);
});

test("what was aborted, before or during the request, is CLOSED", async () => {
  service.answer = () => new Promise(() => {});
  const { query, signals } = connect();
  const before = AbortSignal.abort();
  const during = new AbortController();
  setTimeout(() => during.abort());
  const send = (signal: AbortSignal) =>
    signals.send({ userId: 2 }, { hangUp: { callId: "c" } }, { signal });
  const attempts = [
    query(QUERY, {}, { signal: before }),
    query(QUERY, {}, { signal: during.signal }),
    send(before),
    send(during.signal),
  ];
  const errors = await Promise.all(attempts.map(errorOf));
  expect(errors.map(({ code }) => code)).toEqual(attempts.map(() => "CLOSED"));
  signals.close();
});

test("variables that are no JSON are INVALID", async () => {
  const { query } = connect();
  expect((await errorOf(query(QUERY, { id: 1n }))).code).toBe("INVALID");
});

test("a source of sessions that throws anything", async () => {
  const code = new SignalboxError("FORBIDDEN", "not here");
  const { query } = connect({ session: () => Promise.reject(code) });
  expect(await errorOf(query(QUERY))).toBe(code);
});

test("a storage that is not allowed keeps nothing, and the client works", async () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const storage: TokenStorage = { get: refuse, set: refuse, remove: () => {} };
  const { query, session } = connect({ storage });
  await query(QUERY);
  await session.end();
  expect((await errorOf(session.token())).code).toBe("UNAUTHENTICATED");
});

test("a client that was closed", async () => {
  const connection = connect();
  await connection.query(QUERY);
  connection.close();
  const attempts = [
    connection.query(QUERY),
    connection.session.current(),
    connection.session.logIn({ login: "a", password: "b" }),
    connection.signals.send({ userId: 1 }, { hangUp: { callId: "c" } }),
    createUser(connection.session, { login: "a", password: "b" }),
    connection.signals[Symbol.asyncIterator]().next(),
  ];
  const errors = await Promise.all(attempts.map(errorOf));
  expect(errors.map(({ code }) => code)).toEqual(attempts.map(() => "CLOSED"));
});
