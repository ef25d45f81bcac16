import type { SignalboxError, SignalEntry } from "../../../client/src/index.ts";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { type BreakableProxy, startBreakableProxy } from "../../support/operations/breakable-proxy";
import { applicationToken, newUser, signIn, type TestUser } from "../../support/rest-client";
import { closeSignalboxes, openSignalbox } from "./signalbox";

let node: TestNode;
let proxy: BreakableProxy;
let ann: TestUser;
let ben: TestUser;
beforeAll(async () => {
  node = await startNode();
  proxy = await startBreakableProxy(Number(new URL(node.baseUrl).port));
  ann = await newUser(node);
});
// Nobody has signals of an earlier test.
beforeEach(async () => {
  ben = await newUser(node);
});
afterEach(closeSignalboxes);
afterAll(async () => {
  await proxy.close();
  await node.stop();
});

const open = (user: Pick<TestUser, "token">, base: { baseUrl: string } = node) =>
  openSignalbox(base, { session: () => user.token }).signals;
const behindProxy = () => ({ baseUrl: `http://127.0.0.1:${proxy.port}` });

/** What a user receives: ids of calls, and `missed`. */
function listen(signals: ReturnType<typeof open>): string[] {
  const seen: string[] = [];
  signals.on("signal", ({ callId }) => seen.push(callId ?? ""));
  signals.on("missed", () => seen.push("missed"));
  return seen;
}

const hangUp = (callId: string) => ({ hangUp: { callId } });
const online = (signals: ReturnType<typeof open>) =>
  eventually(
    () => signals.status,
    (status) => status === "online",
  );
const arrive = (seen: string[], last: string) =>
  eventually(
    () => seen,
    (all) => all.includes(last),
  );

/** Sends until a signal arrives, since nothing tells when a subscription is active. */
async function sendUntilReceived(seen: string[], to: TestUser, callId: string): Promise<void> {
  const sender = open(ann);
  await eventually(
    async () => {
      await sender.send({ userId: to.id }, hangUp(callId));
      return seen;
    },
    (all) => all.includes(callId),
  );
}

test("signals arrive in order, as events and in loops, with the sender as the service knows it", async () => {
  const signals = open(ben);
  const seen = listen(signals);
  const entries: SignalEntry[] = [];
  const reading = (async () => {
    for await (const entry of signals) {
      entries.push(entry);
      if (entry.type === "signal" && entry.signal.callId === "c2") break;
    }
  })();
  await sendUntilReceived(seen, ben, "c0");
  const sender = open(ann);
  const sent = await sender.send({ userId: String(ben.id) }, hangUp("c1"));
  await sender.send({ userId: ben.id }, hangUp("c2"));
  await reading;
  expect(seen.filter((callId) => callId !== "c0")).toEqual(["c1", "c2"]);
  const found = entries.flatMap((each) => (each.type === "signal" ? [each.signal] : []));
  const first = found.find(({ callId }) => callId === "c1");
  expect(first?.from.userId).toBe(String(ann.id));
  expect(first?.id).toBe(sent.id);
});

test("what is sent while the connection is down arrives once, in order, and nothing is missed", async () => {
  const signals = open(ben, behindProxy());
  const seen = listen(signals);
  await sendUntilReceived(seen, ben, "c0");
  const sender = open(ann);
  for (let turn = 1; turn <= 5; turn += 1) {
    proxy.breakConnections();
    await sender.send({ userId: ben.id }, hangUp(`c${turn}`));
    await arrive(seen, `c${turn}`);
  }
  expect(seen.filter((callId) => callId !== "c0")).toEqual(["c1", "c2", "c3", "c4", "c5"]);
});

test("a signal that is sent while the connection is down is sent once it is back, once", async () => {
  const seen = listen(open(ben));
  await sendUntilReceived(seen, ben, "c0");
  const sender = open(ann, behindProxy());
  listen(sender);
  await online(sender);
  proxy.redirect(9);
  proxy.breakConnections();
  const sending = Promise.all(
    ["c1", "c2", "c3"].map((callId) => sender.send({ userId: ben.id }, hangUp(callId))),
  );
  await eventually(
    () => sender.status,
    (status) => status === "offline",
  );
  proxy.redirect(Number(new URL(node.baseUrl).port));
  await sending;
  await Promise.all(["c1", "c2", "c3"].map((callId) => arrive(seen, callId)));
  expect(seen.filter((callId) => callId !== "c0").sort()).toEqual(["c1", "c2", "c3"]);
});

test("a connection that is lost before the first signal may have missed some", async () => {
  const signals = open(ben, behindProxy());
  const seen = listen(signals);
  await online(signals);
  proxy.breakConnections();
  await arrive(seen, "missed");
  expect(seen).toEqual(["missed"]);
});

test("a session that ends is reported once, and a new user's signals arrive after the next sign-in", async () => {
  const token = await applicationToken(node);
  const { session, signals } = openSignalbox(node, { session: () => token });
  const seen = listen(signals);
  const ended: string[] = [];
  signals.on("ended", ({ code }) => ended.push(code));
  // An application session receives no signals.
  await eventually(
    () => ended,
    ({ length }) => length === 1,
  );
  await session.logIn({ login: ben.login, password: ben.password });
  await sendUntilReceived(seen, ben, "c1");
  await session.logOut();
  await session.logIn({ login: ann.login, password: ann.password });
  await sendUntilReceived(seen, ann, "c2");
  await session.end();
  await eventually(
    () => ended,
    ({ length }) => length > 1,
  );
  expect(ended.at(-1)).toBe("UNAUTHENTICATED");
});

test("errors of the service reach the sender at once", async () => {
  const signals = open(ann);
  const codeOf = (userId: string | number, input: Parameters<typeof signals.send>[1]) =>
    signals.send({ userId }, input).then(
      () => null,
      ({ name, code }: SignalboxError) => [name, code],
    );
  expect(await codeOf(2 ** 31 - 1, hangUp("c"))).toEqual(["SignalboxError", "NOT_FOUND"]);
  expect(await codeOf("nobody", hangUp("c"))).toEqual(["SignalboxError", "INVALID"]);
  expect(await codeOf(ben.id, { hangUp: {} } as never)).toEqual(["SignalboxError", "INVALID"]);
  const opponentIds = [1, 2, 3, 4, 5].map(String);
  const call = { callId: "c", callType: "AUDIO" as const, sdp: "v=0\r\n", opponentIds };
  expect(await codeOf(ben.id, { call })).toEqual(["SignalboxError", "FULL"]);
  expect(await codeOf(ben.id, { accept: { callId: "x", sdp: "v=0\r\n" } })).toBeNull();
});

test("the other devices of a user learn of the answer", async () => {
  const mobile = await signIn(node, ben);
  const [desk, phone] = [open(ben), open(mobile)];
  const answers: string[] = [];
  phone.on("answer", ({ callId, signalType }) => answers.push(`${callId} ${signalType}`));
  await online(phone);
  await eventually(
    async () => {
      await desk.send({ userId: ann.id }, { accept: { callId: "c", sdp: "v=0\r\n" } });
      await desk.send({ userId: ann.id }, { reject: { callId: "c" } });
      return answers;
    },
    (all) => all.includes("c accept") && all.includes("c reject"),
  );
  const late = await phone.send({ userId: ann.id }, { accept: { callId: "d", sdp: "v=0\r\n" } });
  expect(late.id).toBeTruthy();
  const refused = await desk
    .send({ userId: ann.id }, { accept: { callId: "d", sdp: "v=0\r\n" } })
    .catch(({ code }) => code);
  expect(refused).toBe("CONFLICT");
});

test("a closed client ends its loops, and leaves no connection", async () => {
  const { signals, close } = openSignalbox(behindProxy(), { session: () => ben.token });
  listen(signals);
  await online(signals);
  const loop = (async () => {
    for await (const _ of signals);
    return "over";
  })();
  close();
  expect(await loop).toBe("over");
  await eventually(
    () => proxy.openConnections(),
    (count) => count === 0 || signals.listenerCount === 0,
  );
  expect([signals.status, signals.listenerCount]).toEqual(["ended", 0]);
});
