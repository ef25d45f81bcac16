import type { Call, StartOptions } from "../../../client/src/index.ts";
import { FakeMedia } from "../../support/client-package/fake-media";
import { SignallingHub } from "../../support/client-package/signalling-hub";

/** What calls do with signals and devices, between users in one process. */

let media: FakeMedia;
let hub: SignallingHub;
beforeEach(() => {
  jest.useFakeTimers();
  media = new FakeMedia();
  hub = new SignallingHub();
});
afterEach(() => {
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

function phone(userId: string, device?: string) {
  const side = hub.calls(userId, media, device);
  const incoming: Call[] = [];
  side.calls.on("incoming", (call) => incoming.push(call));
  return { ...side, incoming };
}
type Phone = ReturnType<typeof phone>;

async function ring(from: Phone, to: Phone, options: Partial<StartOptions> = {}) {
  const call = await from.calls.start({ users: ["2"], video: true, ...options });
  await pass(0);
  const answer = to.incoming.at(-1);
  if (!answer) throw new Error("nothing rings");
  return { call, answer };
}

async function talk(options: Partial<StartOptions> = {}) {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben, options);
  await answer.accept();
  await pass(1_000);
  expect([call.state, answer.state]).toEqual(["connected", "connected"]);
  return { ann, ben, call, answer };
}

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error) => [error.name, error.code],
  );

test("two who call each other are connected by the call of the smaller id, with what they asked for", async () => {
  const [ann, ben] = [phone("9"), phone("10")];
  const [first, second] = await Promise.all([
    ann.calls.start({ users: ["10"], video: true }),
    ben.calls.start({ users: ["9"], video: false }),
  ]);
  await pass(1_000);
  expect([first.state, first.endReason]).toEqual(["connected", null]);
  expect([second.state, second.endReason]).toEqual(["ended", "replaced"]);
  expect(ben.incoming.map(({ id, state }) => [id, state])).toEqual([[first.id, "connected"]]);
  expect(ann.incoming).toEqual([]);
  // Whoever has placed an audio call is not filmed.
  expect([...ben.devices.live].map(({ kind }) => kind)).toEqual(["audio"]);
  ann.calls.close();
  await pass(0);
  expect(ben.calls.current).toBeNull();
});

test("an accept that is repeated at once opens the devices once", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben);
  await Promise.all([answer.accept(), answer.accept()]);
  await pass(1_000);
  expect(call.state).toBe("connected");
  expect(ben.devices.live.size).toBe(2);
  answer.hangUp();
  await pass(0);
  expect([ann.devices.live.size, ben.devices.live.size]).toEqual([0, 0]);
});

test("a call that is repeated while it is answered is answered once", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben);
  let proceed = () => {};
  const blocked = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const { prototype } = ben.platform.RTCPeerConnection;
  const { setRemoteDescription } = prototype;
  prototype.setRemoteDescription = async function (description) {
    await blocked;
    await Reflect.apply(setRemoteDescription, this, [description]);
  };
  const accepting = codeOf(answer.accept());
  await pass(11_000);
  expect(hub.typesFrom("1")).toEqual(["call", "call", "call"]);
  proceed();
  expect(await accepting).toBeNull();
  await pass(1_000);
  expect([call.state, answer.state]).toEqual(["connected", "connected"]);
  expect(hub.typesFrom("2").filter((type) => type === "accept")).toHaveLength(1);
  expect(media.made).toBe(2);
  call.hangUp();
});

test.each([
  ["the caller", "remote-hung-up"],
  ["the one who accepts", "hung-up"],
])("an accept during which %s hangs up fails at nothing", async (who, reason) => {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben);
  const ending = who === "the caller" ? call : answer;
  answer.on("state", (state) => {
    if (state === "connecting") ending.hangUp();
  });
  expect(await codeOf(answer.accept())).toBeNull();
  await pass(0);
  expect([answer.state, answer.endReason, answer.error]).toEqual(["ended", reason, null]);
  expect([ann.devices.live.size, ben.devices.live.size]).toEqual([0, 0]);
});

test("a device that is refused leaves the call ringing, and it can be accepted again", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben);
  ben.devices.refusal = "NotAllowedError";
  expect(await codeOf(answer.accept())).toEqual(["SignalboxError", "PERMISSION_DENIED"]);
  expect(answer.state).toBe("ringing");
  ben.devices.refusal = null;
  await answer.accept();
  await pass(1_000);
  expect(call.state).toBe("connected");
  call.hangUp();
});

test("a caller who is refused the devices calls nobody", async () => {
  const ann = phone("1");
  ann.devices.refusal = "NotReadableError";
  expect(await codeOf(ann.calls.start({ users: ["2"] }))).toEqual([
    "SignalboxError",
    "DEVICE_IN_USE",
  ]);
  expect([hub.sent, ann.calls.current]).toEqual([[], null]);
});

test("a user in a call is busy for a third, who may call again", async () => {
  const { ann, ben, call } = await talk();
  const cem = phone("3");
  const busy = await cem.calls.start({ users: ["1"] });
  await pass(0);
  expect(busy.endReason).toBe("busy");
  expect(await codeOf(ann.calls.start({ users: ["3"] }))).toEqual(["SignalboxError", "CONFLICT"]);
  expect([ann, ben].map(({ calls }) => calls.current?.state)).toEqual(["connected", "connected"]);
  call.hangUp();
  await pass(0);
  await ring(cem, ann, { users: ["1"] });
  cem.calls.close();
});

test("who calls again while the end of the earlier call is on its way is not taken for busy", async () => {
  const { ann, ben, call, answer } = await talk();
  hub.delayOf = ({ type }) => (type === "hangUp" ? 3_000 : 0);
  call.hangUp();
  const starting = ann.calls.start({ users: ["2"] });
  await pass(3_000);
  const again = await starting;
  expect(answer.endReason).toBe("remote-hung-up");
  expect([again.state, ben.incoming.at(-1)?.id]).toEqual(["calling", again.id]);
});

test("the end of a call reaches the other side after an outage", async () => {
  const { call, answer } = await talk();
  hub.delayOf = ({ type }) => (type === "hangUp" ? 15_000 : 0);
  call.hangUp();
  await pass(14_000);
  expect(answer.state).not.toBe("ended");
  await pass(1_000);
  expect(answer.endReason).toBe("remote-hung-up");
});

test("nobody, oneself and more than three others cannot be called", async () => {
  const ann = phone("1");
  const start = (users: (string | number)[]) => codeOf(ann.calls.start({ users }));
  expect(await start([])).toEqual(["SignalboxError", "INVALID"]);
  expect(await start([1])).toEqual(["SignalboxError", "INVALID"]);
  expect(await start([2, 3, 4, 5])).toEqual(["SignalboxError", "FULL"]);
  expect(ann.devices.live.size).toBe(0);
});

test("the other side sees what is muted, before the call and during it, also behind a shared screen", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben);
  answer.setMuted("audio", true);
  await answer.accept();
  await pass(1_000);
  const seen = () => {
    const { audioMuted, videoMuted } = call.participants[0] ?? {};
    return [audioMuted, videoMuted];
  };
  expect(seen()).toEqual([true, false]);
  expect([...ben.devices.live].map(({ kind, enabled }) => [kind, enabled])).toEqual([
    ["audio", false],
    ["video", true],
  ]);
  answer.setMuted("audio", false);
  answer.setMuted("video", true);
  await pass(0);
  expect(seen()).toEqual([false, true]);
  await answer.shareScreen();
  await pass(0);
  expect(seen()).toEqual([false, false]);
  answer.stopScreen();
  await pass(0);
  expect(seen()).toEqual([false, true]);
  call.hangUp();
});

test("a screen takes the place of the camera until the browser's button ends it", async () => {
  const { ben, call, answer } = await talk();
  const sent = () =>
    [...media.connections.values()]
      .flatMap((each) => each.getSenders())
      .map(({ track }) => track?.label);
  await answer.shareScreen();
  await pass(0);
  expect(sent()).toEqual(["microphone", "camera", "microphone", "screen"]);
  [...ben.devices.live].find(({ label }) => label === "screen")?.end();
  await pass(0);
  expect(sent()).toEqual(["microphone", "camera", "microphone", "camera"]);
  expect(answer.screen).toBeNull();
  call.hangUp();
});

test("an audio call carries no screen", async () => {
  const { call } = await talk({ video: false });
  expect(await codeOf(call.shareScreen())).toEqual(["SignalboxError", "UNSUPPORTED"]);
  call.hangUp();
});

test("an unplugged device is replaced by another one, or missed by both sides until one is chosen", async () => {
  const { ben, call, answer } = await talk();
  const lost: string[] = [];
  answer.on("deviceLost", ({ kind }) => lost.push(kind));
  const unplug = () => [...ben.devices.live].find(({ kind }) => kind === "audio")?.end();
  ben.devices.names.audio = ["headset"];
  unplug();
  await pass(0);
  expect([lost, [...ben.devices.live].map(({ label }) => label)]).toEqual([
    [],
    ["camera", "headset"],
  ]);
  ben.devices.names.audio = [];
  unplug();
  await pass(0);
  expect([lost, call.participants[0]?.audioMuted]).toEqual([["audio"], true]);
  expect(await codeOf(answer.useDevice("audio", "headset"))).toEqual([
    "SignalboxError",
    "DEVICE_NOT_FOUND",
  ]);
  ben.devices.names.audio = ["headset"];
  await answer.useDevice("audio", "headset");
  await pass(0);
  expect(call.participants[0]?.audioMuted).toBe(false);
  expect([...ben.devices.live].map(({ label }) => label)).toEqual(["camera", "headset"]);
  call.hangUp();
});

test("a call without a camera goes on with the microphone, and receives video", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  ben.devices.names.video = [];
  const { call, answer } = await ring(ann, ben);
  await answer.accept();
  await pass(1_000);
  expect(answer.participants[0]?.stream?.getTracks().map(({ kind }) => kind)).toEqual([
    "audio",
    "video",
  ]);
  expect(call.participants[0]?.videoMuted).toBe(true);
  call.hangUp();
});

test("the tracks of a stream of the application's own go on after the call", async () => {
  const ann = phone("1");
  const ben = phone("2");
  const stream = await ann.devices.getUserMedia({ audio: true, video: true });
  const { call, answer } = await ring(ann, ben, { media: stream as unknown as MediaStream });
  await answer.accept();
  await pass(1_000);
  call.hangUp();
  expect(stream.getTracks().map(({ readyState }) => readyState)).toEqual(["live", "live"]);
});

/** A call to which the caller gives a stream of its own. */
async function talkWithOwnStream() {
  const [ann, ben] = [phone("1"), phone("2")];
  const stream = await ann.devices.getUserMedia({ audio: true, video: true });
  const media = stream as unknown as MediaStream;
  const [audio, video] = stream.getTracks();
  if (!audio || !video) throw new Error("no tracks");
  const begin = async () => {
    const { call, answer } = await ring(ann, ben, { media });
    await answer.accept();
    await pass(1_000);
    return call;
  };
  return { ann, stream, audio, video, begin };
}

test("the end of an application's own track opens no device, and is reported", async () => {
  const { ann, stream, audio, begin } = await talkWithOwnStream();
  const call = await begin();
  const lost: string[] = [];
  call.on("deviceLost", ({ kind }) => lost.push(kind));
  audio.end();
  await pass(0);
  expect([lost, call.isMuted("audio")]).toEqual([["audio"], true]);
  expect(ann.devices.requests).toHaveLength(1);
  // A device that is chosen in its place is captured here, so another one replaces it, and the call's end stops it.
  await call.useDevice("audio", "microphone");
  ann.devices.names.audio = ["headset"];
  [...ann.devices.live].find(({ kind }) => kind === "audio")?.end();
  await pass(0);
  expect([...ann.devices.live].map(({ label }) => label)).toEqual(["camera", "headset"]);
  call.hangUp();
  await pass(0);
  expect([...ann.devices.live]).toEqual([stream.getTracks()[0]]);
  expect(lost).toEqual(["audio"]);
});

test("the application's own tracks are muted from the start if they are disabled, and afterwards as they were", async () => {
  const { audio, video, begin } = await talkWithOwnStream();
  video.enabled = false;
  const first = await begin();
  expect([first.isMuted("audio"), first.isMuted("video")]).toEqual([false, true]);
  first.setMuted("audio", true);
  first.setMuted("video", false);
  expect([audio.enabled, video.enabled]).toEqual([false, true]);
  first.hangUp();
  await pass(0);
  expect([audio.enabled, video.enabled]).toEqual([true, false]);
  const second = await begin();
  expect([second.isMuted("audio"), second.isMuted("video")]).toEqual([false, true]);
  second.hangUp();
});

test("another device is opened with the constraints of the first, without what has chosen that", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const audio = { echoCancellation: false, deviceId: "microphone" };
  const video = { width: 1_280, facingMode: { exact: "user" } };
  const { call, answer } = await ring(ann, ben, { media: { audio, video } });
  await answer.accept();
  await pass(1_000);
  ann.devices.names.video.push("telephoto");
  await call.useDevice("video", "telephoto");
  [...ann.devices.live].find(({ kind }) => kind === "audio")?.end();
  await pass(0);
  expect(ann.devices.requests).toEqual([
    { audio, video },
    { video: { width: 1_280, deviceId: { exact: "telephoto" } } },
    { audio: { echoCancellation: false } },
  ]);
  call.hangUp();
});

test("another device of the user stops ringing when one answers or declines", async () => {
  const [ann, desk, mobile] = [phone("1"), phone("2", "desk"), phone("2", "mobile")];
  const { answer } = await ring(ann, desk);
  await answer.accept();
  await pass(0);
  expect(mobile.incoming[0]?.endReason).toBe("answered-elsewhere");
  ann.calls.current?.hangUp();
  await pass(0);
  const again = await ring(ann, desk);
  again.answer.reject();
  await pass(0);
  expect(mobile.incoming[1]?.endReason).toBe("rejected-elsewhere");
  expect(again.call.endReason).toBe("rejected");
});

test("a device that accepts too late is refused, and disturbs the call no more", async () => {
  const [ann, ben] = [phone("1"), phone("2", "desk")];
  const { call, answer } = await ring(ann, ben);
  const late = hub.device("2", "late");
  const refused: (string | null)[] = [];
  late.on("signal", ({ signalType, callId }) => {
    if (signalType === "hangUp") refused.push(callId);
  });
  await answer.accept();
  await late.send(
    { userId: "1" },
    { accept: { callId: call.id, sdp: "v=0\r\na=fake:99 1 audio\r\n" } },
  );
  const iceCandidates = [{ candidate: "candidate:99 1", sdpMid: "0", sdpMLineIndex: 0 }];
  await late.send({ userId: "1" }, { iceCandidates: { callId: call.id, iceCandidates } });
  await late.send({ userId: "1" }, { hangUp: { callId: call.id } });
  await pass(1_000);
  expect([call.state, refused]).toEqual(["connected", [call.id]]);
  answer.hangUp();
  await pass(0);
  expect(call.endReason).toBe("remote-hung-up");
});

test("a device that comes back under another name hangs up all the same", async () => {
  const { call } = await talk();
  const renewed = hub.device("2", "renewed");
  await renewed.send({ userId: "1" }, { hangUp: { callId: call.id } });
  await pass(0);
  expect(call.endReason).toBe("remote-hung-up");
});

test("a description that the platform refuses ends the call on both sides, with an error", async () => {
  const ben = phone("2");
  const bad = hub.device("1", "bad");
  const types: string[] = [];
  bad.on("signal", ({ signalType }) => types.push(signalType));
  await bad.send({ userId: "2" }, { call: { callId: "x", callType: "AUDIO", sdp: "nonsense" } });
  await pass(0);
  const [call] = ben.incoming;
  expect(await codeOf(call?.accept() ?? Promise.resolve())).toEqual(["SignalboxError", "INTERNAL"]);
  await pass(0);
  expect([call?.endReason, call?.error?.name, types]).toEqual([
    "failed",
    "SignalboxError",
    ["hangUp"],
  ]);
  expect(ben.devices.live.size).toBe(0);
});

test.each(["reject", "hangUp"] as const)("a listener declines at once by %s", async (method) => {
  const ann = phone("1");
  const ben = hub.calls("2", media);
  ben.calls.on("incoming", (call) => call[method]());
  const declined = await ann.calls.start({ users: ["2"] });
  await pass(0);
  expect(declined.endReason).toBe("rejected");
});

test("a listener of what is in progress declines at once too", async () => {
  const ann = phone("1");
  const ben = hub.calls("2", media);
  ben.calls.on("change", () => ben.calls.current?.reject());
  const declined = await ann.calls.start({ users: ["2"] });
  await pass(0);
  expect(declined.endReason).toBe("rejected");
});

test("a screen that is given after the end of the call is captured no more", async () => {
  const { ann, call } = await talk();
  call.hangUp();
  const screen = await ann.devices.getDisplayMedia();
  await call.shareScreen(screen as unknown as MediaStream);
  expect([screen.getTracks()[0]?.readyState, ann.devices.live.size]).toEqual(["ended", 0]);
});

test("what waits for a connection does not follow the end by a page that closes", async () => {
  const { ann, call, answer } = await talk();
  // The service takes nothing over the connection.
  let isAway = true;
  const { send } = ann.signals;
  ann.signals.send = async (to, signal, options = {}) => {
    while (isAway && !options.keepalive) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      options.signal?.throwIfAborted();
    }
    return send(to, signal, options);
  };
  call.setMuted("audio", true);
  call.hangUp();
  await pass(2_000);
  expect(answer.state).toBe("connected");
  ann.calls.close();
  await pass(0);
  expect(answer.endReason).toBe("remote-hung-up");
  isAway = false;
  await pass(5_000);
  expect(hub.typesFrom("1")).toEqual(["call", "iceCandidates", "hangUp"]);
});

test("a page that is left hangs up, and may call again when it comes back", async () => {
  // The other user has another page.
  const ben = phone("2");
  const window = new EventTarget();
  Object.assign(globalThis, { window });
  const ann = phone("1");
  Reflect.deleteProperty(globalThis, "window");
  const left = await ring(ann, ben);
  await left.answer.accept();
  await pass(1_000);
  window.dispatchEvent(new Event("pagehide"));
  await pass(0);
  expect([left.call.endReason, left.answer.endReason]).toEqual(["hung-up", "remote-hung-up"]);
  const again = await ring(ann, ben);
  await again.answer.accept();
  await pass(1_000);
  expect(again.call.state).toBe("connected");
  again.call.hangUp();
});

test("a call that ended rings no more when it is repeated, and a declined one is declined again", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const { call, answer } = await ring(ann, ben);
  hub.drops = ({ type }) => type === "reject";
  answer.reject({ text: "later" });
  await pass(5_000);
  expect(call.state).toBe("calling");
  hub.drops = () => false;
  await pass(5_000);
  expect([call.endReason, ben.incoming.length]).toEqual(["rejected", 1]);
});

test("whoever closes the client hangs up a call in progress, and leaves a ringing one to other devices", async () => {
  const { ben, call } = await talk();
  ben.calls.close();
  await pass(0);
  expect(call.endReason).toBe("remote-hung-up");
  const [cem, desk, mobile] = [phone("3"), phone("4", "desk"), phone("4", "mobile")];
  const next = await ring(cem, desk, { users: ["4"] });
  desk.calls.close();
  await pass(0);
  expect([next.call.state, mobile.incoming[0]?.state]).toEqual(["calling", "ringing"]);
  cem.calls.close();
  await pass(0);
});

test("a device without media declines as not supported", async () => {
  const ann = phone("1");
  const { Calls } = await import("../../../client/src/index.ts");
  const bare = new Calls({
    signals: hub.device("2", "bare"),
    userId: async () => "2",
    iceServers: async () => [],
    media: null,
    relayOnly: false,
  });
  bare.on("incoming", () => {
    throw new Error("rings");
  });
  const call = await ann.calls.start({ users: ["2"] });
  await pass(0);
  expect(call.endReason).toBe("not-supported");
  expect(await codeOf(bare.start({ users: ["1"] }))).toEqual(["SignalboxError", "UNSUPPORTED"]);
  bare.close();
});

describe("the name of a caller", () => {
  test("comes while the call rings, and is none of the call that one makes", async () => {
    let proceed = () => {};
    const known = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    hub.userName = (id) => known.then(() => `User number ${id}`);
    const [ann, ben] = [phone("1"), phone("2")];
    const { call, answer } = await ring(ann, ben);
    const names: (string | null)[] = [answer.callerName];
    answer.on("change", () => names.push(answer.callerName));
    proceed();
    await pass(0);
    expect(names).toEqual([null, "User number 1"]);
    expect(call.callerName).toBeNull();
    call.hangUp();
  });

  test.each([
    ["that cannot be read", () => Promise.reject(new Error("NETWORK"))],
    ["that does not exist", () => Promise.resolve(null)],
  ])("%s is null, and the call can be taken", async (_, userName) => {
    hub.userName = userName;
    const [ann, ben] = [phone("1"), phone("2")];
    const { call, answer } = await ring(ann, ben);
    expect(answer.callerName).toBeNull();
    await answer.accept();
    await pass(1_000);
    expect(call.state).toBe("connected");
    call.hangUp();
  });
});
