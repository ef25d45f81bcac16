import type { Fault } from "../../src/core/errors";
import { readMessage } from "../../src/domain/push/payload/message";
import type { ApnsPush, FcmPush, WebPush } from "../../src/domain/push/payload/push-payload";
import { droppedKeys, translate } from "../../src/domain/push/payload/translate";
import { printedHeaders, printedPushes } from "../support/push/printed-pushes";

/** Mapping of each key of a universal message (docs/PUSH.md "Payloads"). */

/** 2026-11-21T10:00:00Z */
const NOW = Date.UTC(2026, 10, 21, 10);
const SECONDS = NOW / 1000;
const WEEKS_4 = 28 * 86_400;

type Given = Record<string, unknown>;

const read = (given: Given) =>
  readMessage(Buffer.from(JSON.stringify(given)).toString("base64"), null);
const apns = (given: Given) => translate(read(given), "apns", NOW) as ApnsPush;
const voip = (given: Given) => translate(read(given), "apns_voip", NOW) as ApnsPush;
const fcm = (given: Given) => (translate(read(given), "gcm", NOW) as FcmPush).message;
const web = (given: Given) => translate(read(given), "web", NOW) as WebPush;
const body = (push: { payload: string }) => JSON.parse(push.payload);

/** Expects a key to set these `aps` keys, and to have no effect on Android and in browsers. */
function expectAppleOnly(given: Given, aps: unknown): void {
  expect(body(apns(given))).toEqual({ aps });
  expect(fcm(given)).toEqual({});
  expect(body(web(given))).toEqual({});
}

it("requires no key", () => {
  expect(apns({})).toEqual({
    channel: "apns",
    payload: '{"aps":{}}',
    pushType: "alert",
    priority: 5,
    expiration: null,
  });
  expect(fcm({})).toEqual({});
  expect(web({})).toEqual({ channel: "web", payload: "{}", ttl: WEEKS_4 });
});

describe("message", () => {
  const given = { message: "Grüße 😀" };

  it("is aps.alert.body on iOS", () => {
    expect(apns(given)).toEqual({
      channel: "apns",
      payload: '{"aps":{"alert":{"body":"Grüße 😀"}}}',
      pushType: "alert",
      priority: 10,
      expiration: null,
    });
  });

  it("is data.message on Android, with high priority", () => {
    expect(fcm(given)).toEqual({
      data: { message: "Grüße 😀" },
      android: { priority: "HIGH" },
    });
  });

  it("is message in a browser", () => {
    expect(body(web(given))).toEqual(given);
  });
});

describe("ios_badge", () => {
  it.each([
    [3, 3],
    ["3", 3],
    [0, 0],
  ])("is aps.badge: %j", (badge, shown) => {
    expectAppleOnly({ ios_badge: badge }, { badge: shown });
    expect(apns({ ios_badge: badge }).priority).toBe(10);
  });
});

describe("ios_sound", () => {
  it("is aps.sound", () => expectAppleOnly({ ios_sound: "ring.caf" }, { sound: "ring.caf" }));

  it("may be an object for a critical alert", () => {
    const sound = { critical: 1, name: "ring.caf", volume: 0.5 };
    expectAppleOnly({ ios_sound: sound }, { sound });
  });
});

describe.each([
  ["ios_content_available", "content-available"],
  ["ios_mutable_content", "mutable-content"],
])("%s", (key, name) => {
  it.each([1, "1", true])(`is aps.${name}: %j`, (value) => {
    expectAppleOnly({ [key]: value }, { [name]: 1 });
  });

  it.each([0, "0", false, null])("is nothing: %j", (value) => {
    expectAppleOnly({ [key]: value }, {});
  });
});

it("ios_category is aps.category", () => {
  expectAppleOnly({ ios_category: "INVITE" }, { category: "INVITE" });
});

it("ios_thread_id is aps.thread-id", () => {
  expectAppleOnly({ ios_thread_id: "room-7" }, { "thread-id": "room-7" });
});

describe("ios_voip", () => {
  const given = { message: "Ann calls", ios_voip: 1, call: { id: 7 }, ios_category: "CALL" };

  it("is a VoIP push with a VoIP subscription", () => {
    const push = voip({ ...given, expiration: SECONDS + 30 });
    expect({ ...push, payload: body(push) }).toEqual({
      channel: "apns_voip",
      payload: {
        aps: { alert: { body: "Ann calls" }, category: "CALL" },
        message: "Ann calls",
        call: { id: 7 },
      },
      pushType: "voip",
      priority: 10,
      expiration: SECONDS + 30,
    });
  });

  it("is a standard push on iOS without a VoIP subscription", () => {
    const push = apns(given);
    expect({ ...push, payload: body(push) }).toEqual({
      channel: "apns",
      payload: { aps: { alert: { body: "Ann calls" }, category: "CALL" }, call: { id: 7 } },
      pushType: "alert",
      priority: 10,
      expiration: null,
    });
  });

  it("is a standard push on Android", () => {
    expect(fcm(given)).toEqual({
      data: { message: "Ann calls", call: '{"id":7}' },
      android: { priority: "HIGH" },
    });
    expect(fcm({ ios_voip: 1, call: 7 })).toEqual({
      data: { call: "7" },
      android: { priority: "HIGH" },
    });
  });

  it("has high priority regardless of ios_push_type", () => {
    expect(voip({ ...given, ios_push_type: "background" })).toMatchObject({
      pushType: "voip",
      priority: 10,
    });
  });
});

describe("ios_push_type", () => {
  it("is alert by default", () => {
    expect(apns({ message: "Hi" })).toMatchObject({ pushType: "alert", priority: 10 });
    expect(apns({ message: "Hi", ios_push_type: "alert" })).toEqual(apns({ message: "Hi" }));
  });

  it("is alert with priority 5 if nothing is noticeable", () => {
    const push = apns({ ios_content_available: 1, ios_sound: "" });
    expect(push).toMatchObject({ pushType: "alert", priority: 5 });
  });

  it("is background with priority 5 and content-available, as Apple requires", () => {
    const push = apns({ ios_push_type: "background", id: 7 });
    expect(push).toMatchObject({ pushType: "background", priority: 5 });
    expect(body(push)).toEqual({ aps: { "content-available": 1 }, id: 7 });
    expect(apns({ ios_push_type: "background", message: "Hi" }).priority).toBe(5);
  });

  it("reaches only Apple's devices", () => {
    expect(fcm({ ios_push_type: "background" })).toEqual({});
    expect(body(web({ ios_push_type: "background" }))).toEqual({});
  });
});

describe("expiration", () => {
  it.each([SECONDS + 3600, `${SECONDS + 3600}`])("is a time on iOS: %j", (expiration) => {
    expect(apns({ message: "Hi", expiration }).expiration).toBe(SECONDS + 3600);
    expect(body(apns({ expiration }))).toEqual({ aps: {} });
  });

  it.each([
    ["an hour", SECONDS + 3600, 3600],
    ["less than a second", SECONDS, 0],
    ["a time that has passed", SECONDS - 3600, 0],
    ["0", 0, 0],
    ["more than four weeks", SECONDS + WEEKS_4 + 1, WEEKS_4],
  ])("is a TTL on Android and in browsers: %s", (_name, expiration, ttl) => {
    expect(fcm({ expiration })).toEqual({ android: { ttl: `${ttl}s` } });
    expect(web({ expiration })).toEqual({ channel: "web", payload: "{}", ttl });
  });

  it("counts from the time of sending, in whole seconds", () => {
    const message = read({ expiration: SECONDS + 10 });
    expect(translate(message, "web", NOW + 1)).toMatchObject({ ttl: 9 });
  });

  it("defaults to no expiration on iOS and Android, and four weeks in browsers", () => {
    expect(apns({}).expiration).toBeNull();
    expect(fcm({ message: "Hi" }).android).not.toHaveProperty("ttl");
    expect(web({}).ttl).toBe(WEEKS_4);
  });
});

describe("android_fcm_notification", () => {
  const of = (android_fcm_notification: Given) => fcm({ android_fcm_notification });

  it("is notification.* on Android, and ignored elsewhere", () => {
    const given = {
      android_fcm_notification: { title: "T", body: "B", image: "https://a.test/i" },
    };
    expect(fcm(given)).toEqual({
      notification: { title: "T", body: "B", image: "https://a.test/i" },
      android: { priority: "HIGH" },
    });
    expect(body(apns(given))).toEqual({ aps: {} });
    expect(body(web(given))).toEqual({});
  });

  it("does not replace data.message", () => {
    expect(fcm({ message: "M", android_fcm_notification: { title: "T" } })).toMatchObject({
      data: { message: "M" },
      notification: { title: "T" },
    });
  });

  it.each<[string, unknown, unknown?]>([
    ["icon", "bell"],
    ["color", "#00ff7F"],
    ["sound", "default"],
    ["tag", "room-7"],
    ["click_action", "OPEN"],
    ["body_loc_key", "invited"],
    ["body_loc_args", ["Ann", 7], ["Ann", "7"]],
    ["body_loc_args", '["Ann"]', ["Ann"]],
    ["title_loc_key", "invitation"],
    ["title_loc_args", []],
    ["channel_id", "calls"],
    ["ticker", "Ann calls"],
    ["sticky", "true", true],
    ["event_time", "2026-11-21T10:00:00.5Z"],
    ["local_only", 1, true],
    ["notification_priority", "PRIORITY_MAX"],
    ["notification_priority", "high", "PRIORITY_HIGH"],
    ["default_sound", true],
    ["default_vibrate_timings", false],
    ["default_light_settings", 0, false],
    ["vibrate_timings", ["0.5s", "1s"]],
    ["visibility", "public", "PUBLIC"],
    ["notification_count", "3", 3],
    [
      "light_settings",
      {
        color: { red: 1, green: 0.5, blue: 0, other: 1 },
        light_on_duration: "1s",
        light_off_duration: "0.25s",
      },
      {
        color: { red: 1, green: 0.5, blue: 0 },
        light_on_duration: "1s",
        light_off_duration: "0.25s",
      },
    ],
    ["bypass_proxy_notification", true],
    ["proxy", "deny", "DENY"],
  ])("is android.notification.%s: %j", (key, value, sent = value) => {
    expect(of({ [key]: value })).toEqual({
      android: { priority: "HIGH", notification: { [key]: sent } },
    });
  });

  it.each([
    ["clickAction", "click_action", "OPEN"],
    ["android_channel_id", "channel_id", "calls"],
    ["priority", "notification_priority", "PRIORITY_LOW"],
  ])("accepts %s as %s", (key, name, value) => {
    expect(of({ [key]: value }).android?.notification).toEqual({ [name]: value });
  });

  it("drops parameters for which Firebase would refuse the whole message", () => {
    expect(of({ title: "T", badge: 1, data: {}, constructor: 1, toString: 1 })).toEqual({
      notification: { title: "T" },
      android: { priority: "HIGH" },
    });
  });
});

describe("ios_loc_data", () => {
  it.each([
    ["title_loc_key", "title-loc-key", "invitation"],
    ["title_loc_args", "title-loc-args", ["Ann"]],
    ["body_loc_key", "loc-key", "invited"],
    ["body_loc_args", "loc-args", ["Ann", "7"]],
  ])("maps %s to aps.alert.%s", (key, name, value) => {
    expectAppleOnly({ ios_loc_data: { [key]: value } }, { alert: { [name]: value } });
  });

  it("is sent with the message", () => {
    const given = {
      message: "Ann invites you",
      ios_loc_data: { body_loc_key: "invited", body_loc_args: ["Ann", 7] },
    };
    expect(body(apns(given)).aps.alert).toEqual({
      body: "Ann invites you",
      "loc-key": "invited",
      "loc-args": ["Ann", "7"],
    });
    expect(fcm(given).data).toEqual({ message: "Ann invites you" });
  });
});

describe("a custom key", () => {
  const custom = { id: 7, room: { name: "A", open: true }, list: [1, null], none: null, text: "x" };

  it("is next to aps on iOS", () => {
    expect(body(apns(custom))).toEqual({ aps: {}, ...custom });
  });

  it("is text in data on Android", () => {
    expect(fcm(custom)).toEqual({
      data: {
        id: "7",
        room: '{"name":"A","open":true}',
        list: "[1,null]",
        none: "null",
        text: "x",
      },
    });
  });

  it("is next to the message in a browser", () => {
    expect(body(web({ message: "Hi", ...custom }))).toEqual({ message: "Hi", ...custom });
  });

  it("named aps never overrides standard keys", () => {
    const given = { message: "Hi", aps: { alert: "Other" } };
    expect(body(apns(given))).toEqual({ aps: { alert: { body: "Hi" } } });
    expect(body(voip(given))).toEqual({ aps: { alert: { body: "Hi" } }, message: "Hi" });
    expect(fcm(given).data).toEqual({ message: "Hi", aps: '{"alert":"Other"}' });
  });

  it("named aps may set keys without a standard key", () => {
    const aps = { "interruption-level": "time-sensitive", badge: 1, alert: "Other" };
    const given = { ios_badge: 2, aps };
    const sent = { "interruption-level": "time-sensitive", badge: 2, alert: "Other" };
    expect([body(apns(given)), body(voip(given))]).toEqual([{ aps: sent }, { aps: sent }]);
    expect(apns({ aps: { alert: "Hi" } }).priority).toBe(10);
    expect(body(apns({ aps: "text" }))).toEqual({ aps: {} });
    expect(body(web(given))).toEqual({ aps });
  });

  it("with a platform's prefix is treated like any other", () => {
    const given = { ios_own: 1, android_own: 2 };
    expect(body(apns(given))).toEqual({ aps: {}, ...given });
    expect(fcm(given).data).toEqual({ ios_own: "1", android_own: "2" });
    expect(body(web(given))).toEqual(given);
  });

  it.each([
    ["from", "_from"],
    ["message_type", "_message_type"],
    ["collapse_key", "_collapse_key"],
    ["google.sent_time", "_google.sent_time"],
    ["gcm.notification.title", "_gcm.notification.title"],
    ["gcm.\n", "_gcm.\n"],
  ])("reserved by Firebase gets an underscore: %j", (key, name) => {
    expect(fcm({ [key]: "x" }).data).toEqual({ [name]: "x" });
    expect(body(apns({ [key]: "x" }))).toEqual({ aps: {}, [key]: "x" });
  });

  it.each([
    "fromage",
    "google_id",
    "gcmId",
    "Message",
  ])("similar to a reserved key is unchanged: %s", (key) => {
    expect(fcm({ [key]: "x" }).data).toEqual({ [key]: "x" });
  });

  it("with an underscore is not overwritten", () => {
    expect(fcm({ from: "a", _from: "b" }).data).toEqual({ __from: "a", _from: "b" });
  });
});

describe("dropped keys", () => {
  const given = {
    ios_badge: 2,
    aps: { badge: 1, "target-content-id": "x" },
    ios_loc_data: { titel_loc_key: "invitation", body_loc_key: "invited" },
    android_fcm_notification: { titel: "T", body: "B" },
    ios_bagde: 3,
  };
  const apple = [
    "aps.badge is dropped: a standard key sets it",
    "ios_loc_data.titel_loc_key is dropped: the parameter is unknown",
  ];
  const android = ["android_fcm_notification.titel is dropped: Firebase does not know it"];

  it.each([
    ["apns", apple],
    ["apns_voip", apple],
    ["gcm", android],
    ["web", []],
  ] as const)("are reported for %s", (channel, dropped) => {
    expect(droppedKeys(read(given), channel)).toEqual(dropped);
  });

  it("include a custom aps that is not an object", () => {
    expect(droppedKeys(read({ aps: "x" }), "apns")).toEqual([
      "aps is dropped: it is not an object",
    ]);
    expect(droppedKeys(read({ aps: "x" }), "gcm")).toEqual([]);
  });

  it("are reported for a platform-specific message", () => {
    const content = { to: "x", notification: { titel: "T" }, data: { a: "b" } };
    const text = `payload=${Buffer.from(JSON.stringify(content)).toString("base64")}`;
    expect(droppedKeys(readMessage(text, "gcm"), "gcm")).toEqual([
      "to is dropped: it has no effect",
      "notification.titel is dropped: Firebase does not know it",
    ]);
  });
});

it.each<[string, unknown, RegExp]>([
  ["message", 5, /message, which must be text/],
  ["message", {}, /message, which must be text/],
  ["ios_badge", "x", /ios_badge, which must be an integer/],
  ["ios_badge", "", /ios_badge, which must be an integer/],
  ["ios_badge", 1.5, /ios_badge, which must be an integer/],
  ["ios_badge", -1, /ios_badge, which must be an integer from 0/],
  ["ios_badge", 2_147_483_648, /ios_badge, which must be an integer from 0 to 2147483647/],
  ["ios_badge", true, /ios_badge, which must be an integer/],
  ["ios_sound", 1, /ios_sound, which must be text or an object/],
  ["ios_content_available", 2, /ios_content_available, which must be 1 or 0/],
  ["ios_mutable_content", "yes", /ios_mutable_content, which must be 1 or 0/],
  ["ios_category", 1, /ios_category, which must be text/],
  ["ios_voip", [1], /ios_voip, which must be 1 or 0/],
  ["ios_push_type", "voip", /ios_push_type, which must be one of alert, background/],
  ["ios_thread_id", 7, /ios_thread_id, which must be text/],
  ["expiration", "soon", /expiration, which must be an integer/],
  ["expiration", -1, /expiration, which must be an integer from 0/],
  ["expiration", NOW, /expiration, which must be an integer from 0 to 4294967295/],
  ["android_fcm_notification", "T", /android_fcm_notification, which must be an object/],
  ["android_fcm_notification", { title: 1 }, /android_fcm_notification.title, which must be text/],
  ["android_fcm_notification", { color: "red" }, /color, which must be a colour like #rrggbb/],
  ["android_fcm_notification", { event_time: "now" }, /event_time, which must be an RFC 3339 time/],
  ["android_fcm_notification", { visibility: "some" }, /visibility, which must be one of PRIVATE/],
  ["android_fcm_notification", { vibrate_timings: [1] }, /vibrate_timings, which must be a list/],
  ["android_fcm_notification", { body_loc_args: "Ann" }, /body_loc_args, which must be a list/],
  ["android_fcm_notification", { light_settings: {} }, /light_settings.color, which is required/],
  [
    "android_fcm_notification",
    { light_settings: { color: { red: 2 } } },
    /light_settings.color.red, which must be a number from 0 to 1/,
  ],
  ["ios_loc_data", 5, /ios_loc_data, which must be an object/],
  ["ios_loc_data", { title_loc_key: 1 }, /ios_loc_data.title_loc_key, which must be text/],
  ["ios_loc_data", { title_loc_args: {} }, /title_loc_args, which must be a list of texts/],
  ["ios_loc_data", { title_loc_args: '["\\ud83d"]' }, /title_loc_args, which must be a list/],
  ["ios_loc_data", { body_loc_key: [] }, /ios_loc_data.body_loc_key, which must be text/],
  ["ios_loc_data", { body_loc_args: [null] }, /body_loc_args, which must be a list of texts/],
])("refuses a wrong type: %s = %j", (key, value, reason) => {
  expect(() => read({ [key]: value })).toThrow(reason);
  try {
    read({ [key]: value });
  } catch (error) {
    expect((error as Fault).code).toBe("INVALID");
  }
  expect.assertions(2);
});

it("matches the example in docs/PUSH.md", () => {
  const printed = printedPushes("json");
  const given = JSON.parse(printed.sent) as Given;
  expect(printedHeaders(apns(given))).toBe(printed.apnsHeaders);
  expect(body(apns(given))).toEqual(printed.apns);
  expect(fcm(given)).toEqual(printed.gcm);
  expect(web(given).ttl).toBe(printed.webTtl);
  expect(body(web(given))).toEqual(printed.web);
});
