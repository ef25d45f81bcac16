import type { Fault } from "../../src/core/errors";
import type { PushChannel } from "../../src/domain/push/channels/channel";
import { readMessage } from "../../src/domain/push/payload/message";
import { previewPush } from "../../src/domain/push/payload/preview-push";
import type { ApnsPush, FcmPush, PushPayload } from "../../src/domain/push/payload/push-payload";
import { sizeProblem } from "../../src/domain/push/payload/size";
import { translate } from "../../src/domain/push/payload/translate";

/** Platform-specific payloads, size limits and previews. */

const NOW = Date.UTC(2026, 10, 21, 10);
const WEEKS_4 = 28 * 86_400;

const payload = (content: unknown) =>
  `payload=${Buffer.from(JSON.stringify(content)).toString("base64")}`;
const translated = <T extends PushPayload>(content: unknown, channel: PushChannel) =>
  translate(readMessage(payload(content), channel), channel, NOW) as T;
const fcm = (content: unknown) => translated<FcmPush>(content, "gcm").message;
const pairs = (text: string) =>
  (translate(readMessage(text, "gcm"), "gcm", NOW) as FcmPush).message;

describe("a payload for apns", () => {
  const apns = (content: unknown) => translated<ApnsPush>(content, "apns");

  it("is passed through as an alert", () => {
    const content = {
      aps: { alert: { title: "T" }, badge: 1, "x-new": [1] },
      id: 7,
      deep: { a: null },
    };
    expect(apns(content)).toEqual({
      channel: "apns",
      payload: JSON.stringify(content),
      pushType: "alert",
      priority: 10,
      expiration: null,
    });
  });

  it.each([
    [{ "content-available": 1 }],
    [{ "content-available": 1, sound: "" }],
    [{ "content-available": 1, alert: null, category: "C" }],
  ])("is a background push if the user does not notice it: %j", (aps) => {
    expect(apns({ aps })).toMatchObject({ pushType: "background", priority: 5 });
  });

  it.each([
    [{ aps: { "content-available": 1, alert: "Hi" } }],
    [{ aps: { "content-available": 1, badge: 0 } }],
    [{ aps: { "content-available": 1, sound: "default" } }],
    [{ aps: { "content-available": 0 } }],
    [{ aps: "Hi" }],
    [{ aps: [] }],
    [{}],
  ])("is an alert otherwise: %j", (content) => {
    expect(apns(content)).toMatchObject({
      payload: JSON.stringify(content),
      pushType: "alert",
      priority: 10,
    });
  });

  it("is a VoIP push on apns_voip", () => {
    const content = { aps: { "content-available": 1 }, call: 7 };
    expect(translated(content, "apns_voip")).toEqual({
      channel: "apns_voip",
      payload: JSON.stringify(content),
      pushType: "voip",
      priority: 10,
      expiration: null,
    });
  });
});

it("a payload for web is passed through", () => {
  const content = { title: "T", aps: {}, ios_badge: 1, deep: [{ a: 1 }] };
  expect(translated(content, "web")).toEqual({
    channel: "web",
    payload: JSON.stringify(content),
    ttl: WEEKS_4,
  });
});

describe("a payload for gcm", () => {
  it("without a part of a message is data", () => {
    expect(fcm({ message: "Hi", id: 7, from: "Ann", priority: "x" })).toEqual({
      data: { message: "Hi", id: "7", _from: "Ann", priority: "x" },
    });
    expect(fcm({})).toEqual({});
  });

  it.each([
    { message: { text: "Hi" } },
    { message: { data: { a: 1 } }, type: "chat" },
    { data: "text" },
    { notification: true, android: "yes" },
  ])("is data if a part has the wrong type: %j", (content) => {
    const texts = Object.entries(content).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    expect(fcm(content)).toEqual({ data: Object.fromEntries(texts) });
  });

  it("of the legacy API has its keys mapped", () => {
    const content = {
      to: "somebody else",
      data: { id: 7, open: true, message_type: "m" },
      notification: {
        title: "T",
        body: "B",
        icon: "bell",
        android_channel_id: "calls",
        click_action: "OPEN",
        body_loc_args: '["Ann"]',
        badge: "1",
      },
      priority: "high",
      collapse_key: "score",
      time_to_live: 60,
      restricted_package_name: "test.app",
      dry_run: true,
    };
    expect(fcm(content)).toEqual({
      data: { id: "7", open: "true", _message_type: "m" },
      notification: { title: "T", body: "B" },
      android: {
        priority: "HIGH",
        collapse_key: "score",
        ttl: "60s",
        restricted_package_name: "test.app",
        notification: {
          icon: "bell",
          channel_id: "calls",
          click_action: "OPEN",
          body_loc_args: ["Ann"],
        },
      },
    });
  });

  it.each([
    [{ data: {} }, {}],
    [{ data: { a: "b" } }, { data: { a: "b" } }],
    [{ notification: { title: "T" } }, { notification: { title: "T" } }],
    [
      { data: { a: "b" }, priority: "normal" },
      { data: { a: "b" }, android: { priority: "NORMAL" } },
    ],
    [
      { data: { a: "b" }, time_to_live: "0" },
      { data: { a: "b" }, android: { ttl: "0s" } },
    ],
    [
      { data: { a: "b" }, time_to_live: 9_999_999 },
      { data: { a: "b" }, android: { ttl: `${WEEKS_4}s` } },
    ],
  ])("of the legacy API may omit keys: %j", (content, message) => {
    expect(fcm(content)).toEqual(message);
  });

  const V1 = {
    data: { a: "b" },
    notification: { title: "T" },
    android: {
      priority: "high",
      ttl: "3.5s",
      notification: { channel_id: "calls", something_new: 1 },
      direct_boot_ok: true,
    },
    webpush: { headers: { TTL: "5" } },
    apns: { payload: { aps: {} } },
    fcm_options: { analytics_label: "l" },
  };

  it("of the HTTP v1 API is passed through, with or without its wrapper", () => {
    expect(fcm({ message: V1 })).toEqual(V1);
    expect(fcm({ message: V1, validate_only: true })).toEqual(V1);
    expect(fcm(V1)).toEqual(V1);
  });

  it("of the HTTP v1 API gets strings as data", () => {
    expect(fcm({ message: { data: { id: 7, from: "Ann" } } })).toEqual({
      data: { id: "7", _from: "Ann" },
    });
  });

  it.each([
    "token",
    "topic",
    "condition",
    "name",
    "to",
    "registration_ids",
  ])("cannot change the recipient: %s", (target) => {
    expect(fcm({ message: { ...V1, [target]: "all" } })).toEqual(V1);
    expect(fcm({ ...V1, [target]: "all" })).toEqual(V1);
    expect(fcm({ data: { a: "b" }, [target]: ["all"] })).toEqual({ data: { a: "b" } });
  });

  it.each<[unknown, RegExp]>([
    [
      { data: {}, text: "Hi" },
      /contains text, which Firebase does not accept next to data; put it into data/,
    ],
    [{ data: {}, android: {}, priority: "high" }, /priority, which .* next to data, android/],
    [{ message: { data: {}, text: "Hi" } }, /contains text, which/],
    [{ data: {}, notification: "Hi" }, /contains notification, which must be an object/],
    [{ data: "Hi", notification: {} }, /contains data, which must be an object/],
    [{ data: {}, android: 5, apns: {} }, /contains android, which must be an object/],
    [{ data: {}, priority: "urgent" }, /contains priority, which must be one of HIGH, NORMAL/],
    [{ data: {}, time_to_live: -1 }, /contains time_to_live, which must be an integer/],
    [{ data: {}, collapse_key: 1 }, /contains collapse_key, which must be text/],
    [{ notification: { title: 1 } }, /contains notification.title, which must be text/],
  ])("is refused with a reason: %j", (content, reason) => {
    expect(() => fcm(content)).toThrow(reason);
  });
});

describe("pairs for gcm", () => {
  it.each<[string, unknown]>([
    ["data.message=Hi", { data: { message: "Hi" } }],
    ["data.message=Hi&data.id=7", { data: { message: "Hi", id: "7" } }],
    ["data.message=Gr%C3%BC%C3%9Fe%20%26%20more", { data: { message: "Grüße & more" } }],
    ["data.message=R3LDvMOfZQ==&data.a=1+1", { data: { message: "R3LDvMOfZQ==", a: "1+1" } }],
    ["data.a%2Eb=c=d", { data: { "a.b": "c=d" } }],
    ["data.a=&", { data: { a: "" } }],
    ["data.a=1&data.a=2", { data: { a: "2" } }],
    ["data.from=Ann", { data: { _from: "Ann" } }],
    [
      "collapse_key=c&time_to_live=60&priority=high&data.a=b",
      { data: { a: "b" }, android: { collapse_key: "c", ttl: "60s", priority: "HIGH" } },
    ],
  ])("%s", (text, message) => {
    expect(pairs(text)).toEqual(message);
  });

  it.each([
    ["data.a=100%", /invalid escape.*%25/],
    ["data.a=%ff", /invalid escape/],
    ["data.a", /allows only data.key=value pairs/],
    ["data.=a", /allows only data.key=value pairs/],
    ["data.a=b&c=d", /contains c, but allows only/],
    ["data.a=b&=d", /contains an empty name/],
    ["data.__proto__=b", /allows only/],
    ["data.a=b&time_to_live=soon", /time_to_live, which must be an integer/],
  ])("refuses %s", (text, reason) => {
    expect(() => pairs(text)).toThrow(reason);
    try {
      pairs(text);
    } catch (error) {
      expect((error as Fault).code).toBe("INVALID");
    }
    expect.assertions(2);
  });
});

describe("the size", () => {
  /** Creates a push of the given size in bytes; ä counts as two. */
  const sized: Record<PushChannel, (bytes: number) => PushPayload> = {
    apns: (bytes) => translated({ a: `ä${"x".repeat(bytes - 10)}` }, "apns"),
    apns_voip: (bytes) => translated({ a: `ä${"x".repeat(bytes - 10)}` }, "apns_voip"),
    gcm: (bytes) => translated({ a: `ä${"x".repeat(bytes - 10)}` }, "gcm"),
    web: (bytes) => translated({ a: `ä${"x".repeat(bytes - 10)}` }, "web"),
  };

  it.each<[PushChannel, number, string]>([
    ["apns", 4_096, "is too large: 4,097 bytes (maximum is 4,096 bytes)"],
    ["apns_voip", 5_120, "is too large: 5,121 bytes (maximum is 5,120 bytes)"],
    ["gcm", 4_096, "is too large: 4,097 bytes (maximum is 4,096 bytes)"],
    ["web", 3_993, "is too large: 3,994 bytes (maximum is 3,993 bytes)"],
  ])("of %s is limited to %i bytes", (channel, max, problem) => {
    expect(sizeProblem(sized[channel](max))).toBeNull();
    expect(sizeProblem(sized[channel](max + 1))).toBe(problem);
  });

  it("of gcm counts only data and notification, also below android", () => {
    const long = "x".repeat(2_048);
    const short = fcm({ data: { a: long }, collapse_key: long });
    expect(sizeProblem({ channel: "gcm", message: short })).toBeNull();
    for (const content of [
      { data: { a: long }, notification: { title: long } },
      { data: { a: long }, notification: { icon: long } },
      { data: { a: long }, android: { data: { b: long } } },
    ]) {
      expect(sizeProblem(translated(content, "gcm"))).toMatch(/^is too large: 4,1\d\d bytes/);
    }
  });
});

describe("the preview", () => {
  it("of apns", () => {
    const message = readMessage(
      Buffer.from('{"message": "Hü", "expiration": 1800000000}').toString("base64"),
      null,
    );
    expect(previewPush(translate(message, "apns", NOW))).toEqual({
      channel: "apns",
      headers: {
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-expiration": "1800000000",
      },
      payload: { aps: { alert: { body: "Hü" } } },
      bytes: 32,
      maxBytes: 4_096,
    });
  });

  it("of apns_voip", () => {
    expect(previewPush(translated({ a: 1 }, "apns_voip"))).toEqual({
      channel: "apns_voip",
      headers: { "apns-push-type": "voip", "apns-priority": "10" },
      payload: { a: 1 },
      bytes: 7,
      maxBytes: 5_120,
    });
  });

  it("of gcm", () => {
    expect(previewPush(translated({ data: { a: 1 }, time_to_live: 5 }, "gcm"))).toEqual({
      channel: "gcm",
      headers: {},
      payload: { data: { a: "1" }, android: { ttl: "5s" } },
      bytes: 9,
      maxBytes: 4_096,
    });
  });

  it("of web", () => {
    expect(previewPush(translated({ a: 1 }, "web"))).toEqual({
      channel: "web",
      headers: { TTL: `${WEEKS_4}` },
      payload: { a: 1 },
      bytes: 7,
      maxBytes: 3_993,
    });
  });
});
