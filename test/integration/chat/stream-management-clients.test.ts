import { type XmlNode, xml } from "@xmpp/client";
import { createClient } from "stanza";
import { $build, $msg, type DomElement, Strophe } from "strophe.js";
import { WebSocket } from "ws";
import type { ChatTransport } from "../../../src/transports/xmpp/endpoint";
import { AsyncQueue } from "../../../tools/async-queue";
import { DOMAIN, signInRaw, startChat } from "../../support/chat/chat";
import { SM } from "../../support/chat/managed-stream";
import type { RawClient } from "../../support/chat/raw-client";
import { xmppJsClient } from "../../support/chat/xmpp-js";
import { eventually } from "../../support/moving-clock";
import { startBreakableProxy } from "../../support/operations/breakable-proxy";
import { testCertificate, trustGlobally } from "../../support/operations/certificates";

/** Stream management with client libraries, over connections that break. */

// All libraries use the global WebSocket of browsers.
Object.assign(globalThis, { WebSocket });
Strophe.setLogLevel(Strophe.LogLevel.FATAL);

const NAME = "42-7";
const BARE = `${NAME}@${DOMAIN}`;

/** Libraries that resume automatically, and their transports. */
const LIBRARIES: [name: string, ChatTransport, connect: (service: string) => Promise<Device>][] = [
  ["xmpp.js", "ws", withXmppJs],
  ["xmpp.js", "tcp", withXmppJs],
  ["xmpp.js", "tls", withXmppJs],
  ["stanza", "ws", withStanza],
];

/** A device of user 42 that reconnects automatically. */
interface Device {
  /** Ids of the received messages. */
  messages: AsyncQueue<string>;
  send(id: string): void;
  /** Number of resumptions. */
  resumptions(): number;
  /** Resolves when stream management is on. */
  managed(): Promise<unknown>;
  /** Resolves when the library accepts messages again after its connection broke. */
  broken(): Promise<unknown>;
}

const closers: (() => unknown)[] = [];
beforeAll(async () => trustGlobally((await testCertificate()).current.cert));
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function withXmppJs(service: string): Promise<Device> {
  const xmpp = xmppJsClient({
    service,
    domain: DOMAIN,
    username: NAME,
    password: "password",
    resource: "xmpp.js",
  });
  Object.assign(xmpp.reconnect, { delay: 20 });
  (xmpp.reconnect as unknown as { start(): void }).start();
  xmpp.on("error", () => {});
  closers.push(() => xmpp.stop().catch(() => {}));
  const messages = new AsyncQueue<string>();
  let resumptions = 0;
  xmpp.on("stanza", (stanza: XmlNode) => {
    if (stanza.is("message")) messages.push(stanza.attrs.id ?? "");
  });
  xmpp.streamManagement.on("resumed", () => {
    resumptions += 1;
  });
  await xmpp.start();
  return {
    messages,
    resumptions: () => resumptions,
    managed: () =>
      eventually(
        () => xmpp.streamManagement.enabled,
        (enabled) => enabled,
      ),
    broken: async () => undefined,
    send(id) {
      const message = xml(
        "message",
        { to: `43-7@${DOMAIN}`, type: "chat", id },
        xml("body", {}, id),
      );
      void xmpp.send(message).catch(() => {});
    },
  };
}

async function withStanza(service: string): Promise<Device> {
  const stanza = createClient({
    jid: `${BARE}/stanza`,
    password: "password",
    transports: { websocket: service, bosh: false },
    autoReconnect: true,
    maxReconnectBackoff: 0.05,
  });
  closers.push(() => stanza.disconnect());
  const messages = new AsyncQueue<string>();
  let resumptions = 0;
  stanza.on("message", (message) => messages.push(message.id ?? ""));
  stanza.on("stream:management:resumed", () => {
    resumptions += 1;
  });
  const started = new Promise((resolve) => stanza.once("session:started", resolve));
  void stanza.connect();
  await started;
  return {
    messages,
    resumptions: () => resumptions,
    managed: () =>
      eventually(
        () => stanza.sm.started,
        (enabled) => enabled,
      ),
    // A write to a closing socket would prevent the library from reconnecting.
    broken: () =>
      eventually(
        () => stanza.transport,
        (transport) => transport === undefined,
      ),
    send: (id) => void stanza.sendMessage({ id, to: `43-7@${DOMAIN}`, type: "chat", body: id }),
  };
}

const sendTo42 = (bob: RawClient, id: string) =>
  bob.send(`<message to="${BARE}" type="chat" id="${id}"><body>${id}</body></message>`);

it.each(
  LIBRARIES,
)("%s resumes over %s, and nothing is lost in either direction", async (_name, transport, connect) => {
  const chat = await startChat();
  closers.push(() => chat.close());
  const url = new URL(chat.urls[transport]);
  const proxy = await startBreakableProxy(Number(url.port));
  closers.push(() => proxy.close());
  const bob = await signInRaw(chat.url, "43-7", "x");
  const bobNext = async () => /^<message .* id="([^"]*)"/.exec(await bob.next())?.[1];
  const device = await connect(`${url.protocol}//127.0.0.1:${proxy.port}`);
  await device.managed();
  for (let round = 1; round <= 3; round += 1) {
    sendTo42(bob, `before ${round}`);
    expect(await device.messages.next()).toBe(`before ${round}`);
    device.send(`from before ${round}`);
    expect(await bobNext()).toBe(`from before ${round}`);
    proxy.breakConnections();
    for (const part of ["a", "b", "c"]) sendTo42(bob, `${part} ${round}`);
    await device.broken();
    device.send(`from between ${round}`);
    for (const part of ["a", "b", "c"]) {
      const id = await eventually(
        () => device.messages.next(),
        // A stanza that was unacknowledged when the connection broke may arrive twice.
        (arrived) => arrived !== `before ${round}`,
      );
      expect(id).toBe(`${part} ${round}`);
    }
    const sent = await eventually(bobNext, (id) => id !== `from before ${round}`);
    expect(sent).toBe(`from between ${round}`);
    expect(device.resumptions()).toBe(round);
  }
  expect(chat.attempts).toHaveLength(1 + 4);
});

it("Strophe counts as the service does, in both directions", async () => {
  const chat = await startChat();
  closers.push(() => chat.close());
  const connection = new Strophe.Connection(chat.url);
  await new Promise<void>((resolve) => {
    connection.connect(`${BARE}/strophe`, "password", (status) => {
      if (status === Strophe.Status.CONNECTED) resolve();
    });
  });
  closers.push(() => connection.disconnect("end"));
  const received = new AsyncQueue<string>();
  const arrived = { r: new AsyncQueue<DomElement>(), a: new AsyncQueue<DomElement>() };
  const enabled = new AsyncQueue<DomElement>();
  let handled = 0;
  const listen = (name: string, xmlns: string | null, take: (element: DomElement) => void) => {
    const handle = (element: DomElement) => {
      take(element);
      return true;
    };
    connection.addHandler(handle, xmlns, name, null);
  };
  listen("enabled", SM, (element) => enabled.push(element));
  listen("r", SM, (element) => {
    arrived.r.push(element);
    connection.send($build("a", { xmlns: SM, h: String(handled) }));
  });
  listen("a", SM, (element) => arrived.a.push(element));
  listen("message", null, (element) => {
    handled += 1;
    received.push(element.getAttribute("id") ?? "");
  });
  connection.send($build("enable", { xmlns: SM, resume: "true" }));
  expect((await enabled.next()).getAttribute("resume")).toBe("true");
  const bob = await signInRaw(chat.url, "43-7", "x");
  for (let index = 0; index < 12; index += 1) {
    sendTo42(bob, `to ${index}`);
    connection.send($msg({ to: `43-7@${DOMAIN}`, type: "chat", id: `from ${index}` }));
  }
  for (let index = 0; index < 12; index += 1) {
    expect(await received.next()).toBe(`to ${index}`);
    expect(await bob.next()).toContain(` id="from ${index}"`);
  }
  await arrived.r.next();
  connection.send($build("r", { xmlns: SM }));
  expect((await arrived.a.next()).getAttribute("h")).toBe("12");
});
