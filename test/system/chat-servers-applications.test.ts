import { freePort } from "../../scripts/services/binaries";
import { connectGraphqlWs } from "../support/calls/graphql-signals";
import { jidOf } from "../support/calls/signal-clients";
import { ANY_STANZA } from "../support/chat/any-stanza";
import { bind } from "../support/chat/chat";
import { CHAT_DOMAIN, type ChatServer } from "../support/chat/chat-servers/chat-server";
import { startEjabberd } from "../support/chat/chat-servers/ejabberd";
import { startProsody } from "../support/chat/chat-servers/prosody";
import type { RawClient } from "../support/chat/raw-client";
import { isComponentConnected, signedInFrames } from "../support/chat/server-clients";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { describeServices } from "../support/operations/database";
import { newUser, type TestUser } from "../support/rest-client";
import { secondApplication } from "../support/sessions/second-application";

/** Isolation of applications on the real Prosody and the real ejabberd, for every kind of stanza. */

const COMPONENT_SECRET = "a component's secret";
const SIGN_IN_SECRET = "a secret for signing in";

/** An address that the configuration shares with the users of all applications. */
const SHARED = `helpdesk@${CHAT_DOMAIN}`;

/** Whether a frame contains an id; the servers use different quotes. */
const has = (frame: string, id: string) => frame.includes(`'${id}'`) || frame.includes(`"${id}"`);

/** A raw chat client. */
interface Device {
  jid: string;
  bare: string;
  send(xml: string): void;
  /** The frames before the one with an id. */
  until(id: string): Promise<string[]>;
}

describeServices.each([
  { name: "Prosody", start: startProsody },
  { name: "ejabberd", start: startEjabberd },
])("on $name", ({ start }) => {
  let server: ChatServer;
  let node: TestNode;
  let other: TestNode;
  let alice: TestUser;
  let bob: TestUser;
  let eve: TestUser;
  let friend: Device;
  let receiver: Device;
  let stranger: Device;
  const sockets: RawClient[] = [];
  let count = 0;
  const newId = () => `id-${++count}`;

  beforeAll(async () => {
    const port = await freePort();
    server = await start({
      signInUrl: `http://127.0.0.1:${port}/chat/sign-in`,
      componentSecret: COMPONENT_SECRET,
      signInSecret: SIGN_IN_SECRET,
      shared: [SHARED],
    });
    node = await startNode({
      CHAT_MODE: "component",
      CHAT_DOMAIN,
      CHAT_SERVER: `127.0.0.1:${server.componentPort}`,
      CHAT_SECRET: COMPONENT_SECRET,
      CHAT_SIGN_IN_SECRET: SIGN_IN_SECRET,
      CHAT_URL: server.url,
      PORT: String(port),
    });
    other = await secondApplication(node);
    [alice, bob, eve] = [await newUser(node), await newUser(node), await newUser(other)];
    await eventually(() => isComponentConnected(node), Boolean);
    friend = await device(node, alice);
    receiver = await device(node, bob);
    stranger = await device(other, eve);
  });
  afterAll(async () => {
    for (const { socket } of sockets) socket.terminate();
    await node?.stop();
    await server?.stop();
  });

  async function device(of: TestNode, user: TestUser, resource = "phone"): Promise<Device> {
    const raw = await signedInFrames(server, of, user, user.password);
    sockets.push(raw);
    raw.send(bind(resource));
    await raw.next();
    const until = async (id: string) => {
      const frames: string[] = [];
      for (;;) {
        const frame = await raw.next();
        if (has(frame, id)) return frames;
        frames.push(frame);
      }
    };
    const made: Device = {
      jid: jidOf(of, user, resource),
      bare: jidOf(of, user),
      send: (xml) => raw.send(xml),
      until,
    };
    // Only devices that have requested the roster get subscriptions (RFC 6121 section 2.2).
    const roster = '<query xmlns="jabber:iq:roster"/>';
    made.send(`<iq xmlns="jabber:client" type="get" id="roster">${roster}</iq>`);
    made.send('<presence xmlns="jabber:client"/>');
    await settled(made);
    return made;
  }

  /** The frames that a device has received when everything sent by it, or by another device, is handled. */
  async function settled(of: Device, by = of): Promise<string[]> {
    const id = newId();
    by.send(
      `<message xmlns="jabber:client" type="chat" to="${of.jid}" id="${id}"><body/></message>`,
    );
    return of.until(id);
  }

  /** The frames that a device has received when the server has handled everything that it sent. */
  async function handled(of: Device): Promise<string[]> {
    const id = newId();
    of.send(
      `<iq xmlns="jabber:client" type="get" to="${CHAT_DOMAIN}" id="${id}"><ping xmlns="urn:xmpp:ping"/></iq>`,
    );
    return of.until(id);
  }

  const hasError = (frames: string[], id: string, condition: string) =>
    frames.some((frame) => has(frame, id) && frame.includes(`<${condition}`));

  describe.each(["bare", "jid"] as const)("to another application's user, %s", (kind) => {
    it.each(ANY_STANZA)("$name is not delivered", async ({ xml, answered }) => {
      const id = newId();
      stranger.send(xml(receiver[kind], id));
      const frames = await handled(stranger);
      expect([hasError(frames, id, "item-not-found"), frames.length]).toEqual(
        answered ? [true, 1] : [false, 0],
      );
      expect(await settled(receiver, friend)).toEqual([]);
    });
  });

  it("GraphQL devices of another application get nothing either", async () => {
    const graph = await connectGraphqlWs(node, bob);
    graph.discard();
    for (const { xml } of ANY_STANZA) stranger.send(xml(receiver.bare, newId()));
    await handled(stranger);
    friend.send(signal(receiver.bare, "marker", "hangUp"));
    expect((await graph.next()).id).toBe("marker");
    await graph.close();
    await settled(receiver, friend);
  });

  const signal = (to: string, id: string, type: string, content = "") =>
    `<message xmlns="jabber:client" type="headline" to="${to}" id="${id}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${type}</signalType><sessionID>s</sessionID>${content}</extraParams></message>`;

  describe("between users of one application", () => {
    const PASSED = ["a chat message", "a signal", "presence available", "presence unavailable"];
    it.each(
      ANY_STANZA.filter(({ name }) => PASSED.includes(name)),
    )("$name is delivered", async (kind) => {
      const id = newId();
      friend.send(kind.xml(receiver.jid, id));
      const frames = await settled(receiver, friend);
      expect(frames.filter((frame) => has(frame, id))).toHaveLength(1);
    });

    it("an iq is answered by the addressed device", async () => {
      const id = newId();
      friend.send(
        `<iq xmlns="jabber:client" type="get" to="${receiver.jid}" id="${id}"><ping xmlns="urn:xmpp:ping"/></iq>`,
      );
      const [asked] = await settled(receiver, friend);
      expect(has(asked ?? "", id)).toBe(true);
      receiver.send(`<iq xmlns="jabber:client" type="result" to="${friend.jid}" id="${id}"/>`);
      expect((await settled(friend, receiver)).some((frame) => has(frame, id))).toBe(true);
    });

    it("a presence subscription is requested and granted", async () => {
      friend.send(`<presence xmlns="jabber:client" to="${receiver.bare}" type="subscribe"/>`);
      const asked = await settled(receiver, friend);
      expect(asked.some((frame) => /type=['"]subscribe['"]/.test(frame))).toBe(true);
      receiver.send(`<presence xmlns="jabber:client" to="${friend.bare}" type="subscribed"/>`);
      const granted = await settled(friend, receiver);
      expect(granted.some((frame) => /type=['"]subscribed['"]/.test(frame))).toBe(true);
      for (const each of [friend, receiver]) await settled(each);
    });
  });

  describe("other addresses", () => {
    it.each([
      [`admin@${CHAT_DOMAIN}`],
      [`007-1@${CHAT_DOMAIN}`],
      [`1-1-1@${CHAT_DOMAIN}`],
      [`somebody@${CHAT_DOMAIN}/phone`],
    ])("%s is refused", async (address) => {
      for (const { xml, answered } of ANY_STANZA) {
        const id = newId();
        stranger.send(xml(address, id));
        const frames = await handled(stranger);
        expect(hasError(frames, id, "item-not-found")).toBe(answered);
      }
    });

    it("a shared address of the configuration can be reached", async () => {
      const id = newId();
      const version = '<query xmlns="jabber:iq:version"/>';
      stranger.send(
        `<iq xmlns="jabber:client" type="get" to="${SHARED}" id="${id}">${version}</iq>`,
      );
      // Nobody uses the address: the error comes from the server itself, not from the module.
      const [answer = ""] = (await handled(stranger)).filter((frame) => has(frame, id));
      expect(answer).toMatch(/type=['"]error['"]/);
      expect(answer).not.toContain("There is no such user");
    });

    it("the host and one's own account respond", async () => {
      for (const to of [CHAT_DOMAIN, stranger.bare]) {
        const id = newId();
        const disco = '<query xmlns="http://jabber.org/protocol/disco#info"/>';
        stranger.send(`<iq xmlns="jabber:client" type="get" to="${to}" id="${id}">${disco}</iq>`);
        const frames = await handled(stranger);
        expect(frames.filter((frame) => has(frame, id)).join()).toMatch(/type=['"]result['"]/);
      }
    });
  });

  describe("a call of five parties", () => {
    const opponents = (...ids: number[]) =>
      `<opponentsIDs>${ids.map((id) => `<opponentID>${id}</opponentID>`).join("")}</opponentsIDs>`;
    const MANY = [1_000_001, 1_000_002, 1_000_003];

    it.each([
      ["in its usual form", (xml: string) => xml],
      [
        "with blanks in its module identifier",
        (xml: string) => xml.replace("WebRTCVideoChat", " WebRTCVideoChat "),
      ],
      [
        "with another module identifier in front",
        (xml: string) =>
          xml.replace("<moduleId", "<moduleIdentifier>Another</moduleIdentifier><moduleId"),
      ],
      [
        "with two lists of parties",
        (xml: string) => xml.replace("<opponentsIDs>", "<opponentsIDs/><opponentsIDs>"),
      ],
    ])("rings on no device: %s", async (_how, change) => {
      const id = newId();
      friend.send(change(signal(receiver.bare, id, "call", opponents(...MANY))));
      const frames = await handled(friend);
      expect(hasError(frames, id, "resource-constraint")).toBe(true);
      expect(frames.join()).toMatch(/type=['"]wait['"]/);
      expect(await settled(receiver, friend)).toEqual([]);
    });

    it("is refused once, and one of four parties rings", async () => {
      const [five, four] = [newId(), newId()];
      friend.send(signal(receiver.bare, five, "call", opponents(...MANY)));
      friend.send(signal(receiver.bare, four, "call", opponents(...MANY.slice(1))));
      const received = await settled(receiver, friend);
      expect(received.map((frame) => has(frame, four))).toEqual([true]);
      // When the marker arrives, any error from Signalbox itself has arrived before it.
      const graph = await connectGraphqlWs(node, alice);
      await graph.send({ to: { userId: alice.id }, signalType: "marker", callId: "s", id: "m" });
      const frames = await friend.until("m");
      expect(frames.filter((frame) => frame.includes("<resource-constraint"))).toHaveLength(1);
      await graph.close();
    });
  });
});
