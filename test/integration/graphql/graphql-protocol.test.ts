import { once } from "node:events";
import { WebSocket } from "ws";
import { connectSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken, newUser } from "../../support/rest-client";

let node: TestNode;
/** A node that allows a single web origin. */
let narrow: TestNode;
const HOME = "https://app.example.com";

beforeAll(async () => {
  node = await startNode();
  narrow = await startNode({ CORS_ORIGINS: HOME });
});
afterAll(async () => {
  await node.stop();
  await narrow.stop();
});

describe("the origin of a WebSocket", () => {
  const connect = async (url: string, protocol: string, origin: string | undefined) => {
    const socket = new WebSocket(url, protocol, { origin });
    const event = await once(socket, "open").then(
      () => "open",
      (error: unknown) => String(error),
    );
    socket.terminate();
    return event;
  };
  const CASES: Array<[origin: string | undefined, allowed: boolean]> = [
    [HOME, true],
    [undefined, true],
    ["https://evil.example", false],
    ["http://app.example.com", false],
    ["https://app.example.com.evil.example", false],
    ["https://app.example.com:444", false],
    ["https://APP.example.com/", false],
    ["null", false],
    ["*", false],
  ];
  test.each(CASES)("%s", async (origin, allowed) => {
    const graphqlUrl = narrow.graphqlUrl.replace(/^http/, "ws");
    const expected = allowed ? "open" : expect.stringContaining("403");
    expect(await connect(graphqlUrl, "graphql-transport-ws", origin)).toEqual(expected);
    expect(await connect(narrow.chatUrl, "xmpp", origin)).toEqual(expected);
    expect(
      await connect(node.graphqlUrl.replace(/^http/, "ws"), "graphql-transport-ws", origin),
    ).toBe("open");
  });
});

describe("the token of connection_init", () => {
  const WHO = "{ currentSession { userId } }";
  const whoIs = async (payload: object) => {
    const socket = await connectSocket(node);
    socket.send({ type: "connection_init", payload });
    const ack = await socket.next().catch(() => null);
    const result = ack && (await socket.run(WHO));
    const { code } = ack ? { code: null } : await socket.closed;
    socket.socket.terminate();
    return { result, code };
  };
  const FORMS: [what: string, payload: (token: string) => object][] = [
    ["token", (token) => ({ token })],
    ["Svc-Token", (token) => ({ "Svc-Token": token })],
    ["svc-token", (token) => ({ "svc-token": token })],
    ["Authorization", (token) => ({ Authorization: `Bearer ${token}` })],
    ["authorization", (token) => ({ authorization: `bearer ${token}` })],
    ["token before the others", (token) => ({ "Svc-Token": "other", token })],
    ["an empty token and another", (token) => ({ token: "", "Svc-Token": token })],
    [
      "Svc-Token before Authorization",
      (token) => ({ Authorization: "Bearer x", "Svc-Token": token }),
    ],
  ];
  test.each(FORMS)("is read from %s", async (_, payload) => {
    const user = await newUser(node);
    const { result } = await whoIs(payload(user.token));
    expect(result?.data).toEqual({ currentSession: { userId: String(user.id) } });
  });

  test.each(FORMS.slice(0, 5))("that is wrong closes the socket, in %s", async (_, payload) => {
    expect(await whoIs(payload("x".repeat(43)))).toEqual({ result: null, code: 4401 });
  });

  test.each([
    ["no Bearer", { Authorization: "Basic eDp5" }],
    ["another type", { "Svc-Token": 5, Authorization: ["Bearer x"], token: {} }],
    ["a name of Object.prototype", JSON.parse('{"__proto__": {"token": "x"}}')],
    ["many spaces", { Authorization: `Bearer${" ".repeat(50_000)}` }],
  ])("is none: %s", async (_, payload) => {
    const { result } = await whoIs(payload);
    expect(result?.errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
  });
});

describe("a socket that violates the protocol is closed with the right code", () => {
  const CASES: Array<[what: string, messages: string[], code: number]> = [
    ["invalid JSON", ["nonsense"], 4400],
    ["a message without a type", ["{}"], 4400],
    ["an unknown type", ['{"type":"nothing"}'], 4400],
    ["__proto__ as type", ['{"type":"__proto__"}'], 4400],
    [
      "an operation before connection_init",
      ['{"id":"1","type":"subscribe","payload":{"query":"{__typename}"}}'],
      4401,
    ],
    ...[
      { type: "connection_ack" },
      { id: "1", type: "next", payload: { data: null } },
      { id: "1", type: "error", payload: [{ message: "a" }] },
    ].map((message): [string, string[], number] => [
      `${message.type}, which only a server sends`,
      ['{"type":"connection_init"}', JSON.stringify(message)],
      4400,
    ]),
    [
      "two connection_init messages",
      ['{"type":"connection_init"}', '{"type":"connection_init"}'],
      4429,
    ],
    ["an invalid payload", ['{"type":"connection_init"}', '{"id":"1","type":"subscribe"}'], 4400],
    [
      "an invalid query",
      ['{"type":"connection_init"}', '{"id":"1","type":"subscribe","payload":{"query":1}}'],
      4400,
    ],
    [
      "an invalid id",
      [
        '{"type":"connection_init"}',
        '{"id":1,"type":"subscribe","payload":{"query":"{__typename}"}}',
      ],
      4400,
    ],
  ];
  test.each(CASES)("%s", async (_what, messages, code) => {
    const socket = await connectSocket(node);
    for (const message of messages) socket.send(message);
    const { code: closed, reason } = await socket.closed;
    expect([closed, reason]).toEqual([code, expect.not.stringMatching(/node_modules|\bat /)]);
  });

  test("two operations with one id", async () => {
    const token = await applicationToken(node);
    const socket = await openSocket(node, token);
    const message = { id: "1", type: "subscribe", payload: { query: "{currentSession{id}}" } };
    socket.send(message);
    socket.send(message);
    expect((await socket.closed).code).toBe(4409);
  });

  test("names of Object.prototype are ordinary ids", async () => {
    const socket = await openSocket(node);
    for (const id of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      socket.send({ id, type: "subscribe", payload: { query: "{__typename}" } });
      expect(await socket.next()).toEqual({
        id,
        type: "next",
        payload: { data: { __typename: "Query" } },
      });
      expect(await socket.next()).toEqual({ id, type: "complete" });
    }
    await socket.close();
  });
});
