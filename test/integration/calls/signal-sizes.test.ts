import { connectGraphqlWs, type GraphqlClient } from "../../support/calls/graphql-signals";
import { type ChatClient, connectXmppJs, jidOf, rawChat } from "../../support/calls/signal-clients";
import { DOMAIN } from "../../support/chat/chat";
import { textAt } from "../../support/chat/xml-tree";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** A signal grows when it is written as a stanza; one that becomes too large is refused. */

/** Six times XMPP_STANZA_LIMIT. */
const LIMIT = 6 * 65_536;
const BEYOND = "&".repeat(LIMIT / 5);
/** The rest of a stanza is a few hundred bytes. */
const WITHIN = "&".repeat((LIMIT - 1_000) / 5);

let node: TestNode;
let alice: TestUser;
let bob: TestUser;
let sender: GraphqlClient;
let chat: ChatClient;
const clients: { close(): void }[] = [];

const opened = async <T extends { close(): void }>(opening: Promise<T>): Promise<T> => {
  const client = await opening;
  clients.push(client);
  return client;
};
const stanza = (to: string, id: string, content: string, head = "") =>
  `<message xmlns="jabber:client" type="headline" id="${id}" to="${to}"${head}><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType><sessionID>s</sessionID>${content}</extraParams></message>`;
const call = (sdp: string) => ({
  to: { userId: bob.id },
  signalType: "call",
  callId: "s",
  callType: "VIDEO",
  sdp,
});

beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN });
});
beforeEach(async () => {
  [alice, bob] = [await newUser(node), await newUser(node)];
  sender = await opened(connectGraphqlWs(node, alice));
  chat = await opened(rawChat(node, bob, "phone"));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => node.stop());

/** Checks that the next signal to the chat client is this one, and that its stream is still open. */
async function reachesNext(id: string) {
  await sender.send({ to: { userId: bob.id }, signalType: "marker", id });
  expect((await chat.next()).attributes.id).toBe(id);
}

it("beyond the limit is refused over GraphQL, and nothing is stored", async () => {
  const { errors } = await sender.trySend(call(BEYOND));
  expect(errors?.[0]).toMatchObject({
    message: `Too large: the stanza would be longer than ${LIMIT} bytes`,
    extensions: { code: "TOO_LARGE" },
  });
  await reachesNext("after");
  // After a bind, ringing calls are delivered first.
  const [again, other] = [
    await opened(rawChat(node, bob, "tablet")),
    await opened(connectGraphqlWs(node, bob)),
  ];
  await sender.send({ to: { userId: bob.id }, signalType: "marker", id: "next" });
  expect((await again.next()).attributes.id).toBe("next");
  expect((await other.next()).id).toBe("next");
});

it("beyond the limit is refused over REST", async () => {
  const answer = await rest(node, "POST", "/calls/reject", {
    token: alice.token,
    body: { recipientId: bob.id, sessionID: "s", platform: "web", userInfo: { note: BEYOND } },
  });
  expect([answer.status, answer.body]).toEqual([
    413,
    { errors: { base: [`Too large: the stanza would be longer than ${LIMIT} bytes`] } },
  ]);
  await reachesNext("after");
});

it.each([
  ["a signal", (to: string, head: string, content: string) => stanza(to, "large", content, head)],
  [
    "a chat",
    (to: string, head: string, content: string) =>
      `<message xmlns="jabber:client" type="chat" id="large" to="${to}"${head}>${content}</message>`,
  ],
])("that one namespace would make too long ends its stream: %s", async (_what, message) => {
  const phone = await opened(rawChat(node, alice, "phone"));
  const head = ` xmlns:p="urn:${"n".repeat(20_000)}"`;
  phone.send(message(jidOf(node, bob), head, '<a p:b=""/>'.repeat(1_000)));
  expect(await phone.ended).toBe("policy-violation");
  await reachesNext("after");
});

it("within the limit reaches chat clients, also those that bind while it rings", async () => {
  for (const id of ["one", "two", "three"]) {
    await sender.send({ ...call(WITHIN), id, callId: id });
    const received = await chat.next();
    expect([received.attributes.id, textAt(received, "extraParams", "sdp")]).toEqual([id, WITHIN]);
  }
  // Together they exceed the limit of unacknowledged stanzas, so acknowledgements are requested in between.
  const later = await opened(connectXmppJs(node, bob, "later"));
  for (const id of ["one", "two", "three"]) {
    expect((await later.next()).attributes.id).toBe(id);
  }
});

it("in a stanza within the client's limit is delivered, however much it grows", async () => {
  const phone = await opened(rawChat(node, alice, "phone"));
  const sdp = "\n".repeat(65_000);
  phone.send(stanza(jidOf(node, bob), "lines", `<sdp>${sdp}</sdp>`));
  const received = await chat.next();
  expect(received.attributes.id).toBe("lines");
  expect(textAt(received, "extraParams", "sdp")).toBe(sdp.replaceAll("\n", "\r\n"));
});
