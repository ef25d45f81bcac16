import type { SentSignal } from "../../../src/domain/calls/history/call-event";
import { shortText } from "../../../src/domain/calls/inbox/bus-keys";
import { isDeviceConnected } from "../../../src/domain/calls/inbox/device-presence";
import { CONNECTING_MS } from "../../../src/domain/calls/inbox/record-answer";
import type { RouterDeps } from "../../../src/domain/calls/router";
import type { Bus } from "../../../src/platform/bus/bus";
import { openLocalBus } from "../../../src/platform/bus/local";
import { ann, bob, device, log, nodeOn, signal } from "./subscribers";

/** A device of Ann that takes a call over from the one that has accepted it, as a client does that signs in again. */

let now: number;
let bus: Bus;
let sent: SentSignal[];
beforeEach(() => {
  now = 1_000_000;
  bus = openLocalBus({ now: () => now }, log);
  sent = [];
});

const open = (parts: Partial<RouterDeps> = {}) =>
  nodeOn(bus, false, {
    clock: { now: () => now },
    observe: (signal) => sent.push(signal),
    ...parts,
  });
const fromAnn = (type: string, resource: string) =>
  signal(type, { type, callId: "s", from: { ...ann, resource }, to: bob });
const toAnn = (type: string, resource: string) =>
  signal(type, { type, callId: "s", to: { ...ann, resource } });
const CONFLICT = { code: "CONFLICT" };

test("may accept again once the first one has gone, on any node, and not before", async () => {
  const [one, two] = [open(), open()];
  const { detach } = await one.attach(device("first"));
  await two.attach(device("second"));
  await one.send("xmpp", fromAnn("accept", "first"));
  now += CONNECTING_MS;
  await expect(two.send("xmpp", fromAnn("accept", "second"))).rejects.toMatchObject(CONFLICT);
  await detach();
  await two.send("xmpp", fromAnn("accept", "second"));
  // The call is the second one's now.
  now += CONNECTING_MS;
  await expect(one.send("xmpp", fromAnn("accept", "first"))).rejects.toMatchObject(CONFLICT);
});

test("may not accept while the first one may still be opening its connection", async () => {
  const router = open();
  await router.send("graphql", fromAnn("accept", "first"));
  now += CONNECTING_MS - 1;
  await expect(router.send("graphql", fromAnn("accept", "second"))).rejects.toMatchObject(CONFLICT);
  now += 1;
  await router.send("graphql", fromAnn("accept", "second"));
});

test.each([
  ["the accepting one hangs up", fromAnn("hangUp", "first"), true, true],
  ["another one hangs up", fromAnn("hangUp", "second"), true, false],
  [
    "another one hangs up, and the accepting one has gone",
    fromAnn("hangUp", "second"),
    false,
    true,
  ],
  ["the accepting one is hung up on", toAnn("hangUp", "first"), true, true],
  ["another one is hung up on", toAnn("hangUp", "second"), true, false],
  [
    "another one is hung up on, and the accepting one has gone",
    toAnn("hangUp", "second"),
    false,
    true,
  ],
])("when %s, the hang-up concerns the user or that device alone", async (_, hangUp, stays, ofUser) => {
  const [one, two] = [open(), open()];
  const first = await one.attach(device("first"));
  await two.attach(device("second"));
  await one.send("xmpp", fromAnn("accept", "first"));
  now += CONNECTING_MS;
  if (!stays) await first.detach();
  await two.send("xmpp", hangUp);
  expect(sent.at(-1)).toMatchObject({ signal: { type: "hangUp" }, ofUser });
});

test("is unknown with an attached chat server, whose devices count as connected", async () => {
  const router = open({ forwardToChatServer: async () => undefined });
  await router.send("xmpp", fromAnn("accept", "first"));
  now += CONNECTING_MS;
  await expect(router.send("xmpp", fromAnn("accept", "second"))).rejects.toMatchObject(CONFLICT);
});

test("a device is found by its whole name, however long, while it is attached to any node", async () => {
  const name = "x".repeat(300);
  const hashed = shortText(name);
  expect(await isDeviceConnected(bus, ann, hashed)).toBe(false);
  const { detach } = await open().attach(device(name));
  await open().attach(device("x"));
  expect(await isDeviceConnected(bus, ann, hashed)).toBe(true);
  expect(await isDeviceConnected(bus, bob, hashed)).toBe(false);
  await detach();
  expect(await isDeviceConnected(bus, ann, hashed)).toBe(false);
});
