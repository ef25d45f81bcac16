import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { connectGraphqlWs, type SignalData } from "../../support/calls/graphql-signals";
import { sendInput } from "../../support/calls/send-input";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { auth, bind, connectRaw, DOMAIN, OPEN, signInRaw } from "../../support/chat/chat";
import type { RawClient } from "../../support/chat/raw-client";
import { textAt } from "../../support/chat/xml-tree";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newGuest, rest, type TestUser } from "../../support/rest-client";

/** The nodes of senders and of receivers; different ones if the bus supports several. */
let here: TestNode;
let there: TestNode;
const clients: { close(): unknown }[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
async function start(environment: Record<string, string>): Promise<void> {
  here = await startNode({ CHAT_DOMAIN: DOMAIN, ...environment });
  there = hasServices ? await startNode({}, {}, here) : here;
}
async function stop(): Promise<void> {
  if (there !== here) await there?.stop();
  await here?.stop();
}
async function opened<T extends { close(): unknown }>(opening: Promise<T>): Promise<T> {
  const client = await opening;
  clients.push(client);
  return client;
}

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";

/** Sends a signal over GraphQL. */
function sendSignal(from: TestUser, to: TestUser, input: object, node = here) {
  const signal = { to: { userId: to.id }, callId: "s", ...input };
  return graphql(node, SEND, { input: sendInput(signal) }, from.token);
}

/** A chat stream that sends, and receives errors. */
async function chatOf(user: TestUser, node = here, resource = "phone") {
  const name = `${user.id}-${node.application.id}`;
  const raw: RawClient = await signInRaw(node.chatUrl, name, resource, user.password);
  clients.push({ close: () => raw.socket.terminate() });
  let pings = 0;
  return {
    send(to: TestUser, type: string, callId: string, id = callId) {
      raw.send(
        `<message xmlns="jabber:client" type="headline" to="${jidOf(node, to)}" id="${id}"><extraParams>` +
          "<moduleIdentifier>WebRTCVideoChat</moduleIdentifier>" +
          `<signalType>${type}</signalType><sessionID>${callId}</sessionID>` +
          "<platform>web</platform></extraParams></message>",
      );
    },
    /** Resolves with the received errors, once everything sent before is processed. */
    async settled(): Promise<string[]> {
      const id = `ping${++pings}`;
      raw.send(
        `<iq xmlns="jabber:client" type="get" id="${id}"><ping xmlns="urn:xmpp:ping"/></iq>`,
      );
      const errors: string[] = [];
      for (;;) {
        const frame = await raw.next();
        if (frame.includes(`id="${id}"`)) return errors;
        if (frame.includes('type="error"')) errors.push(frame);
      }
    },
  };
}

/** Reads signals until there is a call of each session. */
async function untilRung(
  next: () => Promise<{ type: string; callId: string }>,
  sessions: string[],
): Promise<void> {
  const missing = new Set(sessions);
  while (missing.size > 0) {
    const { type, callId } = await next();
    if (type === "call") missing.delete(callId);
  }
}
/** The first signal that a new device receives. */
async function firstOf(user: TestUser): Promise<SignalData> {
  const socket = await openSocket(there, user.token);
  clients.push({ close: () => socket.socket.terminate() });
  const query = "subscription { callSignals { callId mayHaveMissed } }";
  socket.send({ id: "1", type: "subscribe", payload: { query } });
  return (await socket.next()).payload.data.callSignals;
}
/** The result that a chat client receives when it binds. */
async function bindResult(user: TestUser): Promise<string> {
  const raw = await connectRaw(there.chatUrl);
  clients.push({ close: () => raw.socket.terminate() });
  const name = `${user.id}-${here.application.id}`;
  for (const frame of [OPEN, auth(name, user.token), OPEN, bind("phone")]) raw.send(frame);
  for (;;) {
    const frame = await raw.next();
    if (frame.includes("<jid>")) return frame;
  }
}
const shown = ({ signalType, callId }: SignalData) => ({ type: signalType, callId });

describe("a guest who floods an inbox evicts no call of others", () => {
  beforeAll(() => start({}));
  afterAll(stop);

  type Flood = (hostile: TestUser, victim: TestUser) => Promise<void>;
  const large =
    (signalType: string): Flood =>
    async (hostile, victim) => {
      const input = { signalType, sdp: "x".repeat(240_000), callType: "VIDEO" };
      for (let n = 0; n < 40; n++) {
        const { errors } = await sendSignal(hostile, victim, { ...input, callId: `n${n}` });
        expect(errors).toBeUndefined();
      }
    };
  const small =
    (signalType: string): Flood =>
    async (hostile, victim) => {
      const chat = await chatOf(hostile);
      for (let n = 0; n < 2_100; n++) chat.send(victim, signalType, `n${n}`);
      expect(await chat.settled()).toEqual([]);
    };
  const FLOODS: [string, Flood][] = [
    ["40 signals of 240 KB over GraphQL", large("update")],
    ["40 calls of 240 KB over GraphQL", large("call")],
    ["2,100 small signals over chat", small("update")],
    ["2,100 small calls over chat", small("call")],
  ];

  test.each(FLOODS)("every acknowledged call rings: %s", async (_what, flood) => {
    const [victim, hostile] = [await newGuest(here), await newGuest(here)];
    const callers = await Promise.all(Array.from({ length: 12 }, () => newGuest(here)));
    const present = await opened(connectGraphqlWs(there, victim));
    const sessions: string[] = [];
    const callFrom = async (caller: TestUser, n: number) => {
      const callId = `honest ${sessions.length}`;
      sessions.push(callId);
      if (n % 2 === 0) {
        const input = { signalType: "call", callId, callType: "VIDEO", sdp: "v=0" };
        expect((await sendSignal(caller, victim, input)).errors).toBeUndefined();
      } else {
        const chat = await chatOf(caller);
        chat.send(victim, "call", callId);
        expect(await chat.settled()).toEqual([]);
      }
    };
    for (const [n, caller] of callers.slice(0, 6).entries()) await callFrom(caller, n);
    await flood(hostile, victim);
    for (const [n, caller] of callers.slice(6).entries()) await callFrom(caller, n);
    await flood(hostile, victim);

    const arriving = await opened(connectGraphqlWs(there, victim));
    await untilRung(async () => shown(await arriving.next()), sessions);
    const phone = await opened(rawChat(there, victim, "phone", victim.token));
    await untilRung(async () => {
      const message = await phone.next();
      return {
        type: textAt(message, "extraParams", "signalType") ?? "",
        callId: textAt(message, "extraParams", "sessionID") ?? "",
      };
    }, sessions);
    await untilRung(async () => shown(await present.next()), sessions);
  });

  test("a device that connects after calls were evicted learns that it may have missed some", async () => {
    const [victim, hostile, honest] = await Promise.all([1, 2, 3].map(() => newGuest(here)));
    if (!victim || !hostile || !honest) throw new Error("no guests");
    await small("call")(hostile, victim);
    const call = { signalType: "call", callId: "honest", callType: "VIDEO", sdp: "v=0" };
    expect((await sendSignal(honest, victim, call)).errors).toBeUndefined();
    const first = await firstOf(victim);
    expect(first).toMatchObject({ mayHaveMissed: true });
    expect(await bindResult(victim)).toContain('<missed xmlns="urn:signalbox:missed:0"/>');
    const other = await newGuest(here);
    expect((await sendSignal(honest, other, call)).errors).toBeUndefined();
    expect(await firstOf(other)).toMatchObject({ mayHaveMissed: false });
    expect(await bindResult(other)).not.toContain("missed");
  });
});

describe("the rate limit of a user", () => {
  beforeAll(() => start({ RATE_MESSAGES_PER_USER: "40", RATE_MESSAGE_BYTES_PER_USER: "1000000" }));
  afterAll(stop);

  /** Each way to send a signal: resolves with null, or with the code or condition of the refusal. */
  const WAYS: [string, (from: TestUser, to: TestUser, node: TestNode) => Promise<string | null>][] =
    [
      [
        "GraphQL sendSignal",
        async (from, to, node) =>
          (await sendSignal(from, to, { signalType: "update" }, node)).errors?.[0]?.extensions
            ?.code ?? null,
      ],
      [
        "REST /calls/reject",
        async (from, to, node) => {
          const body = { recipientId: to.id, sessionID: "s", platform: "web" };
          const answer = await rest(node, "POST", "/calls/reject", { token: from.token, body });
          if (answer.status === 429)
            expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
          return answer.status === 200 ? null : String(answer.status);
        },
      ],
    ];
  const REFUSED = ["LIMITED", "429", "resource-constraint"];

  test("counts over all protocols and nodes together, separately for each user", async () => {
    const [hostile, honest, victim] = await Promise.all([1, 2, 3].map(() => newGuest(here)));
    if (!hostile || !honest || !victim) throw new Error("no guests");
    const chats = await Promise.all(
      [here, there].map((node, n) => chatOf(hostile, node, `phone${n}`)),
    );
    const ways = [here, there].flatMap((node, at) => [
      ...WAYS.map(
        ([, send]) =>
          () =>
            send(hostile, victim, node),
      ),
      async () => {
        const chat = chats[at];
        chat?.send(victim, "update", "s");
        const [error] = (await chat?.settled()) ?? [];
        return error === undefined ? null : (/<(resource-constraint)/.exec(error)?.[1] ?? error);
      },
    ]);
    let accepted = 0;
    // In turn, until all of them refuse.
    for (let refused = 0; refused < ways.length; ) {
      const answers: (string | null)[] = [];
      for (const send of ways) answers.push(await send());
      for (const answer of answers) expect([null, ...REFUSED]).toContain(answer);
      accepted += answers.filter((answer) => answer === null).length;
      refused = answers.filter((answer) => answer !== null).length;
    }
    // A node may exceed the limit by a twentieth.
    expect(accepted).toBeGreaterThanOrEqual(40);
    expect(accepted).toBeLessThanOrEqual(44);
    for (const [, send] of WAYS) expect(await send(honest, victim, there)).toBeNull();
  });

  test("also counts bytes", async () => {
    const [hostile, victim] = await Promise.all([newGuest(here), newGuest(here)]);
    const input = { signalType: "update", sdp: "x".repeat(150_000) };
    let accepted = 0;
    let refusal: unknown;
    while (!refusal) {
      const { errors } = await sendSignal(hostile, victim, input, accepted % 2 ? there : here);
      refusal = errors?.[0];
      if (!errors) accepted += 1;
    }
    expect(refusal).toMatchObject({
      extensions: { code: "LIMITED", retryAfter: expect.any(Number) },
    });
    // A node may exceed the limit by a twentieth, and by a signal that arrives while it reports.
    expect(accepted).toBeGreaterThanOrEqual(6);
    expect(accepted).toBeLessThanOrEqual(7);
    expect((await sendSignal(victim, hostile, input)).errors).toBeUndefined();
  });
});

describe("all inboxes together", () => {
  beforeAll(() => start({ INBOXES_BYTES: "2000000" }));
  afterAll(stop);

  test("are bounded: more is refused, and nothing of it is stored", async () => {
    const hostile = await newGuest(here);
    const victims = await Promise.all(Array.from({ length: 12 }, () => newGuest(here)));
    const input = { signalType: "update", sdp: "x".repeat(200_000) };
    const answers: (string | undefined)[] = [];
    for (const [n, victim] of victims.entries()) {
      const { errors } = await sendSignal(hostile, victim, input, n % 2 ? there : here);
      answers.push(errors?.[0]?.extensions?.code);
    }
    expect(answers.slice(0, 9)).toEqual(Array(9).fill(undefined));
    expect(answers.slice(9)).toEqual(Array(3).fill("UNAVAILABLE"));
    const chat = await chatOf(hostile);
    const [victim] = victims;
    for (let n = 0; n < 400; n++) chat.send(victim as TestUser, "update", `n${n}`);
    expect((await chat.settled()).at(-1)).toContain("<remote-server-timeout");
  });
});
