import { once } from "node:events";
import { WebSocket } from "ws";
import { applicationToken } from "../support/client";
import { connectSocket, openSocket } from "../support/graphql-socket";
import { startNode, type TestNode } from "../support/node";

let node: TestNode;
/** A node that pages of one site alone may call. */
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

describe("a socket that breaks the protocol is closed with its code", () => {
  const CASES: Array<[what: string, messages: string[], code: number]> = [
    ["nothing that is JSON", ["nonsense"], 4400],
    ["a message of no type", ["{}"], 4400],
    ["an unknown type", ['{"type":"nothing"}'], 4400],
    ["a prototype for a type", ['{"type":"__proto__"}'], 4400],
    [
      "an operation before the introduction",
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
    ["two introductions", ['{"type":"connection_init"}', '{"type":"connection_init"}'], 4429],
    [
      "a payload that is none",
      ['{"type":"connection_init"}', '{"id":"1","type":"subscribe"}'],
      4400,
    ],
    [
      "a query that is none",
      ['{"type":"connection_init"}', '{"id":"1","type":"subscribe","payload":{"query":1}}'],
      4400,
    ],
    [
      "an id that is none",
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

  test("one id for two operations", async () => {
    const token = await applicationToken(node);
    const socket = await openSocket(node, token);
    const message = { id: "1", type: "subscribe", payload: { query: "{currentSession{id}}" } };
    socket.send(message);
    socket.send(message);
    expect((await socket.closed).code).toBe(4409);
  });

  test("prototypes for ids are ids like any other", async () => {
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
