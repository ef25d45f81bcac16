import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type XmlNode, type XmppClient, xml } from "@xmpp/client";
import { $iq, $msg, $pres, type DomElement, Strophe } from "strophe.js";
import { WebSocket } from "ws";
import { Fault } from "../../../src/core/errors";
import type { SubscriberMessage } from "../../../src/domain/calls/inbox/subscriber";
import type { Signal } from "../../../src/domain/calls/signals/signal";
import { contentOfSignal } from "../../../src/domain/calls/signals/signal-xml";
import { readFrame } from "../../../src/platform/xml/strict-reader";
import { decodeSignal, encodeSignal } from "../../../src/transports/xmpp/stanza/stanza";
import {
  auth,
  bind,
  connectRaw,
  DOMAIN,
  OPEN,
  SAMPLED_TRANSPORTS,
  signInRaw,
  startChat,
  type TestChat,
} from "../../support/chat/chat";
import { xmppJsClient } from "../../support/chat/xmpp-js";
import { SAMPLED } from "../../support/exhaustive";
import { testCertificate, trustGlobally } from "../../support/operations/certificates";

// Both libraries use the global WebSocket of browsers.
Object.assign(globalThis, { WebSocket });
Strophe.setLogLevel(Strophe.LogLevel.FATAL);

const FOLDER = join(__dirname, "../../../schema/xmpp");
const SDP = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts an endpoint for one test. */
async function startOwn(options: Parameters<typeof startChat>[0]): Promise<TestChat> {
  const own = await startChat(options);
  closers.push(() => own.close());
  return own;
}

describe.each(SAMPLED_TRANSPORTS)(`over %s${SAMPLED}`, (transport) => {
  let chat: TestChat;

  beforeAll(async () => trustGlobally((await testCertificate()).current.cert));
  beforeEach(async () => {
    chat = await startChat({ transport });
  });
  afterEach(() => chat.close());

  function xmppJs(
    username: string,
    password = "password",
    resource?: string,
    url = chat.url,
  ): XmppClient {
    const xmpp = xmppJsClient({ service: url, domain: DOMAIN, username, password, resource });
    xmpp.on("error", () => {});
    closers.push(() => xmpp.stop().catch(() => {}));
    return xmpp;
  }

  /** Signs in with xmpp.js and collects the messages. */
  async function signIn(username: string, resource?: string, password?: string) {
    const xmpp = xmppJs(username, password, resource);
    const messages: XmlNode[] = [];
    let wake = () => {};
    xmpp.on("stanza", (stanza) => {
      if (!stanza.is("message")) return;
      messages.push(stanza);
      wake();
    });
    const address = await xmpp.start();
    return {
      xmpp,
      jid: address.toString(),
      messages,
      async message(): Promise<XmlNode> {
        if (messages.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return messages.shift() as XmlNode;
      },
      iq: (attrs: Record<string, string>, ...children: XmlNode[]) =>
        xmpp.iqCaller.request(xml("iq", attrs, ...children), 5_000),
    };
  }

  /** Connects with Strophe. */
  async function strophe(jid: string, password = "password") {
    const connection = new Strophe.Connection(chat.urls[transport === "wss" ? "wss" : "ws"]);
    const messages: DomElement[] = [];
    const statuses: number[] = [];
    let wake = () => {};
    connection.addHandler(
      (stanza: DomElement) => {
        messages.push(stanza);
        wake();
        return true;
      },
      null,
      "message",
      null,
    );
    await new Promise<void>((resolve) => {
      connection.connect(jid, password, (status: number) => {
        statuses.push(status);
        const { CONNECTED, AUTHFAIL, CONNFAIL, DISCONNECTED } = Strophe.Status;
        if ([CONNECTED, AUTHFAIL, CONNFAIL, DISCONNECTED].includes(status)) resolve();
      });
    });
    closers.push(() => connection.disconnect("end"));
    return {
      connection,
      statuses,
      async message(): Promise<DomElement> {
        if (messages.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return messages.shift() as DomElement;
      },
    };
  }

  const callStanza = (to: string, sdp = SDP, attrs: Record<string, string> = {}) =>
    xml(
      "message",
      { to, type: "headline", id: "c1", ...attrs },
      xml(
        "extraParams",
        { xmlns: "jabber:client" },
        xml("moduleIdentifier", {}, "WebRTCVideoChat"),
        xml("signalType", {}, "call"),
        xml("sessionID", {}, "s1"),
        xml("callType", {}, "1"),
        xml("sdp", {}, sdp),
        xml("platform", {}, "Web"),
        xml("callerID", {}, "42"),
        xml("opponentsIDs", {}, xml("opponentID", {}, "43")),
        xml("full_name", {}, "Zoë"),
      ),
    );

  /** Attaches a device as a GraphQL subscription does. Returns a function for its next signal. */
  async function subscribe(userId = 43) {
    const messages: SubscriberMessage[] = [];
    let wake = () => {};
    const { detach } = await chat.router.attach({
      party: { applicationId: 7, userId, resource: "graphql" },
      protocol: "graphql",
      receive(message) {
        messages.push(message);
        wake();
      },
      close() {},
    });
    closers.push(detach);
    return async (): Promise<Signal> => {
      for (;;) {
        const message = messages.shift();
        if (message?.kind === "signal") return message.signal;
        if (!message) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    };
  }

  describe("authentication", () => {
    it("accepts xmpp.js with the ids and a password, and binds the requested resource", async () => {
      const { jid } = await signIn("42-7", "web");
      expect(jid).toBe("42-7@chat.example/web");
      expect(chat.attempts).toEqual([
        { applicationId: 7, userId: 42, secret: "password", ip: "127.0.0.1", origin: undefined },
      ]);
      expect([...chat.live]).toMatchObject([{ applicationId: 7, userId: 42, sessionId: null }]);
    });

    it("accepts xmpp.js with a session token, and assigns a unique resource", async () => {
      const [one, two] = [await signIn("42-7", undefined, "token"), await signIn("42-7")];
      expect(one.jid).toMatch(/^42-7@chat\.example\/.{8,}$/);
      expect(two.jid).not.toBe(one.jid);
      expect([...chat.live].map(({ sessionId }) => sessionId)).toEqual([1042, null]);
    });

    it("accepts Strophe with the bare and the full JID", async () => {
      const bare = await strophe("42-7@chat.example");
      expect(bare.statuses.at(-1)).toBe(Strophe.Status.CONNECTED);
      const full = await strophe("42-7@chat.example/phone");
      expect(full.connection.jid).toBe("42-7@chat.example/phone");
    });

    it("accepts the bare JID as the user name", async () => {
      const raw = await signInRaw(chat.url, "42-7@chat.example", "x");
      expect(raw.received.at(-1)).toContain("<jid>42-7@chat.example/x</jid>");
      raw.socket.terminate();
    });

    it.each([
      ["a wrong password", "42-7", "wrong"],
      ["an unknown user", "99-7", "password"],
      ["an invalid user name", "alice", "password"],
    ])("fails alike for %s", async (_name, username, password) => {
      await expect(xmppJs(username, password).start()).rejects.toMatchObject({
        name: "SASLError",
        condition: "not-authorized",
      });
      const { statuses } = await strophe(`${username}@chat.example`, password);
      expect(statuses.at(-1)).toBe(Strophe.Status.AUTHFAIL);
    });

    it("offers only PLAIN, and then binding and stream management", async () => {
      const raw = await signInRaw(chat.url, "42-7", "web");
      const features = raw.received.filter((frame) => frame.startsWith("<stream:features"));
      const offered = features.map((frame) => frame.match(/<(?!\/)[\w:]+/g)?.slice(1));
      expect(offered).toEqual([
        ["<mechanisms", "<mechanism"],
        ["<bind", "<session", "<optional", "<sm"],
      ]);
      expect(features[0]).toContain("<mechanism>PLAIN</mechanism>");
      raw.socket.terminate();
    });

    it("reports an outage as a temporary failure", async () => {
      const down = await startChat({
        transport,
        authenticate: async () => {
          throw new Fault("UNAVAILABLE", "The database is away");
        },
      });
      closers.push(() => down.close());
      await expect(xmppJs("42-7", "password", undefined, down.url).start()).rejects.toMatchObject({
        condition: "temporary-auth-failure",
      });
    });

    it("closes the previous stream of the same resource", async () => {
      const old = await signInRaw(chat.url, "42-7", "web");
      const { xmpp } = await signIn("42-7", "web");
      const { frames } = await old.rest();
      expect(frames.join("")).toMatch(/<stream:error.*<conflict .*<close /);
      expect(xmpp.status).toBe("online");
      expect((await chat.metrics.sockets.get()).values).toMatchObject([{ value: 1 }]);
    });

    it("closes the stream when its session or its user ends", async () => {
      const raw = await signInRaw(chat.url, "42-7", "web", "token");
      for (const stream of chat.live) stream.close();
      const { frames } = await raw.rest();
      expect(frames.join("")).toMatch(
        /<stream:error.*<not-authorized .*The session has ended.*<close /,
      );
      expect(chat.live.size).toBe(0);
    });

    it("is watched with the fingerprint of its password", async () => {
      const own = await startOwn({
        transport,
        authenticate: async () => ({
          sessionId: null,
          passwordFingerprint: "fingerprint",
          confirm: async () => undefined,
        }),
      });
      const raw = await signInRaw(own.url, "42-7", "web");
      const [stream] = own.live;
      expect(stream).toMatchObject({ userId: 42, sessionId: null });
      expect(stream?.passwordFingerprint).toBe("fingerprint");
      raw.socket.terminate();
    });

    it("unregisters the stream when the client closes it", async () => {
      const { xmpp } = await signIn("42-7", "web");
      await xmpp.stop();
      const raw = await signInRaw(chat.url, "43-7", "x");
      raw.send('<close xmlns="urn:ietf:params:xml:ns:xmpp-framing"/>');
      expect(await raw.rest()).toEqual({
        frames: ['<close xmlns="urn:ietf:params:xml:ns:xmpp-framing" />'],
        code: 1000,
      });
      expect(chat.live.size).toBe(0);
    });
  });

  describe("requests", () => {
    const PING = xml("ping", { xmlns: "urn:xmpp:ping" });
    const query = (xmlns: string) => xml("query", { xmlns });

    it.each<[string, Record<string, string>, XmlNode]>([
      ["a ping without an address", { type: "get" }, PING],
      ["a ping to the server", { type: "get", to: DOMAIN }, PING],
      ["a ping to the own account", { type: "get", to: "42-7@chat.example" }, PING],
      ["a ping to itself", { type: "get", to: "42-7@chat.example/web" }, PING],
      [
        "a legacy session",
        { type: "set" },
        xml("session", { xmlns: "urn:ietf:params:xml:ns:xmpp-session" }),
      ],
      ["carbons", { type: "set" }, xml("enable", { xmlns: "urn:xmpp:carbons:2" })],
      ["the roster", { type: "get" }, query("jabber:iq:roster")],
      ["privacy lists", { type: "get" }, query("jabber:iq:privacy")],
      ["the own vCard", { type: "get" }, xml("vCard", { xmlns: "vcard-temp" })],
      ["items", { type: "get", to: DOMAIN }, query("http://jabber.org/protocol/disco#items")],
      ["last activity", { type: "get", to: DOMAIN }, query("jabber:iq:last")],
    ])("has a result for %s", async (_name, attrs, child) => {
      const { iq } = await signIn("42-7", "web");
      const result = await iq(attrs, child);
      expect(result.attrs.type).toBe("result");
      if (child.name === "query") expect(result.getChild("query", child.attrs.xmlns)).toBeDefined();
    });

    it("identifies the server and the account", async () => {
      const { iq } = await signIn("42-7", "web");
      const info = query("http://jabber.org/protocol/disco#info");
      const server = (await iq({ type: "get", to: DOMAIN }, info)).getChild("query");
      expect(server?.getChild("identity")?.attrs).toMatchObject({ category: "server", type: "im" });
      expect(server?.getChildren("feature").map(({ attrs }) => attrs.var)).toContain(
        "urn:xmpp:ping",
      );
      const own = await iq({ type: "get", to: "42-7@chat.example" }, info);
      expect(own.getChild("query")?.getChild("identity")?.attrs.category).toBe("account");
    });

    it.each<[string, Record<string, string>, XmlNode, string]>([
      ["an unknown request", { type: "get" }, query("urn:x"), "service-unavailable"],
      ["a set privacy list", { type: "set" }, query("jabber:iq:privacy"), "service-unavailable"],
      ["another user", { type: "get", to: "43-7@chat.example/x" }, PING, "service-unavailable"],
      ["another domain", { type: "get", to: "other.example" }, PING, "remote-server-not-found"],
      ["no address", { type: "get", to: "a@@b" }, PING, "jid-malformed"],
      [
        "a second bind",
        { type: "set" },
        xml("bind", { xmlns: "urn:ietf:params:xml:ns:xmpp-bind" }),
        "not-allowed",
      ],
    ])("refuses %s", async (_name, attrs, child, condition) => {
      const { iq } = await signIn("42-7", "web");
      await expect(iq(attrs, child)).rejects.toMatchObject({ name: "StanzaError", condition });
    });

    it.each([
      ["no id", '<iq type="get"><ping xmlns="urn:xmpp:ping"/></iq>'],
      ["no type", '<iq id="1"><ping xmlns="urn:xmpp:ping"/></iq>'],
      ["an unknown type", '<iq id="1" type="put"><ping xmlns="urn:xmpp:ping"/></iq>'],
      ["no child", '<iq id="1" type="get"/>'],
      ["two children", '<iq id="1" type="get"><a/><b/></iq>'],
    ])("are refused as bad requests with %s", async (_name, frame) => {
      const raw = await signInRaw(chat.url, "42-7", "web");
      raw.send(frame);
      expect(await raw.next()).toMatch(/^<iq [^>]*type="error"><error type="modify"><bad-request /);
      raw.socket.terminate();
    });

    it("ignores results, errors, presence and client states", async () => {
      const raw = await signInRaw(chat.url, "42-7", "web");
      raw.send('<iq id="1" type="result"/>');
      raw.send('<iq id="2" type="error" to="other.example"/>');
      raw.send('<presence xmlns="jabber:client"/>');
      raw.send('<presence type="unavailable"/>');
      raw.send('<inactive xmlns="urn:xmpp:csi:0"/>');
      raw.send(" ");
      raw.send('<iq id="3" type="get"><ping xmlns="urn:xmpp:ping"/></iq>');
      expect(await raw.next()).toMatch(/^<iq [^>]*type="result"[^>]*id="3"/);
      raw.socket.terminate();
    });

    it("work with Strophe", async () => {
      const { connection } = await strophe("42-7@chat.example/web");
      connection.send($pres());
      const answer = await new Promise<DomElement>((resolve, reject) => {
        connection.sendIQ(
          $iq({ type: "get", to: DOMAIN }).c("ping", { xmlns: "urn:xmpp:ping" }),
          resolve,
          reject,
        );
      });
      expect(answer.getAttribute("type")).toBe("result");
    });
  });

  describe("signals", () => {
    it("go from xmpp.js to every device of the user, before any presence", async () => {
      const alice = await signIn("42-7", "web");
      const bobs = [await signIn("43-7", "one"), await signIn("43-7", "two")];
      const other = await signIn("44-7", "three");
      const subscriber = await subscribe();
      await alice.xmpp.send(
        callStanza("43-7@chat.example", SDP, { from: "1-7@chat.example/forged" }),
      );
      for (const bob of bobs) {
        const message = await bob.message();
        expect(message.attrs).toEqual({
          xmlns: "jabber:client",
          from: "42-7@chat.example/web",
          to: "43-7@chat.example",
          id: "c1",
          type: "headline",
        });
        const params = message.getChild("extraParams");
        expect(params?.getChildText("sdp")).toBe(SDP);
        expect(params?.getChildText("callerID")).toBe("42");
        expect(params?.getChildText("full_name")).toBe("Zoë");
        expect(message.getChild("delay")).toBeUndefined();
      }
      const signal = await subscriber();
      expect(signal).toMatchObject({
        id: "c1",
        from: { applicationId: 7, userId: 42, resource: "web" },
        type: "call",
      });
      expect(contentOfSignal(signal)).toMatchObject({ sdp: SDP, callerId: "42" });
      expect(other.messages).toEqual([]);
    });

    it("go to one device by its full JID, and are never deduplicated", async () => {
      const alice = await signIn("42-7", "web");
      const [one, two] = [await signIn("43-7", "one"), await signIn("43-7", "two")];
      for (let count = 0; count < 3; count += 1)
        await alice.xmpp.send(callStanza("43-7@chat.example/two"));
      await alice.xmpp.send(callStanza("43-7@chat.example", SDP, { id: "c2" }));
      const ids = [];
      for (let count = 0; count < 4; count += 1) ids.push((await two.message()).attrs.id);
      expect(ids).toEqual(["c1", "c1", "c1", "c2"]);
      expect((await one.message()).attrs.id).toBe("c2");
    });

    it("keep a CRLF sdp byte for byte between Strophe and xmpp.js, in both directions", async () => {
      const strophe43 = await strophe("43-7@chat.example/old");
      const alice = await signIn("42-7", "web");
      await alice.xmpp.send(callStanza("43-7@chat.example"));
      const got = await strophe43.message();
      expect(got.getElementsByTagName("sdp")[0]?.textContent).toBe(SDP);
      strophe43.connection.send(
        $msg({ to: "42-7@chat.example", type: "headline", id: "a1" })
          .c("extraParams")
          .c("moduleIdentifier")
          .t("WebRTCVideoChat")
          .up()
          .c("signalType")
          .t("accept")
          .up()
          .c("sdp")
          .t(SDP)
          .up(),
      );
      const answer = await alice.message();
      expect(answer.attrs.from).toBe("43-7@chat.example/old");
      expect(answer.getChild("extraParams")?.getChildText("sdp")).toBe(SDP);
    });

    it("arrive from a GraphQL sender with a CRLF sdp", async () => {
      const bob = await signIn("43-7", "one");
      const from = { applicationId: 7, userId: 42, resource: "graphql" };
      const to = { applicationId: 7, userId: 43 };
      const iceCandidates = [{ sdpMLineIndex: 0, candidate: "candidate:1", extra: [] }];
      await chat.router.send("graphql", {
        id: "g",
        from,
        to,
        type: "iceCandidates",
        sdp: SDP,
        iceCandidates,
        extra: [],
      });
      const message = await bob.message();
      const params = message.getChild("extraParams");
      expect(message.attrs.from).toBe("42-7@chat.example/graphql");
      expect(params?.getChildText("sdp")).toBe(SDP);
      expect(params?.getChild("iceCandidates")?.toString()).toBe(
        "<iceCandidates><iceCandidate><sdpMLineIndex>0</sdpMLineIndex><candidate>candidate:1</candidate></iceCandidate></iceCandidates>",
      );
    });

    it.each(readdirSync(FOLDER))("arrive unchanged: %s", async (file) => {
      const frame = readFileSync(join(FOLDER, file), "utf8");
      const bob = await signInRaw(chat.url, "43-7", "x");
      const alice = await signInRaw(chat.url, "42-7", "web");
      alice.send(frame.replace(/ to="[^"]*"/, ' to="43-7@chat.example"'));
      const read = (text: string) => {
        const element = readFrame(text, 65_536);
        const party = { applicationId: 7, userId: 1 };
        return element && decodeSignal(element, party, party);
      };
      const got = await bob.next();
      expect(read(got)).toEqual(read(frame));
      const sdpOf = (text: string) => {
        const signal = read(text);
        return signal && contentOfSignal(signal).sdp;
      };
      expect(sdpOf(got)).toBe(sdpOf(frame));
      expect(got).toContain(' from="42-7@chat.example/web" to="43-7@chat.example"');
      alice.socket.terminate();
      bob.socket.terminate();
    });

    it("keep their order", async () => {
      const bob = await signInRaw(chat.url, "43-7", "x");
      const alice = await signInRaw(chat.url, "42-7", "web");
      const signal = {
        from: { applicationId: 7, userId: 1 },
        to: { applicationId: 7, userId: 43 },
        type: "update",
        extra: [],
      };
      const ids = Array.from({ length: 200 }, (_, index) => `n${index}`);
      for (const id of ids) alice.send(encodeSignal({ ...signal, id }, DOMAIN));
      for (const id of ids) expect(await bob.next()).toContain(` id="${id}"`);
      alice.socket.terminate();
      bob.socket.terminate();
    });

    it.each([
      ["another application", "42-8@chat.example", "item-not-found"],
      ["an unknown user", "99-7@chat.example", "item-not-found"],
      ["an invalid user name", "alice@chat.example", "item-not-found"],
      ["the server", "chat.example", "service-unavailable"],
      ["another domain", "43-7@other.example", "remote-server-not-found"],
    ])("to %s are answered with an error", async (_name, to, condition) => {
      const alice = await signIn("42-7", "web");
      for (const type of ["headline", "chat"]) {
        await alice.xmpp.send(callStanza(to, SDP, { type }));
        const message = await alice.message();
        expect(message.attrs).toMatchObject({
          type: "error",
          id: "c1",
          from: to,
          to: "42-7@chat.example/web",
        });
        expect(message.getChild("error")?.getChild(condition)).toBeDefined();
      }
    });

    it("to an invalid address are answered with an error without that address", async () => {
      const alice = await signInRaw(chat.url, "42-7", "web");
      alice.send('<message to="43-7@" type="headline" id="j"/>');
      expect(await alice.next()).toMatch(
        /^<message xmlns="jabber:client" to="42-7@chat.example\/web" id="j" type="error"><error type="modify"><jid-malformed /,
      );
      alice.socket.terminate();
    });

    it("of a call with a fifth party are refused", async () => {
      const alice = await signInRaw(chat.url, "42-7", "web");
      const opponents = [43, 44, 45, 46].map((id) => `<opponentID>${id}</opponentID>`).join("");
      alice.send(
        `<message to="43-7@chat.example" type="headline" id="f"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType><opponentsIDs>${opponents}</opponentsIDs></extraParams></message>`,
      );
      expect(await alice.next()).toMatch(
        /type="error".*<error type="wait"><resource-constraint .*at most 4 parties/,
      );
      alice.socket.terminate();
    });

    it("to a user who is not connected are accepted", async () => {
      const alice = await signIn("42-7", "web");
      await alice.xmpp.send(callStanza("44-7@chat.example"));
      await alice.iq({ type: "get" }, xml("ping", { xmlns: "urn:xmpp:ping" }));
      expect(alice.messages).toEqual([]);
    });
  });

  describe("other messages", () => {
    it("are delivered unchanged, with the sender's full JID", async () => {
      const bob = await signInRaw(chat.url, "43-7", "x");
      const alice = await signInRaw(chat.url, "42-7", "web");
      alice.send(
        '<message xmlns="jabber:client" to="43-7@chat.example" type="chat" id="m&quot;1" xml:lang="de" from="1-7@chat.example"><body>a&#13;\nb &lt;c&gt;</body><x xmlns="urn:x" y="1"/></message>',
      );
      const expected =
        '<message xmlns="jabber:client" to="43-7@chat.example" type="chat" id="m&quot;1" xml:lang="de" from="42-7@chat.example/web"><body>a&#13;\nb &lt;c&gt;</body><x xmlns="urn:x" y="1"/></message>';
      expect(await bob.next()).toBe(expected);
      alice.socket.terminate();
      bob.socket.terminate();
    });

    it("without an address go to the sender's own devices", async () => {
      const alice = await signInRaw(chat.url, "42-7", "web");
      alice.send('<message type="chat"><body>note</body></message>');
      expect(await alice.next()).toBe(
        '<message xmlns="jabber:client" type="chat" from="42-7@chat.example/web"><body>note</body></message>',
      );
      alice.socket.terminate();
    });

    it("to a group are refused; error stanzas are never answered", async () => {
      const alice = await signInRaw(chat.url, "42-7", "web");
      alice.send('<message to="room@muc.chat.example" type="groupchat" id="g"/>');
      expect(await alice.next()).toContain("<remote-server-not-found ");
      alice.send('<message to="43-7@chat.example" type="groupchat" id="g"/>');
      expect(await alice.next()).toContain("<service-unavailable ");
      for (const to of ["99-7@chat.example", "x@other.example", "a@@b", "chat.example"]) {
        alice.send(`<message to="${to}" type="error" id="e"/>`);
      }
      alice.send('<iq id="p" type="get"><ping xmlns="urn:xmpp:ping"/></iq>');
      expect(await alice.next()).toContain('id="p"');
      alice.socket.terminate();
    });
  });

  describe("limits", () => {
    const start = (options: Parameters<typeof startChat>[0]) => startOwn({ transport, ...options });

    it("disconnects a client that does not authenticate or bind in time", async () => {
      const { url } = await start({ limits: { negotiationMs: 60 } });
      const silent = await connectRaw(url);
      expect((await silent.rest()).frames.join("")).toMatch(
        /^<open .*<connection-timeout .*<close /,
      );
      // A busy machine may not sign in within a short time limit, so each attempt has a longer one.
      let frames = "";
      for (let negotiationMs = 60; !frames.includes("<success "); negotiationMs *= 4) {
        const unbound = await connectRaw((await start({ limits: { negotiationMs } })).url);
        for (const frame of [OPEN, auth("42-7", "password"), OPEN]) unbound.send(frame);
        frames = (await unbound.rest()).frames.join("");
        expect(frames).toMatch(/<connection-timeout /);
      }
      expect(frames).toMatch(/<success .*<connection-timeout /);
    });

    it("pings an idle client, and keeps one that responds", async () => {
      const { url } = await start({ limits: { idleMs: 500 } });
      const raw = await signInRaw(url, "42-7", "web");
      // Over WebSocket the endpoint also sends a ping of the transport.
      let pings = 0;
      const socket = raw.socket instanceof WebSocket ? raw.socket : undefined;
      socket?.removeAllListeners("ping");
      socket?.on("ping", () => {
        pings += 1;
      });
      for (let count = 0; count < 4; count += 1) {
        const ping = await raw.next();
        expect(ping).toMatch(
          /^<iq [^>]*type="get"[^>]*from="chat.example" to="42-7@chat.example\/web"><ping /,
        );
        raw.send(`<iq type="result" id="${/id="([^"]*)"/.exec(ping)?.[1]}"/>`);
      }
      expect(pings).toBeGreaterThanOrEqual(socket ? 4 : 0);
      expect(raw.socket.readyState).toBe(WebSocket.OPEN);
      raw.socket.terminate();
    });

    it("disconnects a dead client", async () => {
      const own = await start({ limits: { idleMs: 500 } });
      const raw = await signInRaw(own.url, "42-7", "web");
      raw.socket.pause();
      while (own.live.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      expect((await own.metrics.sockets.get()).values).toMatchObject([{ value: 0 }]);
      raw.socket.terminate();
    });

    it("disconnects only the client that does not read", async () => {
      const own = await start({ limits: { backlogBytes: 100_000, closeMs: 50 } });
      const stalled = await signInRaw(own.url, "43-7", "stalled");
      const reader = await signInRaw(own.url, "43-7", "reader");
      const alice = await signInRaw(own.url, "42-7", "web");
      stalled.socket.pause();
      let sent = 0;
      while (own.live.size === 3) {
        alice.send(
          `<message to="43-7@chat.example" type="chat" id="m${sent}"><body>${"x".repeat(60_000)}</body></message>`,
        );
        expect(await reader.next()).toContain(` id="m${sent}"`);
        sent += 1;
        if (sent > 2_000) throw new Error("the backlog is not limited");
      }
      expect([...own.live].map(({ userId }) => userId).sort()).toEqual([42, 43]);
      for (const raw of [stalled, reader, alice]) raw.socket.terminate();
    });

    it("applies back-pressure to a client that sends faster than its messages are handled", async () => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const own = await start({
        limits: { maxQueued: 4 },
        router: (router) => ({
          ...router,
          relay: (...args) => gate.then(() => router.relay(...args)),
        }),
      });
      const alice = await signInRaw(own.url, "42-7", "web");
      const count = 3_000;
      const frame = `<message to="44-7@chat.example" type="chat" id="m"><body>${"x".repeat(8_000)}</body></message>`;
      for (let sent = 0; sent < count; sent += 1) alice.send(frame);
      // The rest stays with the client once the endpoint's queue and the buffers of both sockets are full.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(alice.socket.bufferedAmount).toBeGreaterThan((count * frame.length) / 4);
      open();
      alice.send('<iq id="last" type="get"><ping xmlns="urn:xmpp:ping"/></iq>');
      expect(await alice.next()).toContain(' id="last"');
      expect(alice.socket.bufferedAmount).toBe(0);
      alice.socket.terminate();
    });

    it("throttles failed sign-ins and closes the stream after five", async () => {
      const { url } = await start({ limits: { failureDelayMs: 20 } });
      const raw = await connectRaw(url);
      raw.send(OPEN);
      for (let count = 0; count < 5; count += 1) raw.send(auth("42-7", "wrong"));
      const { frames } = await raw.rest();
      expect(frames.filter((frame) => frame.includes("<not-authorized/></failure>"))).toHaveLength(
        5,
      );
      expect(frames.join("")).toMatch(/<policy-violation .*<close /);
    });

    it("does not delay a sign-in because ended tokens were sent before", async () => {
      const { url } = await start({ limits: { failureDelayMs: 600_000 } });
      const signIn = async (secret: string) => {
        const raw = await connectRaw(url);
        for (const frame of [OPEN, auth("42-7", secret)]) raw.send(frame);
        for (let count = 0; count < 2; count += 1) await raw.next();
        const answer = await raw.next();
        raw.socket.terminate();
        return answer;
      };
      for (let count = 0; count < 5; count += 1) {
        expect(await signIn("x".repeat(43))).toContain("<not-authorized");
      }
      expect(await signIn("password")).toContain("<success");
    });

    it("cancels a delayed sign-in when its client disconnects", async () => {
      const own = await start({ limits: { failureDelayMs: 600_000, maxFailures: 9 } });
      const raw = await connectRaw(own.url);
      raw.send(OPEN);
      for (let count = 0; count < 4; count += 1) raw.send(auth("42-7", "wrong"));
      for (let count = 0; count < 5; count += 1) await raw.next();
      raw.socket.terminate();
      await own.close();
      expect(own.attempts).toHaveLength(3);
    });

    it("ends streams with system-shutdown when it closes", async () => {
      const own = await start({});
      const [raw, fresh] = [await signInRaw(own.url, "42-7", "web"), await connectRaw(own.url)];
      const [, bound, unbound] = await Promise.all([own.close(), raw.rest(), fresh.rest()]);
      for (const { frames, code } of [bound, unbound]) {
        expect(frames.join("")).toMatch(/<system-shutdown .*<close /);
        expect(code).toBe(1000);
      }
      await expect(connectRaw(own.url)).rejects.toThrow();
    });

    it("closes the connection of an unresponsive client by force", async () => {
      const own = await start({ limits: { closeMs: 30 } });
      const raw = await signInRaw(own.url, "42-7", "web");
      raw.socket.pause();
      await own.close();
      expect(own.live.size).toBe(0);
      raw.socket.terminate();
    });
  });
});

describe("over WebSocket only", () => {
  it("requires encryption beyond loopback unless a proxy is trusted", async () => {
    const open = await startOwn({ config: { HOST: "0.0.0.0" } });
    const raw = await connectRaw(open.url);
    raw.send(OPEN);
    await raw.next();
    expect(await raw.next()).not.toContain("PLAIN");
    raw.send(auth("42-7", "password"));
    expect(await raw.next()).toContain("<encryption-required/>");
    raw.socket.terminate();
    expect(open.attempts).toEqual([]);

    const behindProxy = await startOwn({
      config: { HOST: "0.0.0.0", XMPP_TRUSTED_PROXY: true, TRUST_PROXY: ["127.0.0.0/8"] },
    });
    const proxied = await connectRaw(behindProxy.url, {
      headers: { "x-forwarded-for": "198.51.100.1, 203.0.113.9, 127.0.0.2" },
    });
    for (const frame of [OPEN, auth("42-7", "password"), OPEN, bind()]) proxied.send(frame);
    for (let count = 0; count < 6; count += 1) await proxied.next();
    expect(behindProxy.attempts).toMatchObject([{ ip: "203.0.113.9" }]);
    proxied.socket.terminate();
  });

  it("checks the origin of a web page", async () => {
    const own = await startOwn({ config: { CORS_ORIGINS: ["https://app.example"] } });
    const good = await connectRaw(own.url, { origin: "https://app.example" });
    for (const frame of [OPEN, auth("42-7", "password")]) good.send(frame);
    for (let count = 0; count < 3; count += 1) await good.next();
    expect(own.attempts).toMatchObject([{ origin: "https://app.example" }]);
    good.socket.terminate();
    (await connectRaw(own.url)).socket.terminate();
    const bad = new WebSocket(own.url, "xmpp", { origin: "https://evil.example" });
    await expect(once(bad, "open")).rejects.toThrow("403");
  });
});
