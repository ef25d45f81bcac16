import { once } from "node:events";
import { WebSocket } from "ws";
import {
  SOCKET_PROTOCOLS,
  type SocketProtocol,
} from "../../../src/core/statistics/application-counters";
import type { LinkGuestViewer, ViewerKind } from "../../../src/core/viewer";
import { SOCKETS_PER_VIEWER } from "../../../src/platform/limits/open-sockets";
import { createConference, mutate } from "../../../tools/conferences/graphql-participant";
import { connectSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { auth, connectWebSocket, OPEN } from "../../support/chat/chat";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import {
  applicationToken,
  newGuest,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** The number of open sockets is bounded for every kind of socket and every kind of viewer (docs/LIMITS.md). */

const PER_IP = 300;
let node: TestNode;
beforeAll(async () => {
  const environment = { TRUST_PROXY: "127.0.0.1", SOCKETS_PER_IP: String(PER_IP) };
  node = await startNode(environment, WITHOUT_POLLING);
});
afterAll(() => node?.stop());

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate();
});

let networks = 0;
/** An address of a network that no other test uses. */
const address = () => `2001:db8:1:${(++networks).toString(16)}::1`;

type ViewerOf = ViewerKind | "member" | LinkGuestViewer["kind"];
interface Caller {
  token: string;
  /** The name at the chat endpoint; absent unless it is a user. */
  chatName?: string;
}
const asCaller = ({ id, token }: TestUser): Caller => ({
  token,
  chatName: `${id}-${node.application.id}`,
});

/** Makes a new viewer of each kind. */
const VIEWERS: Record<ViewerOf, () => Promise<Caller>> = {
  async web() {
    const answer = await rest(node, "POST", "/session/web", { body: signedParameters(node) });
    return { token: answer.body.session.token };
  },
  application: async () => ({ token: await applicationToken(node) }),
  guest: async () => asCaller(await newGuest(node)),
  user: async () => asCaller(await newUser(node)),
  member: async () => ({ token: await ownerToken(node) }),
  async "link-guest"() {
    const { token } = await newUser(node);
    const conferenceId = await createConference(node, token);
    const { secret } = await mutate(
      node,
      "createConferenceLink",
      "secret",
      { conferenceId },
      token,
    );
    return mutate(node, "admitConferenceGuest", "token", { secret, name: "Guest" });
  },
};

/** Opens a socket from an address. @returns "open", or how it is refused */
type Open = (caller: Caller, ip: string) => Promise<string>;

const graphql: Open = async ({ token }, ip) => {
  const socket = await connectSocket(node, { headers: { "X-Forwarded-For": ip } });
  open.push(socket.socket);
  socket.send({ type: "connection_init", payload: { token } });
  const answer = await socket.next().catch(() => null);
  if (answer?.type === "connection_ack") return "open";
  const { code, reason } = await socket.closed;
  return `${code} ${reason}`;
};

const xmpp: Open = async ({ token, chatName = "" }, ip) => {
  const client = await connectWebSocket(node.chatUrl, { headers: { "X-Forwarded-For": ip } });
  open.push(client.socket);
  client.send(OPEN);
  client.send(auth(chatName, token));
  for (;;) {
    const frame = await client.next();
    if (frame.includes("<success")) return "open";
    if (frame.includes("<failure")) return /<failure[^>]*><([a-z-]+)/.exec(frame)?.[1] ?? frame;
  }
};

const create = (token: string) => JSON.stringify({ janus: "create", transaction: "t", token });
interface JanusAnswer {
  janus: string;
  data?: { id: number };
  error?: { code: number };
}
const answerOf = ({ janus, error }: JanusAnswer) =>
  janus === "success" ? "open" : String(error?.code);

const janusSocket: Open = async ({ token }, ip) => {
  const headers = { "X-Forwarded-For": ip };
  const socket = new WebSocket(node.app.conferenceUrls.ws ?? "", "janus-protocol", { headers });
  await once(socket, "open");
  open.push(socket);
  socket.send(create(token));
  const [data] = await once(socket, "message");
  return answerOf(JSON.parse(String(data)));
};

/** Sends a request of the conference protocol by HTTP. */
async function postJanus(ip: string, body: string, path = "/janus"): Promise<JanusAnswer> {
  const headers = { "X-Forwarded-For": ip, "Content-Type": "application/json" };
  const response = await fetch(node.baseUrl + path, { method: "POST", headers, body });
  return (await response.json()) as JanusAnswer;
}

const janusPolling: Open = async ({ token }, ip) => answerOf(await postJanus(ip, create(token)));

interface SocketKind {
  protocol: SocketProtocol;
  open: Open;
  viewers: ViewerOf[];
  /** How one socket too many is refused. */
  refusal: string;
}
const USERS: ViewerOf[] = ["guest", "user"];
/** Every kind of socket, with the viewers that it takes. */
const SOCKETS: Record<string, SocketKind> = {
  "a GraphQL socket": {
    protocol: "graphql",
    open: graphql,
    viewers: Object.keys(VIEWERS) as ViewerOf[],
    refusal: "1013 Too many open sockets of this user or address",
  },
  "a chat stream": {
    protocol: "xmpp",
    open: xmpp,
    viewers: USERS,
    refusal: "temporary-auth-failure",
  },
  "a conference socket": {
    protocol: "janus",
    open: janusSocket,
    viewers: USERS,
    refusal: "472",
  },
  "a polling session": {
    protocol: "janus",
    open: janusPolling,
    viewers: USERS,
    refusal: "472",
  },
};

/** Opens many GraphQL sockets, some at a time. */
async function fill(caller: Caller, ip: string, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 32) {
    const batch = Array.from({ length: Math.min(32, count - opened) }, () => graphql(caller, ip));
    expect(new Set(await Promise.all(batch))).toEqual(new Set(["open"]));
  }
}

test("the table has the sockets of every protocol", () => {
  const protocols = new Set(Object.values(SOCKETS).map(({ protocol }) => protocol));
  expect([...protocols]).toEqual([...SOCKET_PROTOCOLS]);
});

test.each(
  Object.keys(VIEWERS) as ViewerOf[],
)("%s has at most 256 sockets of all kinds, from any address", async (kind) => {
  const caller = await VIEWERS[kind]();
  const ip = address();
  await fill(caller, ip, SOCKETS_PER_VIEWER);
  const own = Object.values(SOCKETS).filter(({ viewers }) => viewers.includes(kind));
  for (const socket of own) expect(await socket.open(caller, address())).toBe(socket.refusal);
  // Another viewer at the same address is not affected.
  expect(await graphql(await VIEWERS.guest(), ip)).toBe("open");
  open[0]?.terminate();
  await eventually(
    () => graphql(caller, ip),
    (answer) => answer === "open",
  );
});

test("a conference session counts until it ends", async () => {
  const caller = await VIEWERS.user();
  const ip = address();
  await fill(caller, ip, SOCKETS_PER_VIEWER - 1);
  const { data } = await postJanus(ip, create(caller.token));
  expect(await graphql(caller, ip)).toBe(SOCKETS["a GraphQL socket"]?.refusal);
  const destroy = { janus: "destroy", transaction: "t", token: caller.token };
  expect(await postJanus(ip, JSON.stringify(destroy), `/janus/${data?.id}`)).toMatchObject({
    janus: "success",
  });
  await eventually(
    () => graphql(caller, ip),
    (answer) => answer === "open",
  );
});

test("an address has a limit for all kinds of sockets and viewers together", async () => {
  const ip = address();
  await fill(await VIEWERS.guest(), ip, PER_IP / 2);
  await fill(await VIEWERS.user(), ip, PER_IP / 2);
  for (const { open: openOne, viewers, refusal } of Object.values(SOCKETS)) {
    for (const kind of viewers) {
      const caller = await VIEWERS[kind]();
      expect([kind, await openOne(caller, ip)]).toEqual([kind, refusal]);
      expect([kind, await openOne(caller, address())]).toEqual([kind, "open"]);
    }
  }
});

test("a socket whose session gets a user counts for that user from then on", async () => {
  const user = await newUser(node);
  const token = await applicationToken(node);
  const moving = await openSocket(node, token, { headers: { "X-Forwarded-For": address() } });
  await fill(asCaller(user), address(), SOCKETS_PER_VIEWER);
  const { login, password } = user;
  void moving
    .run("mutation ($input: LoginInput!) { login(input: $input) { user { id } } }", {
      input: { login, password },
    })
    .catch(() => null);
  expect(await moving.closed).toEqual({
    code: 1013,
    reason: "Too many open sockets of this user or address",
  });
});
