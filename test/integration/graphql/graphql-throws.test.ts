import { once } from "node:events";
import { connect } from "node:net";
import { openLog } from "../../../src/core/log";
import { graphql } from "../../../tools/graphql/graphql-http";
import { connectSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { ANONYMOUS_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { HEAD, post, request, TYPE } from "../../support/rest/raw-http";
import { newUser, type TestUser } from "../../support/rest-client";

/**
 * Input that makes parsers, rules, scalars or compiled code throw: the client gets an error of
 * core/errors.ts, nothing is logged above `info`, and other requests and sockets continue.
 */

let node: TestNode;
/** A node that accepts documents of maximum length. */
let lenient: TestNode;
let user: TestUser;
/** Log lines above `info`, which clients must not cause. */
const complaints: string[] = [];

beforeAll(async () => {
  const log = openLog("warn", { write: (line) => void complaints.push(line) });
  node = await startNode({ LOG_LEVEL: "warn" }, { log });
  lenient = await startNode(
    { LOG_LEVEL: "warn", GRAPHQL_MAX_TOKENS: "100000", BODY_LIMIT: "4000000" },
    { log },
  );
  user = await newUser(node);
}, 60_000);
afterAll(async () => {
  await node.stop();
  await lenient.stop();
});
afterEach(() => expect(complaints.splice(0)).toEqual([]));

const port = () => Number(new URL(node.baseUrl).port);

describe("conditions on the root field of a subscription", () => {
  const DOCUMENTS = [
    "subscription ($c: Boolean!) { callSignals @include(if: $c) { id } }",
    "subscription ($c: Boolean!) { callSignals @skip(if: $c) { id } }",
    "subscription { callSignals @skip(if: true) { id } }",
    "subscription { callSignals @include(if: false) { id } }",
    "subscription ($c: Boolean!) { ... @skip(if: $c) { callSignals { id } } }",
    `subscription ($c: Boolean!) { ...f @skip(if: $c) } fragment f on Subscription { callSignals { id } }`,
    `subscription ($c: Boolean!) { ...f } fragment f on Subscription { callSignals @skip(if: $c) { id } }`,
    `subscription ($c: Boolean!) { ...f } fragment f on Subscription { ...f callSignals @skip(if: $c) { id } }`,
    `query a { __typename } subscription b($c: Boolean!) { callSignals @skip(if: $c) { id } }`,
  ];

  test.each(DOCUMENTS)("%s", async (query) => {
    const beside = await openSocket(node, user.token);
    const signalsOf = await beside.listen("s", user.id);
    for (const run of Object.values(ANONYMOUS_PROTOCOLS)) {
      const { data, errors } = await run(node, query, { c: true });
      expect([data ?? null, errors?.[0].extensions.code]).toEqual([null, "MALFORMED"]);
    }
    const { errors } = await beside.run(query, { c: true });
    expect(errors?.[0].extensions.code).toBe("MALFORMED");
    // Other operations on the same socket continue.
    const SEND = "mutation ($i: SendSignalInput!) { sendSignal(input: $i) { id } }";
    const input = { to: { userId: user.id }, signal: { update: { callId: "after" } } };
    expect((await beside.run(SEND, { i: input })).errors).toBeUndefined();
    await eventually(signalsOf, (signals) => signals.some(({ callId }) => callId === "after"));
    await beside.close();
  });

  test("are allowed below the root", async () => {
    const socket = await openSocket(node, user.token);
    await socket.listen("s", user.id, "sdp @include(if: false) platform @skip(if: true)");
    await socket.close();
  });
});

describe("excessive nesting", () => {
  const closed = (open: string, inside: string, close: string, levels: number) =>
    `${open.repeat(levels)}${inside}${close.repeat(levels)}`;
  /** Generators of nested documents, by depth. */
  const DEEP: Record<string, (levels: number) => string> = {
    fields: (n) => closed("{a", "", "}", n),
    "fields that never close": (n) => "{a".repeat(n),
    "inline fragments": (n) => `{${closed("...{", "__typename", "}", n)}}`,
    "lists in an argument": (n) => `{call(callId:${closed("[", "", "]", n)}){id}}`,
    "lists that never close": (n) => `{call(callId:${"[".repeat(n)}`,
    "objects in an argument": (n) => `{call(callId:${closed("{a:", "1", "}", n)}){id}}`,
    "lists in a free value": (n) =>
      `mutation{sendSignal(input:{to:{userId:1},signal:{other:{signalType:"x",userInfo:{a:${closed("[", "", "]", n)}}}}}){id}}`,
    "objects in a free value": (n) =>
      `mutation{sendSignal(input:{to:{userId:1},signal:{other:{signalType:"x",userInfo:${closed("{a:", "{}", "}", n)}}}}){id}}`,
    "the type of a variable": (n) => `query($v:${closed("[", "Int", "]", n)}){__typename}`,
    "the type of a variable in a free value": (n) =>
      `mutation($v:${closed("[", "Int", "]", n)}){sendSignal(input:{to:{userId:1},signal:{other:{signalType:"x",userInfo:{a:$v}}}}){id}}`,
    "fragments in fragments": (n) =>
      `{...f0} ${Array.from({ length: n }, (_, i) => `fragment f${i} on Query{...f${i + 1}}`).join("")} fragment f${n} on Query{__typename}`,
    "arguments of directives": (n) => `{__typename @skip(if:${closed("[", "", "]", n)})}`,
    "default values": (n) => `query($v:Int=${closed("[", "", "]", n)}){__typename}`,
  };

  test.each(Object.entries(DEEP))("%s", async (_what, make) => {
    const socket = await openSocket(lenient);
    // As deep as the token limit allows, and deeper than the parser's recursion.
    for (const levels of [100, 600, 3_000, 12_000, 24_000]) {
      const query = make(levels);
      const answers = [await graphql(lenient, query), await socket.run(query)];
      for (const { errors, data } of answers) {
        if (errors === undefined) expect(data).toEqual({ __typename: "Query" });
        else expect(errors[0].extensions.code).toMatch(/^(TOO_LARGE|MALFORMED|UNAUTHENTICATED)$/);
      }
    }
    expect((await socket.run("{ __typename }")).data).toEqual({ __typename: "Query" });
    await socket.close();
  });

  test("a variable of nested lists is never compiled", async () => {
    const query = (DEEP["the type of a variable in a free value"] as (n: number) => string)(40);
    for (let turn = 0; turn < 5; turn += 1) {
      const { errors } = await graphql(node, query, { v: null }, user.token);
      expect(errors?.[0].extensions.code ?? "OK").toMatch(/^(OK|INVALID)$/);
    }
  });

  test("a very deeply nested message on a socket", async () => {
    const deep = `${"[".repeat(60_000)}${"]".repeat(60_000)}`;
    const socket = await connectSocket(node);
    socket.send(`{"type":"connection_init","payload":{"a":${deep}}}`);
    expect((await socket.next()).type).toBe("connection_ack");
    socket.send(`{"type":"ping","payload":{"a":${deep}}}`);
    expect(await socket.next()).toEqual({ type: "pong" });
    socket.send('{"type":"ping","payload":{"a":[1]}}');
    expect(await socket.next()).toEqual({ type: "pong", payload: { a: [1] } });
    const payload = `{"query":"{ __typename }","variables":{"a":${deep}},"extensions":{"a":${deep}}}`;
    socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
    expect((await socket.next()).payload.errors[0].extensions.code).toBe("INVALID");
    await socket.close();
  });
});

describe("a nullable variable in a non-null position", () => {
  const CASES: Array<[query: string, variables: object]> = [
    [`query ($s: ID = "x") { call(callId: $s) { id } }`, { s: null }],
    [
      `query ($s: String = "x") { users(filter: { login: { eq: $s } }) @include(if: true) { totalCount } }`,
      { s: null },
    ],
    [`query ($b: Boolean = true) { currentSession { id @include(if: $b) } }`, { b: null }],
    [`query ($b: Boolean = true) { currentSession @skip(if: $b) { id } }`, { b: null }],
    [
      `mutation ($s: String = "x") { sendSignal(input: { to: { userId: 1 }, signal: { other: { signalType: $s } } }) { id } }`,
      { s: null },
    ],
  ];
  test.each(CASES)("%s", async (query, variables) => {
    const socket = await openSocket(node, user.token);
    // Interpreted at first, then compiled if possible.
    for (let turn = 0; turn < 5; turn += 1) {
      for (const answer of [
        await graphql(node, query, { ...variables }, user.token),
        await socket.run(query, { ...variables }),
      ]) {
        expect(answer.errors?.[0].extensions.code ?? "OK").toMatch(/^(OK|INVALID|MALFORMED)$/);
        if (answer.errors) expect(answer.errors[0].message).not.toMatch(/\bat |\$s|null\b.*\}/);
      }
    }
    await socket.close();
  });

  test("every invalid variable is reported, up to fifty", async () => {
    const mutation =
      'mutation ($ids: [ID!]!) { sendSignal(input: { to: { userId: 1 }, signal: { other: { signalType: "x", opponentIds: $ids } } }) { id } }';
    for (let turn = 0; turn < 5; turn += 1) {
      const { errors } = await graphql(
        node,
        mutation,
        { ids: Array(20_000).fill(null) },
        user.token,
      );
      expect(errors?.[0].extensions.code).toBe("INVALID");
      expect(errors?.length).toBeLessThanOrEqual(51);
    }
  });
});

describe("invalid Host headers", () => {
  const BODY = '{"query":"{ __typename }"}';
  const HOSTS: Array<[what: string, version: string, host: string]> = [
    ["none, with HTTP/1.0", "1.0", ""],
    ["an empty one", "1.1", "Host:\r\n"],
    ["an empty one, with HTTP/1.0", "1.0", "Host: \r\n"],
    ["a broken bracket", "1.1", "Host: [\r\n"],
    ["an invalid port", "1.1", "Host: x:99999999\r\n"],
    ["a space", "1.1", "Host: a b\r\n"],
    ["a URL in the Host header", "1.1", "Host: http://[x]/\r\n"],
    ["a percent", "1.1", "Host: %\r\n"],
  ];
  test.each(HOSTS)("%s", async (_what, version, host) => {
    const rest = `Connection: close\r\nApollo-Require-Preflight: 1\r\n`;
    const get = `GET /graphql?query=%7B__typename%7D HTTP/${version}\r\n${host}${rest}\r\n`;
    const posted = `POST /graphql HTTP/${version}\r\n${host}${rest}${TYPE}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
    for (const bytes of [get, posted]) {
      const answer = await request(bytes, port());
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('{"data":{"__typename":"Query"}}');
    }
  });

  test("an absolute URL without a host", async () => {
    const bytes = `GET http://[/graphql?query=%7B__typename%7D HTTP/1.1\r\n${HEAD}Apollo-Require-Preflight: 1\r\n\r\n`;
    expect(await request(bytes, port())).toMatch(/^HTTP\/1\.1 (200|400|404) /);
  });
});

describe("a connection that is closed while its request is pending", () => {
  const BODIES: Array<[path: string, body: string]> = [
    ["/graphql", '{"query":"{ currentSession { id } }"}'],
    ["/login", '{"login":"x","password":"y"}'],
    ["/session", "{}"],
  ];
  test.each(BODIES)("%s", async (path, body) => {
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = connect(port(), "127.0.0.1");
      await once(socket, "connect");
      const framing = `${TYPE}Content-Length: ${body.length}\r\n`;
      socket.write(post(path, framing, body).repeat(3), () => socket.resetAndDestroy());
      await once(socket, "close");
    }
    expect((await graphql(node, "{ __typename }")).status).toBe(200);
  });
});
