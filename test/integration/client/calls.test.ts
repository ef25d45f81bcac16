import {
  type Call,
  type EndReason,
  type Session,
  SignalboxError,
} from "../../../client/src/index.ts";
import { FakeMedia } from "../../support/client-package/fake-media";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { closeSignalboxes, openSignalbox } from "./signalbox";

/** Calls through a node; the media objects are stand-ins that check their use. */

let node: TestNode;
let media: FakeMedia;
let users: TestUser[];
beforeAll(async () => {
  node = await startNode();
});
beforeEach(async () => {
  media = new FakeMedia();
  users = [];
  // In order, so that the first has the smallest id.
  for (let count = 0; count < 4; count += 1) users.push(await newUser(node));
});
afterEach(async () => {
  closeSignalboxes();
  await eventually(
    () => media.connections.size,
    (count) => count === 0,
  );
});
afterAll(() => node.stop());

/** A device of the user with an index, whose calls ring. */
async function device(index: number, token = users[index]?.token ?? "", withMedia = true) {
  const platform = withMedia ? media.platform() : null;
  const { calls, session, signals, close } = openSignalbox(node, {
    session({ replaces }) {
      if (replaces === token) throw new SignalboxError("UNAUTHENTICATED", "Signed out");
      return token;
    },
    media: platform,
  });
  const incoming: Call[] = [];
  calls.on("incoming", (call) => incoming.push(call));
  await eventually(
    () => signals.status,
    (status) => status === "online",
  );
  return { calls, close, incoming, platform, session };
}
type Device = Awaited<ReturnType<typeof device>>;

const idOf = (index: number) => users[index]?.id ?? 0;
const rings = async ({ incoming }: Device, count = 1): Promise<Call> => {
  await eventually(
    () => incoming.length,
    (length) => length >= count,
  );
  return incoming[count - 1] as Call;
};
const is = (call: Call | undefined | null, state: string) =>
  eventually(
    () => call?.state,
    (now) => now === state,
  );
const endOf = async (call: Call): Promise<EndReason | null> => {
  await is(call, "ended");
  return call.endReason;
};
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    ({ name, code }: SignalboxError) => [name, code],
  );

test("a call rings, is accepted and connected, and ends when one side hangs up", async () => {
  const [ann, ben] = await Promise.all([device(0), device(1)]);
  const userInfo = { topic: "Planning" };
  const call = await ann.calls.start({ users: [idOf(1)], video: true, userInfo });
  const answer = await rings(ben);
  expect(answer).toMatchObject({ id: call.id, video: true, isIncoming: true, userInfo });
  expect(answer.callerId).toBe(String(idOf(0)));
  await answer.accept();
  await Promise.all([is(call, "connected"), is(answer, "connected")]);
  expect(answer.participants[0]?.stream?.getTracks()).toHaveLength(2);
  answer.setMuted("video", true);
  await eventually(
    () => call.participants[0]?.videoMuted,
    (muted) => muted === true,
  );
  await call.restartIce();
  answer.hangUp();
  expect([await endOf(call), answer.endReason]).toEqual(["remote-hung-up", "hung-up"]);
  expect([ann, ben].map(({ platform }) => platform?.devices.live.size)).toEqual([0, 0]);
});

test("the caller learns that the other one declines, is busy or takes no calls", async () => {
  const [ann, ben, cem] = await Promise.all([device(0), device(1), device(2)]);
  const declined = await ann.calls.start({ users: [idOf(1)] });
  (await rings(ben)).reject();
  expect(await endOf(declined)).toBe("rejected");
  const busy = await cem.calls.start({ users: [idOf(1)] });
  await rings(ben, 2);
  const second = await ann.calls.start({ users: [idOf(1)] });
  expect(await endOf(second)).toBe("busy");
  expect(ben.incoming).toHaveLength(2);
  busy.hangUp();
  expect(await endOf(ben.incoming[1] as Call)).toBe("missed");
  await device(3, undefined, false);
  const unsupported = await ann.calls.start({ users: [idOf(3)] });
  expect(await endOf(unsupported)).toBe("not-supported");
});

test("an unknown user cannot be called, and another call may follow at once", async () => {
  const [ann, ben] = await Promise.all([device(0), device(1)]);
  expect(await codeOf(ann.calls.start({ users: [2 ** 31 - 1] }))).toEqual([
    "SignalboxError",
    "NOT_FOUND",
  ]);
  expect(ann.calls.current).toBeNull();
  expect(ann.platform?.devices.live.size).toBe(0);
  const call = await ann.calls.start({ users: [idOf(1)] });
  await rings(ben);
  call.hangUp();
});

test("two who call each other at once are connected, once", async () => {
  const [ann, ben] = await Promise.all([device(0), device(1)]);
  await Promise.all([
    ann.calls.start({ users: [idOf(1)] }),
    ben.calls.start({ users: [idOf(0)] }).catch(() => null),
  ]);
  await is(ann.calls.current, "connected");
  await eventually(
    () => ben.calls.current?.state,
    (state) => state === "connected",
  );
  expect([ann.incoming.length, ben.incoming.length]).toEqual([0, 1]);
  expect(ann.calls.current?.id).toBe(ben.calls.current?.id);
  expect(media.connections.size).toBe(2);
});

test("all devices of a user ring, and stop when one answers or declines", async () => {
  const session = await signIn(node, users[1] as TestUser);
  const [ann, desk, mobile] = await Promise.all([device(0), device(1), device(1, session.token)]);
  const call = await ann.calls.start({ users: [idOf(1)] });
  const [onDesk, onMobile] = [await rings(desk), await rings(mobile)];
  await onDesk.accept();
  expect(await endOf(onMobile)).toBe("answered-elsewhere");
  await is(call, "connected");
  call.hangUp();
  await endOf(onDesk);
  const again = await ann.calls.start({ users: [idOf(1)] });
  await Promise.all([rings(desk, 2), rings(mobile, 2)]);
  mobile.incoming[1]?.reject();
  expect(await endOf(desk.incoming[1] as Call)).toBe("rejected-elsewhere");
  expect(await endOf(again)).toBe("rejected");
});

test("of two devices that answer at once, one is in the call and the other one learns of it", async () => {
  const session = await signIn(node, users[1] as TestUser);
  const [ann, desk, mobile] = await Promise.all([device(0), device(1), device(1, session.token)]);
  const call = await ann.calls.start({ users: [idOf(1)] });
  const both = [await rings(desk), await rings(mobile)];
  const results = await Promise.all(both.map((each) => codeOf(each.accept())));
  await is(call, "connected");
  await eventually(
    () =>
      both
        .map(({ state }) => state)
        .sort()
        .join(),
    (states) => states === "connected,ended",
  );
  expect(both.map(({ endReason }) => endReason).sort()).toEqual(["answered-elsewhere", null]);
  expect(results.filter((code) => code !== null)).toEqual([["SignalboxError", "CONFLICT"]]);
});

test.each([
  3, 4,
])("a group of %d: each is connected with each, until all have left", async (count) => {
  const devices: Device[] = [];
  for (let index = 0; index < count; index += 1) devices.push(await device(index));
  // The one in the middle calls, so that both kinds of pairs occur.
  const others = devices.map((_, index) => idOf(index)).filter((id) => id !== idOf(1));
  await devices[1]?.calls.start({ users: others, video: true });
  await Promise.all(
    devices.map(async (each, index) => index !== 1 && (await rings(each)).accept()),
  );
  const connected = ({ calls }: Device) =>
    calls.current?.participants.filter(({ state }) => state === "connected").length ?? 0;
  for (const each of devices) {
    await eventually(
      () => connected(each),
      (links) => links === count - 1,
    );
  }
  devices[1]?.calls.current?.hangUp();
  for (const each of devices.filter((_, index) => index !== 1)) {
    await eventually(
      () => connected(each),
      (links) => links === count - 2,
    );
  }
  devices[0]?.close();
  await eventually(
    () => devices.filter(({ calls }) => calls.current).length,
    (left) => left === (count === 3 ? 0 : 2),
  );
});

test("whoever closes the client during a call hangs up", async () => {
  const [ann, ben] = await Promise.all([device(0), device(1)]);
  const call = await ann.calls.start({ users: [idOf(1)] });
  await (await rings(ben)).accept();
  await is(call, "connected");
  ben.close();
  expect(await endOf(call)).toBe("remote-hung-up");
});

test("whoever ends a call and closes the client at once has ended it for the other side too", async () => {
  const [ann, ben] = await Promise.all([device(0), device(1)]);
  const call = await ann.calls.start({ users: [idOf(1)] });
  const answer = await rings(ben);
  await answer.accept();
  await is(call, "connected");
  answer.hangUp();
  ben.close();
  expect(await endOf(call)).toBe("remote-hung-up");
  const desk = await device(1);
  const declined = await ann.calls.start({ users: [idOf(1)] });
  (await rings(desk)).reject();
  desk.close();
  expect(await endOf(declined)).toBe("rejected");
});

test.each([
  ["ends the session", (session: Session) => session.end()],
  ["signs out", (session: Session) => session.logOut()],
])("whoever %s hangs up", async (_way, leave) => {
  const { token } = await signIn(node, users[1] as TestUser);
  const [ann, ben] = await Promise.all([device(0), device(1, token)]);
  const call = await ann.calls.start({ users: [idOf(1)], video: true });
  const answer = await rings(ben);
  await answer.accept();
  await is(call, "connected");
  await leave(ben.session);
  expect(answer.endReason).toBe("hung-up");
  expect(ben.platform?.devices.live.size).toBe(0);
  expect(await endOf(call)).toBe("remote-hung-up");
});

test("the end of a call precedes the end of the session, and the sign-out leaves other devices ringing", async () => {
  const { token } = await signIn(node, users[1] as TestUser);
  const [ann, desk, mobile] = await Promise.all([device(0), device(1, token), device(1)]);
  const first = await ann.calls.start({ users: [idOf(1)] });
  await rings(mobile);
  (await rings(desk)).reject();
  await desk.session.end();
  expect(await endOf(first)).toBe("rejected");
  const again = await device(1, (await signIn(node, users[1] as TestUser)).token);
  const second = await ann.calls.start({ users: [idOf(1)] });
  await Promise.all([rings(again), rings(mobile, 2)]);
  await again.session.end();
  expect(again.incoming[0]?.endReason).toBe("hung-up");
  await mobile.incoming[1]?.accept();
  await is(second, "connected");
});

test.each([
  ["is lost", null],
  ["moves to another user", 2],
])("a call whose session %s captures nothing any more", async (_way, other) => {
  const { token } = await signIn(node, users[1] as TestUser);
  const [ann, ben] = await Promise.all([device(0), device(1, token)]);
  const call = await ann.calls.start({ users: [idOf(1)], video: true });
  const answer = await rings(ben);
  await answer.accept();
  await is(call, "connected");
  const next = users[other ?? 0] as TestUser;
  if (other === null) await rest(node, "DELETE", "/session", { token });
  else await ben.session.logIn({ login: next.login, password: next.password });
  expect(await endOf(answer)).toBe("hung-up");
  expect(ben.platform?.devices.live.size).toBe(0);
  call.hangUp();
});

test("a call that rings before the client connects rings then", async () => {
  const ann = await device(0);
  const call = await ann.calls.start({ users: [idOf(1)] });
  const ben = await device(1);
  const answer = await rings(ben);
  await answer.accept();
  await is(call, "connected");
});
