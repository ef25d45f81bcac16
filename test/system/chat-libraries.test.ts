import { connectGraphqlWs, type GraphqlClient } from "../support/calls/graphql-signals";
import { jidOf } from "../support/calls/signal-clients";
import {
  type CallParams,
  type Connect,
  endPrograms,
  onSlixmpp,
  onStanza,
  onStrophe,
  onXmppJs,
  trustNode,
} from "../support/calls/signal-libraries";
import { DOMAIN } from "../support/chat/chat";
import { startNode, type TestNode } from "../support/node";
import { FREE_CHAT_PORTS } from "../support/ports";
import { newUser, type TestUser } from "../support/rest-client";

/** Published client libraries with the endpoint, on each transport that they support. */

const SDP = "v=0\r\no=- 4611731400430051336 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=x:<&>\"'\r\n";

let node: TestNode;
let alice: TestUser;
let bob: TestUser;
let caller: GraphqlClient;

beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN, ...FREE_CHAT_PORTS });
  trustNode(node);
  [alice, bob] = [await newUser(node), await newUser(node)];
  caller = await connectGraphqlWs(node, alice);
});
afterEach(endPrograms);
afterAll(async () => {
  caller.close();
  await node.stop();
});

const CLIENTS: [name: string, connect: Connect][] = [
  ["xmpp.js over WebSocket", onXmppJs("ws")],
  ["xmpp.js over WebSocket with TLS", onXmppJs("wss")],
  ["xmpp.js over TCP with STARTTLS", onXmppJs("tcp")],
  ["xmpp.js over TCP with direct TLS", onXmppJs("tls")],
  ["Strophe over WebSocket", onStrophe("ws")],
  ["Strophe over WebSocket with TLS", onStrophe("wss")],
  ["stanza over WebSocket", onStanza("ws")],
  ["stanza over WebSocket with TLS", onStanza("wss")],
];

/** Libraries of the system's packages. */
const SYSTEM_CLIENTS: [name: string, connect: Connect][] = [
  ["slixmpp over TCP with STARTTLS", onSlixmpp("tcp")],
  ["slixmpp over TCP with direct TLS", onSlixmpp("tls")],
];

describe.each([...CLIENTS, ...SYSTEM_CLIENTS])("%s", (_name, connect) => {
  it.each([
    "password",
    "token",
  ] as const)("signs in with a %s, sends and receives a call, pings and disconnects", async (kind) => {
    const client = await connect(node, bob, "phone", bob[kind]);
    expect(client.jid).toBe(jidOf(node, bob, "phone"));

    const sent = await caller.send({
      to: { userId: bob.id },
      signalType: "call",
      callId: "s1",
      callType: "VIDEO",
      sdp: SDP,
      extra: [{ name: "full_name", text: "Zoë O'Neill <&>" }],
    });
    expect(await client.nextCall()).toMatchObject({
      from: jidOf(node, alice, caller.device),
      id: sent.id,
      signalType: "call",
      sessionID: "s1",
      callType: "1",
      sdp: SDP,
      full_name: "Zoë O'Neill <&>",
    });

    const params: CallParams = {
      signalType: "call",
      sessionID: "s2",
      callType: "2",
      sdp: SDP,
      full_name: "Bo <Lindqvist> & 😀",
    };
    client.call(jidOf(node, alice), params);
    expect(await caller.next()).toMatchObject({
      signalType: "call",
      callId: "s2",
      callType: "AUDIO",
      sdp: SDP,
      from: { userId: String(bob.id), device: "phone" },
      extra: [{ tree: { name: "full_name", text: params.full_name } }],
    });

    await client.ping();
    // Otherwise the call would ring on the next device that connects.
    await caller.send({ to: { userId: bob.id }, signalType: "hangUp", callId: "s1" });
    expect(await client.nextCall()).toMatchObject({ signalType: "hangUp", sessionID: "s1" });
    await client.disconnect();
    // A signal to a disconnected device is accepted and not delivered.
    await caller.send({ to: { userId: String(bob.id), device: "phone" }, signalType: "probe" });
  });

  it("is refused with a wrong password", async () => {
    await expect(connect(node, bob, "phone", "wrong password")).rejects.toThrow();
  });
});
