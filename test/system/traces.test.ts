import { randomBytes } from "node:crypto";
import Redis from "ioredis";
import { WebSocket } from "ws";
import { graphql } from "../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../tools/graphql/graphql-socket";
import { startSmtp, type TestSmtp } from "../../tools/smtp";
import { DOMAIN, signInRaw } from "../support/chat/chat";
import { closeAfterEach } from "../support/close-after-each";
import { eventually } from "../support/moving-clock";
import { NO_RATES, type TestNode } from "../support/node";
import { type FreshDatabase, freshServices } from "../support/operations/database";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "../support/operations/otlp-receiver";
import { makeTracingFolder, type TracingFolder } from "../support/operations/tracing-folder";
import { type ServiceProcess, startProcess } from "../support/process";
import { memberTokenOf, nodeOf, type ProcessNode } from "../support/process-node";
import { type FcmFixture, startFcmFixture } from "../support/push/fcm-fixture";
import { storeFcmCredentials } from "../support/push/fcm-node";
import { androidDevice } from "../support/push/push-devices";
import { applicationToken, newUser, rest, type TestUser } from "../support/rest-client";

/** Traces of nodes with the SDK that docs/OBSERVABILITY.md describes, as a receiver of OTLP gets them. */

const SDP = "v=0\r\no=- 4611731400430051336 2 IN IP4 127.0.0.1\r\n";
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";
const ENABLE_PUSHES = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { id } } }`;

let receiver: OtlpReceiver;
let tracing: TracingFolder;
let database: FreshDatabase;
let smtp: TestSmtp;
let fixture: FcmFixture;
const services: ServiceProcess[] = [];
const opened = closeAfterEach();

/** Starts a node. @param variables in addition to those that all nodes have */
async function start(
  name: string,
  variables: Record<string, string> = tracing.environment("tracing.mjs"),
): Promise<ProcessNode> {
  const environment = {
    ...database.environment,
    ...NO_RATES,
    SMTP_URL: smtp.url,
    CHAT_DOMAIN: DOMAIN,
    ALLOW_PRIVATE_NETWORKS: "true",
    LOG_LEVEL: "debug",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_SERVICE_NAME: name,
    ...variables,
  };
  const service = startProcess(environment, { program: tracing.program });
  services.push(service);
  return nodeOf(service, database.environment);
}

const user = (node: ProcessNode, fields = {}) => newUser(node as TestNode, fields);

/** A new trace of a client, whose first span is the client's own. */
function newTrace(flags = "01") {
  const id = randomBytes(16).toString("hex");
  const span = randomBytes(8).toString("hex");
  return { id, span, traceparent: `00-${id}-${span}-${flags}` };
}

let calls = 0;

/** Starts a call over a socket, in a trace of the client. */
function call(
  { send, received }: GraphqlSocket,
  to: Pick<TestUser, "id">,
  extensions: object,
): Promise<unknown> {
  const id = `call-${++calls}`;
  const signal = { call: { callId: `${Date.now()}-${calls}`, callType: "VIDEO", sdp: SDP } };
  const variables = { input: { to: { userId: to.id }, signal } };
  send({ id, type: "subscribe", payload: { query: SEND, variables, extensions } });
  return eventually(
    () => received.find((message) => message.id === id),
    (answer) => answer !== undefined,
  ).then((answer) => expect(answer).toMatchObject({ payload: { data: { sendSignal: {} } } }));
}

/** A span and those above it, from the first one on. */
function pathTo(spans: ReceivedSpan[], last: ReceivedSpan): ReceivedSpan[] {
  const above = spans.find(({ spanId }) => spanId === last.parentSpanId);
  return above ? [...pathTo(spans, above), last] : [last];
}

const named = (name: string) => (spans: ReceivedSpan[]) => spans.some((span) => span.name === name);

/**
 * Waits for a span of a trace, and for those above it, which may arrive later.
 * @param span the client's span; empty if the trace begins at a node
 * @returns the path to it: of each span its node, name and kind
 */
async function waitForPath(
  { id, span = "" }: { id: string; span?: string },
  name: string,
  service?: string,
): Promise<string[]> {
  const path = (spans: ReceivedSpan[]) => {
    const isWanted = (each: ReceivedSpan) =>
      each.name === name && (service === undefined || each.service === service);
    const last = spans.find(isWanted);
    return last ? pathTo(spans, last) : [];
  };
  const spans = await receiver.traceOf(id, (all) => path(all)[0]?.parentSpanId === span);
  return path(spans).map((each) => `${each.service}: ${each.name} (${each.kind})`);
}

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  tracing = makeTracingFolder();
  database = await freshServices();
  smtp = await startSmtp();
  fixture = await startFcmFixture();
});
afterAll(async () => {
  for (const { child, exited } of services) {
    child.kill("SIGKILL");
    await exited;
  }
  await fixture?.close();
  await smtp?.close();
  await database?.remove();
  tracing?.close();
  await receiver?.close();
});

describe("two nodes on PostgreSQL and Redis", () => {
  let a: ProcessNode;
  let b: ProcessNode;
  let ann: TestUser;
  let bob: TestUser;
  let socket: GraphqlSocket;

  beforeAll(async () => {
    a = await start("node-a");
    b = await start("node-b");
    ann = await user(a, { full_name: "Ann Ångström" });
    bob = await user(b);
    await storeFcmCredentials(a, database.environment, fixture);
    const input = {
      applicationId: String(a.application.id),
      incomingCallPush: true,
      incomingCallPushDelaySeconds: 0,
      incomingCallPushEnvironment: "DEVELOPMENT",
    };
    const token = await memberTokenOf(a, database.environment);
    const { errors } = await graphql(a, ENABLE_PUSHES, { input }, token);
    expect(errors).toBeUndefined();
  });
  beforeEach(async () => {
    socket = opened(await openSocket(a, ann.token));
  });

  it("a call is one trace, from the caller to the callee's devices on another node", async () => {
    const device = opened(await openSocket(b, bob.token));
    await device.listen("listen", bob.id);
    const chat = await signInRaw(b.chatUrl, `${bob.id}-${b.application.id}`, "phone", bob.token);
    opened({ close: () => chat.socket.terminate() });
    const trace = newTrace();
    const { id, span, traceparent } = trace;
    await call(socket, bob, { traceparent, tracestate: "client=1" });
    const delivery = [
      "node-a: mutation sendSignal (server)",
      "node-a: send inbox (producer)",
      "node-b: process inbox (consumer)",
    ];
    expect(await waitForPath(trace, "subscription callSignals", "node-b")).toEqual([
      ...delivery,
      "node-b: subscription callSignals (server)",
    ]);
    const spans = await receiver.traceOf(id, named("mutation sendSignal"));
    expect(spans.find(({ name }) => name === "mutation sendSignal")).toMatchObject({
      parentSpanId: span,
      attributes: {
        "graphql.operation.type": "mutation",
        "graphql.operation.name": "sendSignal",
      },
    });
    expect(spans.find(({ name }) => name === "process inbox")).toMatchObject({
      attributes: {
        "messaging.system": "signalbox",
        "messaging.operation.type": "process",
        // The chat stream and the subscription.
        "signalbox.deliveries": 2,
      },
    });
    const append = spans.find(({ name, service }) => name === "append" && service === "node-a");
    expect(append).toMatchObject({
      kind: "client",
      attributes: { "db.system.name": "redis", "db.operation.name": "append" },
    });
  });

  it("the answer of a chat client is one trace, from its stanza to the caller", async () => {
    await socket.listen("listen", ann.id);
    const chat = await signInRaw(b.chatUrl, `${bob.id}-${b.application.id}`, "tab", bob.token);
    opened({ close: () => chat.socket.terminate() });
    receiver.spans.length = 0;
    chat.send(
      `<message xmlns="jabber:client" type="headline" id="answer" to="${ann.id}-${a.application.id}@${DOMAIN}"><extraParams xmlns="jabber:client"><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>update</signalType><sessionID>s</sessionID></extraParams></message>`,
    );
    const first = await eventually(
      () => receiver.spans.find(({ name }) => name === "xmpp message"),
      (found) => found !== undefined,
    );
    expect(await waitForPath({ id: first?.traceId ?? "" }, "subscription callSignals")).toEqual([
      "node-b: xmpp message (server)",
      "node-b: send inbox (producer)",
      "node-a: process inbox (consumer)",
      "node-a: subscription callSignals (server)",
    ]);
  });

  it("a call of a user who is offline is one trace, to the push service", async () => {
    const carol = await user(a);
    const body = androidDevice();
    expect((await rest(a, "POST", "/subscriptions", { token: carol.token, body })).status).toBe(
      201,
    );
    const trace = newTrace();
    const { id, traceparent } = trace;
    await call(socket, carol, { traceparent });
    const path = await waitForPath(trace, "push fcm");
    expect(path.map((step) => step.replace(/^node-[ab]: /, ""))).toEqual([
      "mutation sendSignal (server)",
      "send inbox (producer)",
      "send call-push (producer)",
      "process call-push (consumer)",
      "transaction (client)",
      "send push-fan-out (producer)",
      "process push-fan-out (consumer)",
      "transaction (client)",
      "send push-deliver (producer)",
      "process push-deliver (consumer)",
      "push fcm (internal)",
    ]);
    const spans = await receiver.traceOf(id, named("POST"));
    const push = spans.find(({ name }) => name === "push fcm");
    expect(push?.attributes).toEqual({
      "signalbox.push.service": "fcm",
      "signalbox.push.outcome": "accepted",
    });
    const request = spans.find(
      ({ name, parentSpanId }) => name === "POST" && parentSpanId === push?.spanId,
    );
    expect(request).toMatchObject({
      kind: "client",
      attributes: { "http.request.method": "POST", "http.response.status_code": 200 },
    });
    const job = spans.find(({ name }) => name === "process push-deliver");
    expect(job?.attributes).toMatchObject({ "messaging.destination.name": "push-deliver" });
    // The push service gets no context.
    const received = fixture.standIn.received.items.map((item) => JSON.stringify(item)).join();
    expect(received).toContain(body.push_token.client_identification_sequence);
    expect(received).not.toContain(id);
  });

  it("HTTP requests continue the trace of their headers", async () => {
    const { id, span, traceparent } = newTrace();
    const headers = { traceparent };
    await rest(a, "GET", "/session", { token: ann.token, headers });
    await rest(a, "GET", `/users/${bob.id}`, { token: ann.token, headers });
    const query = { query: "query Mine { session { id } }" };
    await rest(a, "POST", "/graphql", { token: ann.token, headers, body: query });
    await rest(a, "POST", "/nowhere", { headers });
    const spans = await receiver.traceOf(
      id,
      (all) => all.filter(({ parentSpanId }) => parentSpanId === span).length === 4,
    );
    const requests = spans.filter(({ parentSpanId }) => parentSpanId === span);
    expect(requests.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
      "GET /session server",
      "GET /users/:id server",
      "POST /graphql server",
      "POST server",
    ]);
    expect(requests.find(({ name }) => name === "GET /users/:id")?.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/users/:id",
      "http.response.status_code": 200,
      "url.scheme": "http",
    });
    const statement = spans.find(({ attributes }) => attributes["db.system.name"] === "postgresql");
    expect(pathTo(spans, statement as ReceivedSpan)).toHaveLength(3);
    expect(spans.map(({ name }) => name)).not.toContain("query Mine");
  });

  it("a mail is part of the trace of what has asked for it", async () => {
    const email = `ann-${randomBytes(4).toString("hex")}@mail.example`;
    await user(a, { email });
    const trace = newTrace();
    const { traceparent } = trace;
    const token = await applicationToken(a as TestNode);
    const path = `/users/password/reset?email=${encodeURIComponent(email)}`;
    expect((await rest(a, "GET", path, { token, headers: { traceparent } })).status).toBe(200);
    await smtp.mailsTo(email);
    const steps = (await waitForPath(trace, "send mail")).map((step) =>
      step.slice("node-a: ".length),
    );
    expect([steps[0], ...steps.slice(-2)]).toEqual([
      "GET /users/password/reset (server)",
      "process password-reset (consumer)",
      "send mail (client)",
    ]);
  });

  it("a request of a legacy conference client begins a trace", async () => {
    const { conferences } = await services[0]!.ready();
    const client = new WebSocket(conferences?.ws ?? "", "janus-protocol");
    opened({ close: () => client.terminate() });
    client.on("open", () =>
      client.send(JSON.stringify({ janus: "create", transaction: "t", token: "wrong" })),
    );
    const span = await eventually(
      () => receiver.spans.find(({ name }) => name === "janus create"),
      (found) => found !== undefined,
    );
    expect(span).toMatchObject({ kind: "server", attributes: { "error.type": "UNAUTHENTICATED" } });
  });

  it("a participant of a conference on another node is one trace, to the media server", async () => {
    const run = async (node: ProcessNode, { token }: TestUser, query: string, headers = {}) => {
      const { body } = await rest(node, "POST", "/graphql", { token, headers, body: { query } });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    const { createConference } = await run(
      a,
      ann,
      'mutation { createConference(input: { name: "Traced" }) { conference { id } } }',
    );
    const join = `mutation { joinConference(input: { conferenceId: ${createConference.conference.id} }) { membershipId } }`;
    await run(a, ann, join);
    const trace = newTrace();
    const { joinConference } = await run(b, bob, join, { traceparent: trace.traceparent });
    const commands = [
      "node-b: POST /graphql (server)",
      "node-b: mutation joinConference (server)",
      "node-b: conference join (internal)",
      "node-b: send conference-node (producer)",
      "node-a: process conference-node (consumer)",
    ];
    expect(await waitForPath(trace, "process conference-node")).toEqual(commands);
    const watching = newTrace();
    const watch = `mutation { watchConference(input: { membershipId: "${joinConference.membershipId}" }) { peerId } }`;
    await run(b, bob, watch, { traceparent: watching.traceparent });
    const path = await waitForPath(watching, "media connect");
    expect(path.slice(-2)).toEqual([
      "node-a: process conference-node (consumer)",
      "node-a: media connect (client)",
    ]);
  });

  it("lines of the log have the ids of their span", async () => {
    const { id, traceparent } = newTrace();
    await rest(a, "GET", "/session", { token: ann.token, headers: { traceparent } });
    const [line] = await services[0]!.waitForOutput(new RegExp(`^.*"trace_id":"${id}".*$`, "m"));
    const spans = await receiver.traceOf(id, named("GET /session"));
    const request = spans.find(({ name }) => name === "GET /session");
    expect(JSON.parse(line)).toMatchObject({ msg: "request", span_id: request?.spanId });
  });

  it("no span has a secret or a text of a user", () => {
    const received = receiver.received();
    expect(received).toContain("process push-deliver");
    const texts = [ann, bob].flatMap(({ token, password, login }) => [token, password, login]);
    const { authSecret, accountKey } = a.application;
    const others = ["Ann Ångström", "4611731400430051336", "WebRTCVideoChat", "mail.example"];
    const device = "android-";
    for (const text of [...texts, authSecret, accountKey, ...fixture.secrets, ...others, device]) {
      expect(received.includes(text) ? text : null).toBeNull();
    }
  });

  it("a node that stops sends the spans that it still has", async () => {
    const late = await start("node-late", {
      ...tracing.environment("tracing.mjs"),
      OTEL_BSP_SCHEDULE_DELAY: "3600000",
    });
    const { id, traceparent } = newTrace();
    await rest(late, "GET", "/session", { token: ann.token, headers: { traceparent } });
    const service = services.pop()!;
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    expect(receiver.spans.some(({ traceId }) => traceId === id)).toBe(true);
  });

  it("a public node decides about requests itself, and continues messages of other nodes", async () => {
    const node = await start("node-public", {
      ...tracing.environment("tracing-public.mjs"),
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    const device = opened(await openSocket(node, bob.token));
    await device.listen("listen", bob.id);
    const forced = newTrace();
    const headers = { traceparent: forced.traceparent };
    await rest(node, "GET", "/session", { token: bob.token, headers });
    const trace = newTrace();
    await call(socket, bob, { traceparent: trace.traceparent });
    const path = await waitForPath(trace, "subscription callSignals", "node-public");
    expect(path.slice(-2)).toEqual([
      "node-public: process inbox (consumer)",
      "node-public: subscription callSignals (server)",
    ]);
    expect(receiver.spans.filter(({ traceId }) => traceId === forced.id)).toEqual([]);
  });

  /** The bodies of a user's inbox. */
  async function entriesOf({ id }: TestUser): Promise<string[]> {
    const redis = new Redis(database.environment.REDIS_URL ?? "");
    opened({ close: () => redis.disconnect() });
    const key = `signalbox:inbox:{user:${a.application.id}:${id}}`;
    const entries = await redis.xrange(key, "-", "+");
    return entries.map(([, cells]) => cells[3] ?? "");
  }

  it.each([
    ["without an SDK", () => ({})],
    [
      "with an SDK that samples nothing",
      () => ({ ...tracing.environment("tracing.mjs"), OTEL_TRACES_SAMPLER_ARG: "0" }),
    ],
  ])("a node %s sends nothing, and its entries have no trace", async (_name, variables) => {
    const node = await start("node-silent", variables());
    const dave = await user(node);
    const from = opened(await openSocket(node, ann.token));
    await call(from, dave, {});
    const [entry = ""] = await entriesOf(dave);
    expect(Object.keys(JSON.parse(entry.slice(0, entry.indexOf("\n"))))).not.toContain("trace");
    expect(receiver.spans.filter(({ service }) => service === "node-silent")).toEqual([]);
    const traced = await user(a);
    await call(socket, traced, {});
    const [other = ""] = await entriesOf(traced);
    expect(Object.keys(JSON.parse(other.slice(0, other.indexOf("\n"))))).toContain("trace");
  });
});
