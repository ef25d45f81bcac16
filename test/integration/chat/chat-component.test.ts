import pino from "pino";
import { systemClock } from "../../../src/core/clock";
import { readConfig } from "../../../src/core/config";
import { Fault } from "../../../src/core/errors";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import type { Router } from "../../../src/domain/calls/router";
import type { Signal } from "../../../src/domain/calls/signals/signal";
import { contentOfSignal } from "../../../src/domain/calls/signals/signal-xml";
import { checkChatServer } from "../../../src/domain/health/checks/chat-server";
import { openLocalBus } from "../../../src/platform/bus/local";
import { LocalLimiter } from "../../../src/platform/limits/local-limiter";
import { type Component, openComponent } from "../../../src/transports/xmpp/component/component";
import { ComponentConnection } from "../../../src/transports/xmpp/component/component-connection";
import type { Termination } from "../../../src/transports/xmpp/component/sign-in-index";
import { AsyncQueue } from "../../../tools/async-queue";
import {
  type AcceptedConnection,
  type ComponentServer,
  startComponentServer,
} from "../../../tools/component-server";
import { eventually, MovingClock } from "../../support/moving-clock";
import { startNode } from "../../support/node";
import { newUser, rest } from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";

const SECRET = "a component's secret";
/** Log lines of level warn and above. */
const logged: string[] = [];
const log = openLog("warn", { write: (line) => void logged.push(line) });

let server: ComponentServer;
let bus = openLocalBus(systemClock, log);
let limiter = new LocalLimiter(systemClock);
const open: Component[] = [];

beforeEach(async () => {
  logged.length = 0;
  server = await startComponentServer(SECRET);
  bus = openLocalBus(systemClock, log);
  limiter = new LocalLimiter(systemClock);
});
afterEach(async () => {
  for (const component of open.splice(0)) await component.close();
  await server.close();
});

/**
 * Starts the component of a node; collects the signals that reach its router.
 * @param fault thrown by the router
 * @param work awaited by the router for each signal
 */
async function attach(port = server.port, secret = SECRET, fault?: Fault, work?: Promise<void>) {
  const signals = new AsyncQueue<Signal>();
  let routed = 0;
  const metrics = openMetrics();
  const config = readConfig({
    CHAT_MODE: "component",
    CHAT_DOMAIN: "chat.example",
    CHAT_SERVER: `127.0.0.1:${port}`,
    CHAT_SECRET: secret,
  });
  let terminate: (ended: Termination) => void = () => undefined;
  const component = openComponent({
    config,
    log,
    metrics,
    counters: new ApplicationCounters(systemClock),
    bus,
    limiter,
    onTermination: (listener) => {
      terminate = listener;
      return () => undefined;
    },
  });
  open.push(component);
  const router = {
    async send(_protocol: string, signal: Signal) {
      if (fault) throw fault;
      signals.push(signal);
      routed += 1;
      await work;
      return "1";
    },
  } as unknown as Router;
  await component.start(router);
  const copies = async (outcome: string) =>
    (await metrics.chatServerForwardedMessages.get()).values.find(
      ({ labels }) => labels.outcome === outcome,
    )?.value;
  const isUp = async () => (await metrics.chatServerConnected.get()).values[0]?.value === 1;
  return {
    component,
    signals,
    routed: () => routed,
    copies,
    isUp,
    terminate: (ended: Termination) => terminate(ended),
  };
}

const signalFrom = (resource: string, id: string): Signal => ({
  id,
  from: { applicationId: 7, userId: 42, resource },
  to: { applicationId: 7, userId: 43 },
  type: "hangUp",
  callId: "s",
  extra: [],
});
const message = (id: string, more = "", from = "42-7@chat.example/phone") =>
  `<message xmlns="jabber:client" type="headline" from="${from}" to="43-7@chat.example" id="${id}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>hangUp</signalType><sessionID>s</sessionID>${more}</extraParams></message>`;
const copy = (inner: string, from = "chat.example") =>
  `<message from="${from}" to="calls.chat.example"><forwarded xmlns="urn:xmpp:forward:0">${inner}</forwarded></message>`;

describe("the connection", () => {
  it("authenticates as in XEP-0114, and is refused with a wrong secret", async () => {
    await attach(server.port, "another secret of it");
    await eventually(
      () => server.refused(),
      (count) => count > 1,
    );
    await attach();
    await server.accepted();
  });

  it("of a node that waits for that of another one logs so once, as information", async () => {
    const single = await startComponentServer(SECRET, 0, true);
    const lines: string[] = [];
    const options = {
      server: { host: "127.0.0.1", port: single.port },
      name: "calls.chat.example",
      secret: SECRET,
      stanzaBytes: 10_000,
      log: openLog("info", { write: (line) => void lines.push(line) }),
    };
    const events = { up() {}, down() {}, stanza() {}, invalidStanza() {} };
    const nodes = [0, 1].map(() => new ComponentConnection(options, events));
    try {
      nodes[0]?.connect();
      const link = await single.accepted();
      nodes[1]?.connect();
      await eventually(single.refused, (count) => count > 2);
      const waiting = "another node is connected to the chat server";
      const messages = () =>
        lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg]);
      expect(messages()).toEqual([
        [30, "connected to the chat server"],
        [30, expect.stringContaining(waiting)],
      ]);
      link.drop();
      await link.closed;
      nodes[1]?.connect();
      await single.accepted();
      await eventually(messages, (all) => all.some(([level]) => level === 40));
      expect(messages().filter(([level]) => level === 40)).toEqual([
        [40, "not connected to the chat server"],
      ]);
    } finally {
      for (const node of nodes) await node.close();
      await single.close();
    }
  });

  it("reconnects when it is lost", async () => {
    const { component } = await attach();
    (await server.accepted()).drop();
    const link = await server.accepted();
    await component.send(signalFrom("graphql-1", "again"));
    expect(link.received()).toContain('id="again"');
  });

  it.each([
    ["a stanza that is too long", copy(message("long", "x".repeat(400_000)))],
    ["a stanza that is invalid XML", copy(message("bad", '<a b="1" b="2"/>'))],
    ["a stanza that is too deep", copy(message("deep", "<a>".repeat(40) + "</a>".repeat(40)))],
  ])("stays open after %s", async (_what, xml) => {
    const { signals, copies } = await attach();
    const link = await server.accepted();
    link.write(xml);
    link.write(copy(message("next")));
    expect((await signals.next()).id).toBe("next");
    expect(await copies("malformed")).toBe(1);
    // Any client can cause it at will, so it must not fill the log.
    expect(logged).toEqual([]);
  });

  it("accepts a stanza that escaping makes six times as long", async () => {
    const { signals } = await attach();
    const link = await server.accepted();
    link.write(copy(message("quotes", `<note>${"&quot;".repeat(64_000)}</note>`)));
    expect(contentOfSignal(await signals.next()).extra).toEqual([
      { name: "note", text: '"'.repeat(64_000) },
    ]);
  });

  it.each([
    ["a comment", "<!-- -->"],
    ["a DOCTYPE", "<!DOCTYPE a>"],
    ["a tag without an end", `<message ${"a".repeat(400_000)}`],
    ["invalid UTF-8", Buffer.from([0x3c, 0xff, 0xfe])],
  ])("is closed and reopened after %s", async (_what, bytes) => {
    await attach();
    const link = await server.accepted();
    link.write(bytes);
    await link.closed;
    await server.accepted();
  });

  it("reads characters that arrive byte by byte", async () => {
    const { signals } = await attach();
    const link = await server.accepted();
    for (const byte of Buffer.from(copy(message("piece", "<name>Zoë 😀</name>")))) {
      link.write(Buffer.from([byte]));
    }
    const { extra } = contentOfSignal(await signals.next());
    expect(extra).toEqual([{ name: "name", text: "Zoë 😀" }]);
  });
});

describe("a signal for the chat server", () => {
  it("is delivered when the ping after it is answered, and not before", async () => {
    const { component, signals } = await attach();
    const link = await server.accepted();
    link.answersPings = false;
    let passed = false;
    const passing = component.send(signalFrom("graphql-1", "one")).then(() => {
      passed = true;
    });
    await eventually(
      () => link.received(),
      (text) => text.includes("<ping"),
    );
    expect(link.received().indexOf('id="one"')).toBeLessThan(link.received().indexOf("<ping"));
    expect(passed).toBe(false);
    const answer = (from: string) => {
      const id = /<iq [^>]*id="([^"]+)"/.exec(link.received())?.[1];
      link.write(`<iq type="error" from="${from}" id="${id}"/>`);
    };
    answer("43-7@chat.example/phone");
    link.write(copy(message("next")));
    await signals.next();
    expect(passed).toBe(false);
    answer("chat.example");
    await passing;
  });

  it("is delivered when another node receives the response, as with ejabberd", async () => {
    const nodes = [await attach(), await attach()];
    const links = [await server.accepted(), await server.accepted()];
    for (const link of links) link.answersPings = false;
    const passing = nodes[0]?.component.send(signalFrom("graphql-1", "one"));
    const pinged = () => links.find((link) => link.received().includes("<ping"));
    const link = await eventually(pinged, Boolean);
    const id = /<iq [^>]*id="([^"]+)"/.exec(link?.received() ?? "")?.[1];
    const other = links.find((each) => each !== link);
    other?.write(`<iq type="result" from="chat.example" id="${id}"/>`);
    await passing;
  });

  it("is sent again when the connection is lost before the response", async () => {
    const { component } = await attach();
    const link = await server.accepted();
    link.answersPings = false;
    const passing = component.send(signalFrom("graphql-1", "one"));
    await eventually(
      () => link.received(),
      (text) => text.includes("<ping"),
    );
    link.drop();
    const next = await server.accepted();
    await passing;
    expect(next.received()).toContain('id="one"');
  });

  it("is refused after five seconds when no node reaches the chat server", async () => {
    const { component } = await attach(1);
    await expect(component.send(signalFrom("graphql-1", "one"))).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
  });

  it("is refused at once when a thousand are pending", async () => {
    const { component } = await attach(1);
    const waiting = Array.from({ length: 1_000 }, (_, index) =>
      component.send(signalFrom("graphql-1", String(index))).catch(() => "late"),
    );
    const first = await Promise.race([
      component.send(signalFrom("graphql-1", "more")).catch((error: Fault) => error.code),
      ...waiting,
    ]);
    expect(first).toBe("UNAVAILABLE");
  });

  it("is not refused because of pending terminations", async () => {
    const { component, terminate } = await attach(1);
    for (let sessionId = 1; sessionId <= 50; sessionId += 1) terminate({ sessionId });
    const settled: number[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      const passing = component.send(signalFrom("graphql-1", String(index)));
      passing.catch(() => void settled.push(index));
    }
    await expect(component.send(signalFrom("graphql-1", "more"))).rejects.toThrow();
    expect(settled).toEqual([]);
  });

  it("is sent once, by another node that is connected", async () => {
    const { isUp } = await attach();
    await eventually(isUp, Boolean);
    const link = await server.accepted();
    const disconnected = await attach(1);
    await disconnected.component.send(signalFrom("graphql-1", "through"));
    expect(link.received().split('id="through"')).toHaveLength(2);
  });

  it("is sent once, by a node that connects while it is pending", async () => {
    const disconnected = await attach(1);
    const passing = disconnected.component.send(signalFrom("graphql-1", "through"));
    await attach();
    await attach();
    await passing;
    const links = [await server.accepted(), await server.accepted()];
    const written = links.map((link) => link.received()).join("");
    expect(written.split('id="through"')).toHaveLength(2);
  });
});

describe("the notice of a termination", () => {
  const ids = Array.from({ length: 50 }, (_, index) => index + 1);
  const all = ids.map((id) => `<ended xmlns="urn:signalbox:chat:0" session="${id}"/>`);
  /** Ends sessions while no node reaches the chat server, and waits until the first attempt has failed. */
  async function terminateOffline({ component, terminate }: Awaited<ReturnType<typeof attach>>) {
    component.recordSignIn({ applicationId: 7, userId: 42 }, 1);
    for (const sessionId of ids) terminate({ sessionId });
    await expect(component.send(signalFrom("graphql-1", "late"))).rejects.toThrow();
  }
  const receivedAll = (link: AcceptedConnection) =>
    eventually(
      () => all.filter((notice) => !link.received().includes(notice)),
      (missing) => missing.length === 0,
    );

  it("is sent when the connection is back, after any time", async () => {
    const node = await attach();
    await server.accepted();
    await server.close();
    await terminateOffline(node);
    server = await startComponentServer(SECRET, server.port);
    const link = await server.accepted();
    await receivedAll(link);
    // For ejabberd: with the JID of the user, which is known for one of the sessions.
    expect(link.received()).toContain("<value>42-7@chat.example</value>");
    await node.component.send(signalFrom("graphql-1", "after"));
    for (const notice of all) expect(link.received().split(notice)).toHaveLength(2);
  });

  it("is sent by another node when that is connected", async () => {
    await terminateOffline(await attach(1));
    await attach();
    await receivedAll(await server.accepted());
  });
});

describe("a forwarded copy", () => {
  it("is handled once on all nodes together; one with another id is handled too", async () => {
    const nodes = [await attach(), await attach()];
    const links = [await server.accepted(), await server.accepted()];
    for (const link of [...links, ...links]) link.write(copy(message("one")));
    for (const link of links) link.write(copy(message("two")));
    const sum = async (outcome: string) => {
      const counts = await Promise.all(nodes.map(({ copies }) => copies(outcome)));
      return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
    };
    await eventually(
      async () => (await sum("duplicate")) + (await sum("delivered")),
      (all) => all === 6,
    );
    expect(await sum("delivered")).toBe(2);
  });

  it("with the same id to another recipient is handled", async () => {
    const { signals } = await attach();
    const link = await server.accepted();
    link.write(copy(message("one")));
    link.write(copy(message("one").replace("43-7@", "44-7@")));
    expect((await signals.next()).to.userId).toBe(43);
    expect((await signals.next()).to.userId).toBe(44);
  });

  it.each([
    ["three seconds without an id", "", 3_000],
    ["thirty seconds with an id", "same", 30_000],
  ])("with the same content is handled again after %s", async (_what, id, ms) => {
    const clock = new MovingClock();
    clock.hold(true);
    limiter = new LocalLimiter(clock);
    const { signals, copies } = await attach();
    const link = await server.accepted();
    const same = copy(message(id).replace(' id=""', ""));
    link.write(same + same);
    await signals.next();
    await eventually(
      () => copies("duplicate"),
      (count) => count === 1,
    );
    clock.advance(ms);
    link.write(same);
    expect((await signals.next()).id).not.toBe("");
  });

  it("without an id is from a client, whatever its resource", async () => {
    const { signals } = await attach();
    const link = await server.accepted();
    for (const more of ["<a/>", "<b/>"]) {
      const inner = message("", more, "42-7@chat.example/graphql-1");
      link.write(copy(inner.replace(' id=""', "")));
      expect(contentOfSignal(await signals.next()).extra).toHaveLength(1);
    }
  });

  it("waits at the chat server while hundreds are in flight, on a new connection too", async () => {
    let finish = () => {};
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { component, routed, copies } = await attach(server.port, SECRET, undefined, work);
    const many = (from: number) =>
      Array.from({ length: 5_000 }, (_, index) => from + index)
        .map((each) => copy(message(`${each}`, "", `42-7@chat.example/phone${each}`)))
        .join("");
    const first = await server.accepted();
    first.write(many(0));
    await eventually(routed, (count) => count >= 256);
    first.drop();
    // Reading is paused, so only a write detects that the connection is closed.
    const writing = setInterval(() => {
      component.send(signalFrom("graphql-1", "late")).catch(() => undefined);
    }, 100);
    const second = await server.accepted();
    clearInterval(writing);
    second.write(many(5_000));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(routed()).toBeLessThan(2_000);
    finish();
    await eventually(
      () => copies("delivered"),
      (count) => (count ?? 0) > 5_000,
    );
  });

  it("of a signal that a node has sent is ignored", async () => {
    const { component, signals } = await attach();
    const link = await server.accepted();
    const xml = message("own", "", "42-7@chat.example/graphql-1");
    await component.send(signalFrom("graphql-1", "own"));
    link.write(copy(xml));
    link.write(copy(message("next")));
    expect((await signals.next()).id).toBe("next");
  });

  it("from any sender but the chat server is refused", async () => {
    const { signals } = await attach();
    const link = await server.accepted();
    for (const from of ["44-7@chat.example/x", "evil.example", "chat.example/x"]) {
      link.write(copy(message("forged"), from));
    }
    link.write(copy(message("next")));
    expect((await signals.next()).id).toBe("next");
    const answers = () => link.received().split("<service-unavailable").length - 1;
    expect(await eventually(answers, (count) => count >= 3)).toBe(3);
  });

  it.each([
    ["presence", '<presence xmlns="jabber:client" from="42-7@chat.example/phone"/>'],
    ["a sender of another server", message("far", "", "42-7@far.example/phone")],
    ["a sender without a resource", message("bare", "", "42-7@chat.example")],
    ["an address that is not a user's", message("name", "", "admin@chat.example/phone")],
    ["a chat message", message("chat").replace("headline", "chat")],
  ])("of %s is not a signal", async (_what, inner) => {
    const { signals, copies } = await attach();
    const link = await server.accepted();
    link.write(copy(inner));
    link.write(copy(message("next")));
    expect((await signals.next()).id).toBe("next");
    expect(await copies("ignored")).toBe(1);
  });

  it("that is too large is refused once", async () => {
    const { signals, copies } = await attach();
    const link = await server.accepted();
    // Each line end of a session description is encoded as six characters.
    const large = copy(message("large", `<sdp>${"\n".repeat(100_000)}</sdp>`));
    link.write(large + large);
    link.write(copy(message("next")));
    expect((await signals.next()).id).toBe("next");
    expect([await copies("rejected"), await copies("duplicate")]).toEqual([1, 1]);
    const answers = () => link.received().split("<policy-violation").length - 1;
    expect(await eventually(answers, (count) => count > 0)).toBe(1);
  });

  it("that the router refuses is answered to the sender by the errors table", async () => {
    await attach(server.port, SECRET, new Fault("FULL", "Four at most"));
    const link = await server.accepted();
    link.write(copy(message("fifth")));
    await eventually(
      () => link.received(),
      (text) => text.includes("<resource-constraint"),
    );
    expect(link.received()).toMatch(
      /<message from="43-7@chat\.example" to="42-7@chat\.example\/phone" id="fifth" type="error">/,
    );
  });
});

describe("doctor", () => {
  const check = (port: number, more = {}) =>
    checkChatServer(
      readConfig({
        CHAT_MODE: "component",
        CHAT_SERVER: `127.0.0.1:${port}`,
        CHAT_SECRET: SECRET,
        ...more,
      }),
    );
  const statuses = async (findings: ReturnType<typeof check>) =>
    (await findings).map(({ status }) => status);

  it("reports whether the port accepts components, and does not send the secret", async () => {
    const secret = { CHAT_SIGN_IN_SECRET: "the sign-in secret" };
    expect(await statuses(check(server.port, secret))).toEqual(["ok"]);
    expect(await statuses(check(server.port))).toEqual(["ok", "warning"]);
    expect(await statuses(check(1, secret))).toEqual(["error"]);
    expect(await checkChatServer(readConfig({}))).toEqual([]);
    expect(server.refused()).toBe(0);
  });
});

describe("POST /chat/sign-in", () => {
  const attempt = { user: "1-1", password: "any password" };
  const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

  it("responds like an unknown path without its secret", async () => {
    const nodes = [
      await startNode(),
      await startNode({ CHAT_SIGN_IN_SECRET: "the sign-in secret" }),
    ];
    try {
      for (const node of nodes) {
        const unknown = await rest(node, "POST", "/chat/nothing", { body: attempt });
        for (const headers of [{}, bearer("another secret here"), { Authorization: "" }]) {
          const answer = await rest(node, "POST", "/chat/sign-in", { body: attempt, headers });
          expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text]);
          expect(answer.status).toBe(404);
        }
      }
    } finally {
      for (const node of nodes) await node.stop();
    }
  });

  it("counts each request without its secret, and logs once a minute", async () => {
    const logged: { ip: string; requests: number; level: number }[] = [];
    const write = (line: string) => {
      if (line.includes("without the secret")) logged.push(JSON.parse(line));
    };
    const clock = new MovingClock();
    clock.hold(true);
    const log = pino({ level: "info" }, { write });
    const environment = { CHAT_SIGN_IN_SECRET: "the sign-in secret" };
    const node = await startNode(environment, { log, clock });
    const request = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        const headers = bearer("another secret here");
        await rest(node, "POST", "/chat/sign-in", { body: attempt, headers });
      }
    };
    try {
      await request(20);
      expect(logged.map(({ requests }) => requests)).toEqual([1]);
      clock.advance(59_999);
      await request(1);
      expect(logged).toHaveLength(1);
      clock.advance(1);
      await request(5);
      expect(logged.map(({ requests }) => requests)).toEqual([1, 21]);
      expect(logged.every(({ level }) => level === 30)).toBe(true);
      const figures = await (await fetch(`${node.baseUrl}/metrics`)).text();
      expect(figures).toContain('signalbox_chat_server_sign_ins_total{outcome="unauthorized"} 26');
    } finally {
      await node.stop();
    }
  });

  it("refuses a blocked user like wrong credentials, by password and by token", async () => {
    const node = await startNode({ CHAT_SIGN_IN_SECRET: "the sign-in secret" });
    const headers = bearer("the sign-in secret");
    try {
      const { id, password, token } = await newUser(node);
      const user = `${id}-${node.application.id}`;
      const post = async (secret: string) => {
        const body = { user, password: secret };
        return (await rest(node, "POST", "/chat/sign-in", { body, headers })).body;
      };
      expect((await post(password)).allowed).toBe(true);
      expect((await post(token)).allowed).toBe(true);
      await blockUser(node, { id });
      for (const secret of [password, token])
        expect(await post(secret)).toEqual({ allowed: false });
      await unblockUser(node, { id });
      expect((await post(password)).allowed).toBe(true);
      expect(await post(token)).toEqual({ allowed: false });
    } finally {
      await node.stop();
    }
  });

  it("refuses all invalid credentials alike, and throttles guessing", async () => {
    const node = await startNode({
      CHAT_SIGN_IN_SECRET: "the sign-in secret",
      FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME: "3",
    });
    const headers = bearer("the sign-in secret");
    const post = (body: unknown) => rest(node, "POST", "/chat/sign-in", { body, headers });
    try {
      for (const user of ["987654321-1", "nobody", "1-1/x", "01-1"]) {
        const { status, body } = await post({ ...attempt, user });
        expect([status, body]).toEqual([200, { allowed: false }]);
      }
      for (const body of [{}, { user: 1, password: "x" }, { ...attempt, ip: 7 }, []]) {
        expect((await post(body)).status).toBe(400);
      }
      // An unknown user name is throttled like any other.
      const statuses: number[] = [];
      for (let count = 0; count < 4; count += 1) {
        statuses.push((await post({ ...attempt, user: "55-1" })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect((await post({ ...attempt, user: "56-1" })).status).toBe(200);
    } finally {
      await node.stop();
    }
  });
});
