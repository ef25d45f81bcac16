import { SIGNAL_FIELDS } from "../../../src/domain/calls/signals/signal-fields";
import { graphql } from "../../../tools/graphql/graphql-http";
import { connectGraphqlWs, type GraphqlClient } from "../../support/calls/graphql-signals";
import { connectStrophe, connectXmppJs, jidOf, rawChat } from "../../support/calls/signal-clients";
import {
  asInput,
  EXAMPLES,
  type ExampleUsers,
  forwardedInput,
  type SignalExample,
  writtenByGraphql,
} from "../../support/calls/signal-examples";
import { DOMAIN } from "../../support/chat/chat";
import { type Tree, textAt, treeOf } from "../../support/chat/xml-tree";
import { startNode, type TestNode } from "../../support/node";
import { newGuest, newUser, signIn, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

let node: TestNode;
let alice: TestUser;
let bob: TestUser;
let carol: TestUser;
let users: ExampleUsers;
const clients: { close(): void }[] = [];

beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN });
});
// Otherwise a call of one test would still ring in the next.
beforeEach(async () => {
  [alice, bob, carol] = [await newGuest(node), await newGuest(node), await newGuest(node)];
  users = { caller: alice.id, callee: bob.id, third: carol.id };
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => node.stop());

/** Closes a client with the test that opened it. */
async function opened<T extends { close(): void }>(opening: Promise<T>): Promise<T> {
  const client = await opening;
  clients.push(client);
  return client;
}
const onGraphql = (user: TestUser) => opened(connectGraphqlWs(node, user));
const onFrames = (user: TestUser, resource: string) => opened(rawChat(node, user, resource));
const onXmppJs = (user: TestUser, resource: string) => opened(connectXmppJs(node, user, resource));
const onStrophe = (user: TestUser, resource: string) =>
  opened(connectStrophe(node, user, resource));

/** A stanza of the module, as a client writes it. */
function stanza(to: string, params: string, { type = "call", id = "i1", head = "" } = {}): string {
  return `<message xmlns="jabber:client" type="headline" id="${id}" to="${to}"${head}><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${type}</signalType>${params}</extraParams></message>`;
}

/** The same elements in any order. */
function unordered({ content, ...element }: Tree): object {
  const items = content.map((item) => (typeof item === "string" ? item : unordered(item)));
  return { ...element, content: items.map((item) => JSON.stringify(item)).sort() };
}

/** The examples that carry an sdp, and that sdp. */
const sdpOf = ({ input }: SignalExample) => input(users).sdp as string | undefined;

describe.each(EXAMPLES)("$name", (example) => {
  const { typename, stanza: written, input } = example;

  it("goes from GraphQL to GraphQL", async () => {
    const [sender, receiver] = [await onGraphql(alice), await onGraphql(bob)];
    const sent = await sender.send({ to: { userId: bob.id }, ...input(users) });
    const received = await receiver.next();
    expect(received).toMatchObject({
      __typename: typename,
      cursor: sent.cursor,
      from: { userId: String(alice.id), device: sender.device },
      to: { userId: String(bob.id), device: null },
    });
    expect(sent.id).toBe(input(users).id);
    expect(asInput(received)).toEqual(input(users));
    expect(received.sdp ?? undefined).toBe(sdpOf(example));
  });

  it("goes from GraphQL to XMPP, equally to every library", async () => {
    const sender = await onGraphql(alice);
    const receivers = [
      await onFrames(bob, "frames"),
      await onXmppJs(bob, "xmpp.js"),
      await onStrophe(bob, "strophe"),
    ];
    await sender.send({ to: { userId: bob.id }, ...input(users) });
    const original = written(jidOf(node, alice, sender.device), jidOf(node, bob), users);
    const expected = treeOf(writtenByGraphql(original));
    for (const receiver of receivers) {
      const received = await receiver.next();
      expect(received).toEqual(expected);
      expect(textAt(received, "extraParams", "sdp")).toBe(sdpOf(example));
    }
  });

  it.each([
    ["frames", onFrames],
    ["xmpp.js", onXmppJs],
    ["Strophe", onStrophe],
  ])("goes from XMPP to GraphQL, sent with %s", async (library, connect) => {
    const [sender, receiver] = [await connect(alice, library), await onGraphql(bob)];
    sender.send(written(sender.jid, jidOf(node, bob, receiver.device), users));
    const received = await receiver.next();
    expect(received).toMatchObject({
      __typename: typename,
      from: { userId: String(alice.id), device: library },
      to: { userId: String(bob.id), device: receiver.device },
    });
    expect(asInput(received)).toEqual(input(users));
    expect(received.sdp ?? undefined).toBe(sdpOf(example));
  });

  it.each([
    ["frames", onFrames],
    ["xmpp.js", onXmppJs],
    ["Strophe", onStrophe],
  ])("goes from XMPP to XMPP, sent with %s", async (library, connect) => {
    const sender = await connect(alice, library);
    const receivers = [
      await onFrames(bob, "one"),
      await onXmppJs(bob, "two"),
      await onStrophe(bob, "three"),
    ];
    const sent = written(sender.jid, jidOf(node, bob), users);
    sender.send(sent);
    for (const receiver of receivers) {
      const received = await receiver.next();
      expect(received).toEqual(treeOf(sent));
      expect(textAt(received, "extraParams", "sdp")).toBe(sdpOf(example));
    }
  });

  it("goes from XMPP to GraphQL, and back to XMPP with all its elements", async () => {
    const [sender, between, last] = [
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(carol, "phone"),
    ];
    sender.send(written(sender.jid, jidOf(node, bob), users));
    await between.send({ to: { userId: carol.id }, ...forwardedInput(await between.next()) });
    const expected = written(jidOf(node, bob, between.device), jidOf(node, carol), users);
    expect(await last.next()).toEqual(treeOf(writtenByGraphql(expected)));
  });
});

it("has each field of a signal in one of its examples", () => {
  const given = new Set(EXAMPLES.flatMap(({ input }) => Object.keys(input(users))));
  expect(SIGNAL_FIELDS.filter(({ name }) => !given.has(name))).toEqual([]);
});

it("has session descriptions with CRLF line ends in its examples", () => {
  const descriptions = EXAMPLES.flatMap((example) => sdpOf(example) ?? []);
  expect(descriptions).toHaveLength(4);
  for (const sdp of descriptions) {
    expect(sdp).toMatch(/^v=0\r\no=- .*\r\n$/s);
    expect(sdp.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  }
});

describe("unknown content", () => {
  it.each([
    [
      "further elements, in their order",
      "<zeta/><platform>Web</platform><alpha>1</alpha><sessionID>s</sessionID><zeta>2</zeta>",
    ],
    [
      "nested elements of other namespaces",
      '<data xmlns="urn:one"><item n="1">a</item><item xmlns="urn:two" n="2"/></data>',
    ],
    [
      "attributes, with prefixes too",
      '<sdp kind="x">v=0</sdp><y xmlns:p="urn:p" p:a="1" a="2" xml:lang="de"/>',
    ],
    ["text between elements", "<note>one <b>two</b> three</note>"],
    ["one element twice", "<sessionID>1</sessionID><x/><sessionID>2</sessionID>"],
    ["empty elements", "<sessionID>s</sessionID><platform/><opponentsIDs/><userInfo/><avatar/>"],
    ["a userInfo without a JSON form", '<userInfo><a b="c">d</a><e/><a/></userInfo>'],
    ["a userInfo of free text", "<userInfo>busy</userInfo>"],
    ["an unknown callType", "<callType>9</callType>"],
    ["white space as text", "<platform> </platform><full_name> A </full_name>"],
    [
      "CDATA and characters of every kind",
      '<full_name><![CDATA[<a> & "b"]]> \' \u{1F600} \u00e9</full_name>',
    ],
    ["CR, LF and TAB in text and attributes", '<x a="1&#13;&#10;&#9;2">a&#13;\nb\tc&#13;d</x>'],
    [
      "several forms of an index",
      "<iceCandidates><iceCandidate><sdpMLineIndex>0</sdpMLineIndex><sdpMLineIndex/></iceCandidate><iceCandidate><sdpMLineIndex>1</sdpMLineIndex><sdpMLineIndex>2</sdpMLineIndex></iceCandidate><iceCandidate><sdpMLineIndex>one</sdpMLineIndex></iceCandidate></iceCandidates>",
    ],
    [
      "candidates with further elements in another order",
      "<iceCandidates><iceCandidate><ufrag>F</ufrag><candidate>c</candidate><sdpMLineIndex>0</sdpMLineIndex><sdpMid>a</sdpMid><candidate>d</candidate></iceCandidate><iceCandidate/></iceCandidates>",
    ],
    [
      "names of prototype members",
      "<constructor/><toString>x</toString><userInfo><constructor>1</constructor></userInfo>",
    ],
  ])("is forwarded unchanged to XMPP, and with all its elements by a GraphQL client: %s", async (_name, params) => {
    const [sender, between, direct, last] = [
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(bob, "phone"),
      await onFrames(carol, "phone"),
    ];
    for (const type of ["call", "reject", "update", "somethingNew"]) {
      // GraphQL checks the required fields of the signal first.
      const session = params.includes("<sessionID>") ? "" : "<sessionID>s</sessionID>";
      const offer = type === "call" ? "<callType>2</callType><sdp>v=0</sdp>" : "";
      const needed = session + offer + params;
      const sent = (to: string, from: string) =>
        stanza(to, needed, { type, head: ` from="${from}"` });
      sender.send(sent(jidOf(node, bob), sender.jid));
      expect(await direct.next()).toEqual(treeOf(sent(jidOf(node, bob), sender.jid)));
      await between.send({ to: { userId: carol.id }, ...forwardedInput(await between.next()) });
      const passed = sent(jidOf(node, carol), jidOf(node, bob, between.device));
      expect(unordered(await last.next())).toEqual(unordered(treeOf(passed)));
    }
  });

  it("reaches XMPP clients unchanged, and no GraphQL client: siblings of extraParams, attributes of both, odd indexes", async () => {
    const [sender, between, direct] = [
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(bob, "phone"),
    ];
    const indexes =
      "<iceCandidate><sdpMLineIndex/></iceCandidate><iceCandidate><sdpMLineIndex>007</sdpMLineIndex></iceCandidate>";
    const sent = (to: string, from: string) =>
      stanza(to, `<sessionID>s</sessionID><iceCandidates>${indexes}</iceCandidates>`, {
        type: "hangUp",
        head: ` from="${from}" xml:lang="de" mark="1"`,
      })
        .replace(
          "<extraParams",
          '<body xml:lang="en">a &amp; b</body><thread>t</thread><extraParams version="2"',
        )
        .replace("</message>", '<request xmlns="urn:xmpp:receipts"/></message>');
    sender.send(sent(jidOf(node, bob), sender.jid));
    expect(await direct.next()).toEqual(treeOf(sent(jidOf(node, bob), sender.jid)));
    expect(await between.next()).toMatchObject({
      signalType: "hangUp",
      callId: "s",
      extra: [],
      iceCandidates: [{ sdpMLineIndex: 0 }, { sdpMLineIndex: 7 }],
    });
  });

  it("converts an empty index to 0", async () => {
    const [sender, receiver] = [await onFrames(alice, "web"), await onGraphql(bob)];
    const candidate = (index: string) =>
      `<iceCandidates><iceCandidate><sdpMLineIndex>${index}</sdpMLineIndex></iceCandidate></iceCandidates>`;
    for (const [index, number] of [
      ["", 0],
      ["0", 0],
      ["1", 1],
      ["02", 2],
    ] as const) {
      sender.send(stanza(jidOf(node, bob), candidate(index), { type: "iceCandidates" }));
      expect((await receiver.next()).iceCandidates).toMatchObject([{ sdpMLineIndex: number }]);
    }
  });

  it("normalizes the line ends of an sdp to CRLF", async () => {
    const [sender, chat, receiver, device] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onStrophe(bob, "phone"),
    ];
    const sdp = "v=0\r\ns=-\r\nt=0 0\r\n";
    for (const end of ["\r\n", "\n", "\r"]) {
      const text = sdp.replaceAll("\r\n", end);
      await sender.send({
        to: { userId: bob.id },
        signalType: "iceRestart",
        callId: "s",
        sdp: text,
      });
      chat.send(stanza(jidOf(node, bob), `<sdp>${text.replaceAll("\r", "&#13;")}</sdp>`));
      chat.send(stanza(jidOf(node, bob), `<sdp>${text}</sdp>`));
      for (let count = 0; count < 3; count += 1) {
        expect((await receiver.next()).sdp).toBe(sdp);
        expect(textAt(await device.next(), "extraParams", "sdp")).toBe(sdp);
      }
    }
  });
});

describe("repeats and order", () => {
  it("delivers repeats of a call in the order sent, over both protocols", async () => {
    const [sender, chat, receiver, device] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(bob, "phone"),
    ];
    const call = EXAMPLES[0] as SignalExample;
    const cursors: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      cursors.push((await sender.send({ to: { userId: bob.id }, ...call.input(users) })).cursor);
    }
    for (let count = 0; count < 3; count += 1) {
      chat.send(call.stanza(chat.jid, jidOf(node, bob), users));
    }
    const received = [];
    for (let count = 0; count < 6; count += 1) received.push(await receiver.next());
    expect(received.map(({ id }) => id)).toEqual(Array(6).fill(call.input(users).id));
    expect(received.slice(0, 3).map(({ cursor }) => cursor)).toEqual(cursors);
    expect(new Set(received.map(({ cursor }) => cursor)).size).toBe(6);
    expect(received.map(({ from }) => from.device)).toEqual([
      ...Array(3).fill(sender.device),
      ...Array(3).fill("web"),
    ]);
    const byGraphql = treeOf(
      call.stanza(jidOf(node, alice, sender.device), jidOf(node, bob), users),
    );
    const byChat = treeOf(call.stanza(chat.jid, jidOf(node, bob), users));
    for (let count = 0; count < 3; count += 1) expect(await device.next()).toEqual(byGraphql);
    for (let count = 0; count < 3; count += 1) expect(await device.next()).toEqual(byChat);
  });

  it("generates an id for a signal without one", async () => {
    const [sender, chat, receiver, device] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(bob, "phone"),
    ];
    const hangUp = { to: { userId: bob.id }, signalType: "hangUp", callId: "s" };
    const { id } = await sender.send(hangUp);
    expect((await sender.send(hangUp)).id).not.toBe(id);
    await receiver.next();
    await device.next();
    chat.send(stanza(jidOf(node, bob), "", { type: "hangUp" }).replace(' id="i1"', ""));
    await receiver.next();
    const second = await receiver.next();
    await device.next();
    expect((await device.next()).attributes.id).toBe(second.id);
    for (const made of [id, second.id]) expect(made).toMatch(/^\S{8,}$/);
  });
});

describe("addresses", () => {
  let laptop: GraphqlClient;
  let sender: GraphqlClient;
  let nextIdByDevice: Record<string, () => Promise<string>>;

  beforeEach(async () => {
    bob = await newUser(node);
    sender = await onGraphql(alice);
    laptop = await onGraphql(bob);
    const tablet = await onGraphql({ ...bob, ...(await signIn(node, bob)) });
    const phone = await onFrames(bob, "phone");
    const web = await onXmppJs(bob, "web");
    nextIdByDevice = {
      [laptop.device]: async () => (await laptop.next()).id,
      [tablet.device]: async () => (await tablet.next()).id,
      phone: async () => (await phone.next()).attributes.id ?? "",
      web: async () => (await web.next()).attributes.id ?? "",
    };
    expect(Object.keys(nextIdByDevice)).toHaveLength(4);
  });

  it("ring every device of a user, or only one device by its full address", async () => {
    const reject = { signalType: "reject", callId: "s" };
    for (const device of Object.keys(nextIdByDevice)) {
      await sender.send({ ...reject, id: device, to: { userId: String(bob.id), device } });
      await sender.send({ ...reject, id: "all", to: { userId: bob.id } });
    }
    // Each receives its own signal once, and every signal to all devices.
    for (const [device, next] of Object.entries(nextIdByDevice)) {
      const received = [];
      for (let count = 0; count < 5; count += 1) received.push(await next());
      expect(received.filter((id) => id === "all")).toHaveLength(4);
      expect(received.filter((id) => id !== "all")).toEqual([device]);
    }
  });

  it("ring them equally from XMPP", async () => {
    const chat = await onFrames(alice, "desk");
    for (const device of Object.keys(nextIdByDevice)) {
      chat.send(stanza(jidOf(node, bob, device), "", { id: device, type: "reject" }));
      chat.send(stanza(jidOf(node, bob), "", { id: "all", type: "reject" }));
    }
    for (const [device, next] of Object.entries(nextIdByDevice)) {
      const received = [];
      for (let count = 0; count < 5; count += 1) received.push(await next());
      expect(received.filter((id) => id === "all")).toHaveLength(4);
      expect(received.filter((id) => id !== "all")).toEqual([device]);
    }
  });

  it("route an answer to the calling device, over HTTP and over the WebSocket", async () => {
    const bystander = await onFrames(alice, "bystander");
    const { data } = await graphql(
      node,
      "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }",
      { input: { to: { userId: bob.id }, id: "h", signal: { hangUp: { callId: "s" } } } },
      alice.token,
    );
    expect(data.sendSignal.id).toBe("h");
    const { from } = await laptop.next();
    expect(from).toEqual({ userId: String(alice.id), device: `graphql-${alice.sessionId}` });
    await laptop.send({ to: from, signalType: "reject", callId: "s", id: "to the caller" });
    await laptop.send({
      to: { userId: alice.id },
      signalType: "reject",
      callId: "s",
      id: "to all",
    });
    expect((await sender.next()).id).toBe("to the caller");
    expect((await sender.next()).id).toBe("to all");
    expect((await bystander.next()).attributes.id).toBe("to all");
  });

  it("ignore a device that is not connected", async () => {
    const reject = { signalType: "reject", callId: "s" };
    await sender.send({ ...reject, id: "1", to: { userId: String(bob.id), device: "gone" } });
    await sender.send({ ...reject, id: "2", to: { userId: bob.id } });
    for (const next of Object.values(nextIdByDevice)) expect(await next()).toBe("2");
  });
});

describe("recipients", () => {
  const call = { signalType: "call", callId: "s", callType: "AUDIO", sdp: "v=0\r\n" };
  const opponents = (...ids: (number | string)[]) =>
    `<opponentsIDs>${ids.map((id) => `<opponentID>${id}</opponentID>`).join("")}</opponentsIDs>`;

  it("must exist and be of the same application", async () => {
    const elsewhere = await secondApplication(node);
    const stranger = await newUser(elsewhere);
    const [sender, chat, theirs] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await opened(connectGraphqlWs(elsewhere, stranger)),
    ];
    for (const userId of [stranger.id, 9_007_199_254_740_991]) {
      const { errors } = await sender.trySend({ ...call, to: { userId } });
      expect(errors).toMatchObject([
        { message: "There is no such user", extensions: { code: "NOT_FOUND" } },
      ]);
    }
    const addresses = [
      jidOf(node, stranger),
      jidOf(elsewhere, stranger),
      jidOf(elsewhere, stranger, theirs.device),
      jidOf(node, { id: 9_007_199_254_740_991 }),
    ];
    for (const address of addresses) {
      chat.send(stanza(address, "", { id: "x" }));
      expect(await chat.next()).toMatchObject(refused(address, "item-not-found", "cancel"));
    }
    await theirs.send({ ...call, id: "own", to: { userId: stranger.id } });
    expect((await theirs.next()).id).toBe("own");
  });

  /** The error reply to the stanza with id `x`. */
  function refused(from: string, condition: string, type: string) {
    return {
      name: "message",
      attributes: { type: "error", id: "x", from },
      content: [
        {
          name: "error",
          attributes: { type },
          content: expect.arrayContaining([expect.objectContaining({ name: condition })]) as Tree[],
        },
      ],
    };
  }

  it("need not be connected", async () => {
    const [sender, chat] = [await onGraphql(alice), await onFrames(alice, "web")];
    const sent = await sender.send({ ...call, to: { userId: carol.id } });
    expect(sent.cursor).toMatch(/./);
    chat.send(stanza(jidOf(node, carol), ""));
    // Alice's stream receives her own message next, and no error before it.
    chat.send(stanza(jidOf(node, alice), "", { id: "mark" }));
    expect((await chat.next()).attributes).toMatchObject({ id: "mark", type: "headline" });
  });

  it("can be four parties, but not five", async () => {
    const [sender, chat, receiver] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await onGraphql(bob),
    ];
    const to = { userId: bob.id };
    const four = [bob.id, carol.id, 900_001];
    await sender.send({ ...call, to, opponentIds: four.map(String), id: "four" });
    expect((await receiver.next()).id).toBe("four");
    chat.send(
      stanza(jidOf(node, bob), `<callerID>${alice.id}</callerID>${opponents(...four)}`, {
        id: "4",
      }),
    );
    expect((await receiver.next()).id).toBe("4");
    // A user named twice counts once, and the recipient counts even if the list omits it.
    await sender.send({ ...call, to, opponentIds: [...four, ...four].map(String), id: "twice" });
    expect((await receiver.next()).id).toBe("twice");
    const five = [
      { opponentIds: [...four, 900_002].map(String) },
      { opponentIds: [String(carol.id), "900001", "900002"] },
      { opponentIds: [...four, 900_002].map(String), callerId: "900003" },
    ];
    for (const fields of five) {
      const { errors } = await sender.trySend({ ...call, to, ...fields });
      expect(errors).toMatchObject([{ extensions: { code: "FULL" } }]);
    }
    for (const params of [
      opponents(...four, 900_002),
      opponents(carol.id, 900_001, 900_002),
      `<callerID>900003</callerID>${opponents(...four, 900_002)}`,
    ]) {
      chat.send(stanza(jidOf(node, bob), params, { id: "x" }));
      expect(await chat.next()).toMatchObject(
        refused(jidOf(node, bob), "resource-constraint", "wait"),
      );
    }
    // Only the `call` itself is checked.
    const accept = { ...call, signalType: "accept", opponentIds: [...four, 900_002].map(String) };
    await sender.send({ ...accept, to, id: "last" });
    expect((await receiver.next()).id).toBe("last");
  });

  it("are identified by the sender's address only", async () => {
    const [sender, chat, receiver, device] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(bob, "phone"),
    ];
    const forged = [jidOf(node, carol, "phone"), jidOf(node, bob), DOMAIN, "not an address", ""];
    for (const from of forged) {
      const params = `<callerID>${carol.id}</callerID>${opponents(bob.id)}`;
      chat.send(stanza(jidOf(node, bob), params, { head: ` from="${from}"` }));
      expect(await receiver.next()).toMatchObject({
        from: { userId: String(alice.id), device: "web" },
        callerId: String(carol.id),
      });
      const received = await device.next();
      expect(received.attributes.from).toBe(jidOf(node, alice, "web"));
      expect(textAt(received, "extraParams", "callerID")).toBe(String(carol.id));
    }
    await sender.send({ ...call, to: { userId: bob.id }, callerId: String(carol.id) });
    expect(await receiver.next()).toMatchObject({
      from: { userId: String(alice.id), device: sender.device },
      callerId: String(carol.id),
    });
    expect((await device.next()).attributes.from).toBe(jidOf(node, alice, sender.device));
    const { errors } = await sender.trySend({
      ...call,
      to: { userId: bob.id },
      from: { userId: carol.id },
    });
    expect(errors?.[0]?.message).toMatch(/"from" is not defined/);
  });

  it("caller and recipient of a call are added when omitted", async () => {
    const [sender, receiver] = [await onGraphql(alice), await onGraphql(bob)];
    await sender.send({ ...call, to: { userId: bob.id } });
    expect(await receiver.next()).toMatchObject({
      callerId: String(alice.id),
      opponentIds: [String(bob.id)],
    });
    await sender.send({ ...call, to: { userId: bob.id }, callerId: null, opponentIds: null });
    expect(await receiver.next()).toMatchObject({ callerId: null, opponentIds: null });
    await sender.send({ ...call, signalType: "accept", to: { userId: bob.id } });
    expect(await receiver.next()).toMatchObject({ callerId: null, opponentIds: null });
  });

  it("a signal without a required field is refused, naming the field", async () => {
    const sender = await onGraphql(alice);
    const rows: [signal: Record<string, unknown>, field: string][] = [
      [{ ...call, callId: undefined }, "callId"],
      [{ ...call, callType: undefined }, "callType"],
      [{ ...call, sdp: undefined }, "sdp"],
      [{ signalType: "accept", callId: "s" }, "sdp"],
      [{ signalType: "iceRestart", callId: "s" }, "sdp"],
      [{ signalType: "iceRestartAccept", callId: "s" }, "sdp"],
      [{ signalType: "iceCandidates", callId: "s" }, "iceCandidates"],
      [{ signalType: "reject" }, "callId"],
      [{ signalType: "hangUp" }, "callId"],
      [{ signalType: "update" }, "callId"],
    ];
    for (const [input, field] of rows) {
      const { errors } = await sender.trySend({ to: { userId: bob.id }, ...input });
      expect(errors).toMatchObject([{ extensions: { code: "INVALID" } }]);
      expect(errors?.[0]?.message).toMatch(
        new RegExp(`at "input\\.signal\\.${input.signalType}"; Field "${field}" of required type`),
      );
    }
  });

  it("a field that is empty or cannot be written as a stanza is refused, with its path", async () => {
    const sender = await onGraphql(alice);
    const rows: [input: object, field: string][] = [
      ...["", "0", "-1", "x", "1e3"].map((id): [object, string] => [
        { ...call, to: { userId: id } },
        "to.userId",
      ]),
      [{ ...call, callId: "" }, "signal.call.callId"],
      [{ signalType: "accept", callId: "s", sdp: "" }, "signal.accept.sdp"],
      [{ ...call, platform: "\u0000" }, "signal.call.platform"],
      [{ ...call, extra: [{ name: "a b" }] }, "signal.call.extra"],
      [
        { ...call, extra: [{ name: "a", text: "x", children: [{ name: "b" }] }] },
        "signal.call.extra",
      ],
      [{ signalType: "mine", extra: [{ name: "a b" }] }, "signal.other.extra"],
    ];
    for (const [input, field] of rows) {
      const { errors } = await sender.trySend({ to: { userId: bob.id }, ...input });
      expect(errors).toMatchObject([{ extensions: { code: "INVALID" } }]);
      expect(Object.keys(errors?.[0]?.extensions?.fields ?? {})).toEqual([field]);
    }
  });

  const send = (signal: object) =>
    graphql(
      node,
      "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }",
      { input: { to: { userId: bob.id }, signal } },
      alice.token,
    );

  it.each<[what: string, signal: object]>([
    ["no type", {}],
    ["two types", { hangUp: { callId: "s" }, reject: { callId: "s" } }],
    ["null", { hangUp: null }],
    ["null beside a type", { hangUp: { callId: "s" }, reject: null }],
  ])("takes exactly one type, not %s", async (_what, signal) => {
    const { errors } = await send(signal);
    expect(errors?.[0]).toMatchObject({ extensions: { code: "INVALID" } });
  });

  it.each([
    ["call", "call"],
    ["hangup", "hangUp"],
    ["HangUp", "hangUp"],
    ["iceCandidate", "iceCandidates"],
    ["ice_restart", "iceRestart"],
    ["recject", "reject"],
  ])("refuses %s as another type, and suggests %s", async (signalType, suggested) => {
    const { errors } = await send({ other: { signalType, callId: "s" } });
    const message = `must not be ${signalType}; did you mean the field ${suggested}?`;
    expect(errors).toMatchObject([
      { extensions: { code: "INVALID", fields: { "signal.other.signalType": [message] } } },
    ]);
  });

  it.each([
    "ring",
    "hold",
    "mute",
    "screenShare",
    "x".repeat(10_000),
  ])("passes other types: %.20s", async (signalType) => {
    const receiver = await onGraphql(bob);
    expect((await send({ other: { signalType } })).errors).toBeUndefined();
    expect(await receiver.next()).toMatchObject({ __typename: "OtherSignal", signalType });
  });

  it("of an XMPP client that lacks what its type requires arrives whole, as OtherSignal", async () => {
    const [chat, receiver] = [await onFrames(alice, "web"), await onGraphql(bob)];
    const params = "<sessionID>s</sessionID><platform>Web</platform><x>1</x>";
    for (const type of ["call", "accept", "iceCandidates", "iceRestart"]) {
      chat.send(stanza(jidOf(node, bob), params, { type }));
      expect(await receiver.next()).toMatchObject({
        __typename: "OtherSignal",
        signalType: type,
        callId: "s",
        platform: "Web",
        extra: [{ tree: { name: "x", text: "1" } }],
      });
    }
    chat.send(stanza(jidOf(node, bob), "<platform>Web</platform>", { type: "hangUp" }));
    expect(await receiver.next()).toMatchObject({ __typename: "OtherSignal", callId: null });
  });
});

describe("userInfo, JSON and XML", () => {
  const ROWS: [json: object, xml: string, back: object][] = [
    [{ name: "Al" }, "<name>Al</name>", { name: "Al" }],
    [
      { busy: true, idle: false },
      "<busy>true</busy><idle>false</idle>",
      { busy: "true", idle: "false" },
    ],
    [{ level: 3, part: -1.5 }, "<level>3</level><part>-1.5</part>", { level: "3", part: "-1.5" }],
    [{ note: null }, "<note/>", { note: "" }],
    [{ note: "" }, "<note/>", { note: "" }],
    [{ note: {} }, "<note/>", { note: "" }],
    [
      { room: { floor: "3", door: null } },
      "<room><floor>3</floor><door/></room>",
      { room: { floor: "3", door: "" } },
    ],
    [{ tag: ["a", "b"] }, "<tag>a</tag><tag>b</tag>", { tag: ["a", "b"] }],
    [{ tag: ["a"] }, "<tag>a</tag>", { tag: "a" }],
    [{ tag: [] }, "", {}],
    [
      { tag: [null, { n: 1 }, true] },
      "<tag/><tag><n>1</n></tag><tag>true</tag>",
      { tag: ["", { n: "1" }, "true"] },
    ],
    [
      { text: "007", word: "true" },
      "<text>007</text><word>true</word>",
      { text: "007", word: "true" },
    ],
    [{ line: "a < b & c > d" }, "<line>a &lt; b &amp; c &gt; d</line>", { line: "a < b & c > d" }],
    [{}, "", {}],
  ];
  const around = (field: string, xml: string) =>
    field === "userInfo" ? `<userInfo>${xml}</userInfo>` : xml;

  it.each([
    "userInfo",
    "parameters",
  ])("is converted both ways by one table, in %s", async (field) => {
    const [sender, chat, receiver, device] = [
      await onGraphql(alice),
      await onFrames(alice, "web"),
      await onGraphql(bob),
      await onFrames(bob, "phone"),
    ];
    for (const [json, xml, back] of ROWS) {
      const signal = { signalType: "update", callId: "s", id: "i1" };
      await sender.send({ ...signal, [field]: json, to: { userId: bob.id } });
      // Between GraphQL clients types stay.
      expect((await receiver.next())[field]).toEqual(json);
      const sent = (from: string) =>
        stanza(jidOf(node, bob), `<sessionID>s</sessionID>${around(field, xml)}`, {
          type: "update",
          head: ` from="${from}"`,
        });
      expect(await device.next()).toEqual(treeOf(sent(jidOf(node, alice, sender.device))));
      chat.send(sent(chat.jid));
      const shown = (await receiver.next())[field];
      // An empty update has no parameters.
      expect(shown ?? {}).toEqual(back);
      expect(Object.keys(shown ?? {})).toEqual(Object.keys(back));
      await device.next();
    }
  });

  it.each([
    ["an array in an array", { a: [["b"]] }, /nested array/],
    ["a key that is not a name", { "a b": "c" }, /"a b"/],
    ["a key with a colon", { "a:b": "c" }, /"a:b"/],
    ["a character that XML does not allow", { a: "\u0001" }, /character/],
  ])("refuses %s", async (_name, userInfo, message) => {
    const sender = await onGraphql(alice);
    const { errors } = await sender.trySend({
      to: { userId: bob.id },
      signalType: "reject",
      callId: "s",
      userInfo,
    });
    expect(errors).toMatchObject([{ extensions: { code: "INVALID" } }]);
    expect(errors?.[0]?.extensions?.fields).toEqual({
      "signal.reject.userInfo": [expect.stringMatching(message)],
    });
  });

  it.each([
    ["attributes", '<userInfo><a b="c"/></userInfo>'],
    ["text beside elements", "<userInfo>x<a/></userInfo>"],
    ["one name in two places", "<userInfo><a/><b/><a/></userInfo>"],
    ["a name that is unsafe in JSON", "<userInfo><__proto__>x</__proto__></userInfo>"],
  ])("keeps XML without a JSON form in extra: %s", async (_name, xml) => {
    const [chat, receiver] = [await onFrames(alice, "web"), await onGraphql(bob)];
    chat.send(stanza(jidOf(node, bob), xml, { type: "reject" }));
    const { userInfo, extra } = await receiver.next();
    expect(userInfo).toBeNull();
    expect(extra).toMatchObject([{ tree: { name: "userInfo", children: expect.any(Array) } }]);
  });
});
