import {
  type MemberConnection,
  type MemberConnectionOptions,
  openMemberConnection,
  SignalboxError,
} from "../../../client/src/admin/index.ts";
import { FakeService } from "../../support/client-package/fake-service";

/** The connection of an account's member, whose source of tokens is somebody who types. */

let service: FakeService;
let connection: MemberConnection;
/** Tokens that the service accepts. */
let valid: Set<string>;
/** The token of each request. */
let sent: (string | null)[];
/** Refused tokens with which the source was asked, and what answers it. */
let asked: (string | null)[];
let typed: (token: string) => void;
let leave: (reason: Error) => void;
beforeEach(() => {
  jest.useFakeTimers();
  service = new FakeService();
  [valid, sent, asked] = [new Set(["new"]), [], []];
  service.answer = (query, token = null) => {
    sent.push(token);
    const isPublic = query.includes("signIn");
    if (query.includes("changePassword")) return failed("the old password is wrong");
    if (!isPublic && !valid.has(token ?? "")) return failed("Required session does not exist");
    return Response.json({ data: { account: { id: "1" } } });
  };
});
afterEach(async () => {
  connection.close();
  await pass(1_000);
  const left = jest.getTimerCount();
  jest.useRealTimers();
  expect(left).toBe(0);
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const failed = (message: string) =>
  Response.json({ errors: [{ message, extensions: { code: "UNAUTHENTICATED" } }] });
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    ({ code }: SignalboxError) => code,
  );

function open(options: Partial<MemberConnectionOptions> = {}): void {
  const { url, fetch, WebSocket } = service.options();
  connection = openMemberConnection({
    url,
    fetch,
    WebSocket,
    source: (refused) => {
      asked.push(refused);
      return new Promise((resolve, reject) => {
        [typed, leave] = [resolve, reject];
      });
    },
    ...options,
  } as MemberConnectionOptions);
}

const QUERY = "query Some { account { id } }";

test("nothing is sent before it is used, and a first token is used as it is", async () => {
  valid.add("first");
  open({ token: "first" });
  await pass(1_000);
  expect([sent, asked]).toEqual([[], []]);
  expect(await connection.query(QUERY)).toEqual({ account: { id: "1" } });
  expect([sent, asked]).toEqual([["first"], []]);
});

test("requests wait for one sign-in after a refusal, and then continue", async () => {
  open({ token: "old" });
  const answers = [connection.query(QUERY), connection.query(QUERY), connection.query(QUERY)];
  await pass(60_000);
  expect(asked).toEqual(["old"]);
  const before = sent.length;
  const late = connection.query(QUERY);
  await pass(60_000);
  expect(sent).toHaveLength(before);
  typed("new");
  expect(await Promise.all([...answers, late])).toHaveLength(4);
  expect(sent.slice(before)).toEqual(["new", "new", "new", "new"]);
  expect(asked).toHaveLength(1);
});

test("a wrong password is no refusal of the token", async () => {
  open({ token: "new" });
  expect(await codeOf(connection.query("mutation { changePassword }"))).toBe("UNAUTHENTICATED");
  expect(asked).toEqual([]);
});

test("an operation without a token sends none, also while a sign-in is awaited", async () => {
  open({ token: "old" });
  const waiting = codeOf(connection.query(QUERY));
  await pass(10);
  await connection.queryWithoutToken("mutation { signIn }");
  expect(sent.at(-1)).toBeNull();
  connection.close();
  expect(await waiting).toBe("CLOSED");
});

test("a source that gives up ends the connection with its reason", async () => {
  open();
  const waiting = connection.query(QUERY).catch((error) => error);
  await pass(10);
  expect(asked).toEqual([null]);
  leave(new SignalboxError("UNAUTHENTICATED", "Signed out"));
  expect(await waiting).toMatchObject({ code: "UNAUTHENTICATED", message: "Signed out" });
  expect(await codeOf(connection.query(QUERY))).toBe("UNAUTHENTICATED");
  expect([sent, asked]).toEqual([[], [null]]);
});

test("closing aborts what runs", async () => {
  service.answer = () => new Promise(() => {});
  open({ token: "new" });
  const running = codeOf(connection.query(QUERY));
  await pass(10);
  connection.close();
  expect(await running).toBe("CLOSED");
});

test("what begins in the turn in which it is closed ends as what runs", async () => {
  open({ token: "new" });
  const running = codeOf(connection.query(QUERY));
  connection.close();
  expect(await running).toBe("CLOSED");
});

test("a request is given up after 30 seconds, and one with a time of its own after that", async () => {
  service.answer = () => new Promise(() => {});
  open({ token: "new" });
  const codes: (string | null)[] = [];
  const watch = (attempt: Promise<unknown>) =>
    void codeOf(attempt).then((code) => codes.push(code));
  watch(connection.query(QUERY));
  watch(connection.query("mutation { deleteApplication }", {}, { timeoutMs: 60_000 }));
  await pass(30_000);
  expect(codes).toEqual(["NETWORK"]);
  await pass(29_999);
  expect(codes).toHaveLength(1);
  await pass(1);
  expect(codes).toEqual(["NETWORK", "NETWORK"]);
});

test("a subscription whose token the service refuses comes back after the sign-in", async () => {
  service.refused.add("old");
  open({ token: "old" });
  const seen: unknown[] = [];
  const stop = connection.subscribe(
    "subscription Some { callSignals { callId } }",
    {},
    {
      next: (result) => seen.push(result),
    },
  );
  await pass(60_000);
  expect(asked).toEqual(["old"]);
  expect(connection.status).toBe("offline");
  const attempts = service.sockets.length;
  await pass(60_000);
  expect(service.sockets).toHaveLength(attempts);
  typed("new");
  await pass(30_000);
  expect(connection.status).toBe("online");
  service.sockets.at(-1)?.next({ data: { callSignals: { callId: "c" } } });
  await pass(10);
  expect(seen).toEqual([{ callSignals: { callId: "c" } }]);
  stop();
});

test("a subscription that the service refuses for a while says so until it is tried again", async () => {
  open({ token: "new" });
  const waits: (string | undefined)[] = [];
  const stop = connection.subscribe(
    "subscription Some { callSignals { callId } }",
    {},
    { next: () => undefined, waiting: (reason) => waits.push(reason?.code) },
  );
  await pass(10);
  const refuse = () => {
    const socket = service.sockets.at(-1);
    const { id } = socket?.received.findLast(({ type }) => type === "subscribe") ?? {};
    const error = { message: "Busy", extensions: { code: "LIMITED", retryAfter: 60 } };
    socket?.deliver({ type: "error", id, payload: [error] });
  };
  refuse();
  await pass(10);
  expect(waits).toEqual(["LIMITED"]);
  await pass(60_000);
  expect(waits).toEqual(["LIMITED", undefined]);
  refuse();
  await pass(10);
  expect(waits).toEqual(["LIMITED", undefined, "LIMITED"]);
  stop();
  await pass(10);
  expect(waits).toHaveLength(3);
});

test("a connection that is open moves to the new token", async () => {
  valid.add("first");
  open({ token: "first" });
  const statuses: string[] = [];
  connection.onStatus((status) => statuses.push(status));
  const stop = connection.subscribe(
    "subscription Some { callSignals { callId } }",
    {},
    {
      next: () => undefined,
    },
  );
  await pass(10);
  expect(connection.status).toBe("online");
  // The service has ended the session: a request finds out first.
  valid.delete("first");
  const request = connection.query(QUERY);
  await pass(10);
  typed("new");
  await request;
  // The member's token cannot be renewed on the socket, which therefore opens again.
  const [socket] = service.sockets;
  const renewal = socket?.received.find((each) => JSON.stringify(each).includes("renewSocket"));
  socket?.deliver({ type: "error", id: renewal?.id, payload: [{ message: "no" }] });
  await pass(30_000);
  expect(service.sockets).toHaveLength(2);
  expect(service.sockets[1]?.received[0]?.payload).toEqual({ token: "new" });
  expect(connection.status).toBe("online");
  stop();
});
