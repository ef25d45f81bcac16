import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { connectGraphqlWs } from "../../support/calls/graphql-signals";
import { sendInput } from "../../support/calls/send-input";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { DOMAIN } from "../../support/chat/chat";
import { textAt } from "../../support/chat/xml-tree";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, signIn, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** Two nodes if the bus supports several, otherwise one under two names. */
let one: TestNode;
let two: TestNode;
let alice: TestUser;
let bob: TestUser;
const clients: { close(): unknown }[] = [];

beforeAll(async () => {
  one = await startNode({ CHAT_DOMAIN: DOMAIN });
  two = hasServices ? await startNode({}, {}, one) : one;
});
beforeEach(async () => {
  [alice, bob] = [await newUser(one), await newUser(two)];
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  if (two !== one) await two?.stop();
  await one?.stop();
});

async function opened<T extends { close(): unknown }>(opening: Promise<T>): Promise<T> {
  const client = await opening;
  clients.push(client);
  return client;
}

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";
const ANSWERS = `subscription ($after: String) {
  callAnswers(after: $after) { cursor callId signalType device peer { userId device user { id } } }
}`;

/** Sends a signal from a session of Bob to Alice; resolves with the error code, if any. */
async function sendAs(
  word: string,
  session: Pick<TestUser, "token">,
  { node = one, callId = "s", device }: { node?: TestNode; callId?: string; device?: string } = {},
): Promise<string | undefined> {
  const input = { to: { userId: String(alice.id), device }, signalType: word, callId, sdp: "v=0" };
  const { errors } = await graphql(node, SEND, { input: sendInput(input) }, session.token);
  return errors?.[0].extensions.code;
}
async function ring(callId = "s"): Promise<void> {
  const input = {
    to: { userId: bob.id },
    signalType: "call",
    callId,
    callType: "AUDIO",
    sdp: "v=0",
  };
  const { errors } = await graphql(one, SEND, { input: sendInput(input) }, alice.token);
  expect(errors).toBeUndefined();
}

/** Subscribes to the answers of the other devices; resolves once it is active. */
async function answersFor(node: TestNode, session: TestUser, after?: string) {
  const socket = await opened(openSocket(node, session.token));
  socket.send({ id: "a", type: "subscribe", payload: { query: ANSWERS, variables: { after } } });
  const signals = await socket.listen("s", session.id, "cursor");
  return {
    signals,
    answers: () =>
      socket.received
        .filter(({ id }) => id === "a")
        .map(({ payload }) => payload.data?.callAnswers ?? payload),
  };
}
const another = async (): Promise<TestUser> => ({ ...bob, ...(await signIn(two, bob)) });
const deviceOf = ({ sessionId }: TestUser) => `graphql-${sessionId}`;

describe("of twenty devices that accept concurrently", () => {
  it("one wins, on any node, and only its accept reaches the caller", async () => {
    const caller = await opened(connectGraphqlWs(one, alice));
    const devices: TestUser[] = [];
    for (let count = 0; count < 20; count++) devices.push(await another());
    await ring();
    const codes = await Promise.all(
      devices.map((device, index) => sendAs("accept", device, { node: index % 2 ? one : two })),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === "CONFLICT")).toHaveLength(19);
    const winner = devices[codes.indexOf(undefined)] as TestUser;
    expect((await caller.next()).from).toEqual({
      userId: String(bob.id),
      device: deviceOf(winner),
    });
    // The winner may repeat its accept; other devices are refused until it has ended the call.
    expect(await sendAs("accept", winner)).toBeUndefined();
    const loser = devices[codes.indexOf("CONFLICT")] as TestUser;
    expect(await sendAs("accept", loser, { node: two })).toBe("CONFLICT");
    expect(await sendAs("accept", loser, { callId: "another" })).toBeUndefined();
    expect(await sendAs("hangUp", winner)).toBeUndefined();
    expect(await sendAs("accept", loser)).toBeUndefined();
    const received = [];
    for (let count = 0; count < 4; count++) {
      const { signalType, callId, from } = await caller.next();
      received.push([signalType, callId, from.device]);
    }
    expect(received).toEqual([
      ["accept", "s", deviceOf(winner)],
      ["accept", "another", deviceOf(loser)],
      ["hangUp", "s", deviceOf(winner)],
      ["accept", "s", deviceOf(loser)],
    ]);
  });
});

describe("callAnswers", () => {
  it("notifies the user's other devices on every node, and nobody else", async () => {
    const [tablet, laptop] = [await another(), await another()];
    const [near, far, own, caller] = [
      await answersFor(one, tablet),
      await answersFor(two, laptop),
      await answersFor(one, bob),
      await answersFor(one, alice),
    ];
    const { device } = await opened(connectGraphqlWs(one, alice));
    await ring();
    await sendAs("accept", bob, { device });
    const answer = {
      callId: "s",
      signalType: "accept",
      device: deviceOf(bob),
      peer: { userId: String(alice.id), device, user: { id: String(alice.id) } },
    };
    for (const { answers } of [near, far]) {
      await eventually(answers, ({ length }) => length > 0);
      expect(answers()).toEqual([{ ...answer, cursor: expect.any(String) }]);
    }
    // The second device receives nothing more, and the first receives nothing from it.
    expect(await sendAs("accept", tablet)).toBe("CONFLICT");
    await sendAs("reject", tablet);
    await sendAs("hangUp", bob);
    await eventually(near.answers, ({ length }) => length > 1);
    expect(near.answers()[1]).toMatchObject({ signalType: "hangUp", device: deviceOf(bob) });
    expect([own.answers(), caller.answers()]).toEqual([[], []]);
    expect(near.signals().map(({ signalType }) => signalType)).toEqual(["call"]);
  });

  it("resumes after a cursor, as callSignals does", async () => {
    const tablet = await another();
    const first = await answersFor(one, tablet);
    await ring();
    const [rang] = await eventually(first.signals, ({ length }) => length > 0);
    for (const client of clients.splice(0)) await client.close();
    await sendAs("reject", bob);
    const again = await answersFor(two, tablet, rang?.cursor);
    const [answer] = await eventually(again.answers, ({ length }) => length > 0);
    expect(answer).toMatchObject({ callId: "s", signalType: "reject", device: deviceOf(bob) });
    expect(again.signals()).toEqual([]);
  });
});

describe("XMPP devices", () => {
  const UPDATE =
    "mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { answeredElsewhere } } }";
  async function tell(answeredElsewhere: boolean): Promise<void> {
    const input = { applicationId: String(one.application.id), answeredElsewhere };
    const { data } = await graphql(one, UPDATE, { input }, await ownerToken(one));
    expect(data.updateApplication.application).toEqual({ answeredElsewhere });
  }
  const accept = (to: string, word = "accept") =>
    `<message xmlns="jabber:client" type="headline" id="mine" to="${to}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${word}</signalType><sessionID>s</sessionID><sdp>v=0</sdp></extraParams></message>`;

  async function threeDevices() {
    const caller = await opened(rawChat(one, alice, "desk"));
    const [phone, tablet] = [
      await opened(rawChat(one, bob, "phone")),
      await opened(rawChat(two, bob, "tablet")),
    ];
    await ring();
    for (const each of [phone, tablet])
      expect((await each.next()).attributes.type).toBe("headline");
    return { caller, phone, tablet };
  }

  it.each([
    "accept",
    "reject",
  ])("receive a hangUp of the caller after an %s elsewhere, if the application is configured so", async (word) => {
    await tell(true);
    const { caller, phone, tablet } = await threeDevices();
    phone.send(accept(caller.jid, word));
    const hangUp = await tablet.next();
    expect(hangUp.attributes).toMatchObject({
      type: "headline",
      from: caller.jid,
      to: jidOf(two, bob),
    });
    expect(textAt(hangUp, "extraParams", "signalType")).toBe("hangUp");
    expect(textAt(hangUp, "extraParams", "sessionID")).toBe("s");
    expect(textAt(hangUp, "extraParams", "userInfo", "answered_elsewhere")).toBe(word);
    // The answering device is not notified: it receives the next signal first.
    await sendAs("update", alice);
    const { errors } = await graphql(
      one,
      SEND,
      { input: sendInput({ to: { userId: bob.id }, signalType: "next" }) },
      alice.token,
    );
    expect(errors).toBeUndefined();
    for (const each of [phone, tablet]) {
      expect(textAt(await each.next(), "extraParams", "signalType")).toBe("next");
    }
  });

  it("receive nothing otherwise, and a second accept is a conflict", async () => {
    await tell(false);
    const { caller, phone, tablet } = await threeDevices();
    phone.send(accept(jidOf(one, alice)));
    expect((await caller.next()).attributes.from).toBe(phone.jid);
    tablet.send(accept(jidOf(one, alice)));
    const refused = await tablet.next();
    expect(refused.attributes).toMatchObject({ type: "error", id: "mine" });
    expect(JSON.stringify(refused)).toContain("conflict");
    expect(JSON.stringify(refused)).toContain("answered on another device");
    phone.send(accept(jidOf(one, alice), "hangUp"));
    expect(textAt(await caller.next(), "extraParams", "signalType")).toBe("hangUp");
  });
});
