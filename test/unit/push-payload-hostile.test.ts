import fc from "fast-check";
import { Fault } from "../../src/core/errors";
import type { JsonObject } from "../../src/core/json";
import { CHANNELS, type PushChannel } from "../../src/domain/push/channels/channel";
import {
  type Message,
  readMessage,
  readStoredMessage,
} from "../../src/domain/push/payload/message";
import {
  type PushNotification,
  writeNotification,
} from "../../src/domain/push/payload/notification";
import { previewPush } from "../../src/domain/push/payload/preview-push";
import type { ApnsPush, FcmPush, PushPayload } from "../../src/domain/push/payload/push-payload";
import { sizeProblem } from "../../src/domain/push/payload/size";
import { translate } from "../../src/domain/push/payload/translate";
import { anyText } from "../support/any-text";

/** Property tests: any message results in a fault with a reason or in a valid push. */

const NOW = Date.UTC(2026, 10, 21, 10);
const STANDARD = [
  "message",
  "ios_badge",
  "ios_sound",
  "ios_content_available",
  "ios_mutable_content",
  "ios_category",
  "ios_voip",
  "ios_push_type",
  "ios_thread_id",
  "expiration",
  "android_fcm_notification",
  "ios_loc_data",
];
const RESERVED = /^(from$|message_type$|collapse_key$|google\.|gcm\.)/;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const channels = fc.constantFrom(...CHANNELS);

/** Parses a message; null if it is refused with a proper fault. */
function attempt(text: string, channel: PushChannel | null): Message | null {
  try {
    return readMessage(text, channel);
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect(error).toMatchObject({
      code: "INVALID",
      fields: { message: expect.arrayContaining([expect.stringMatching(/./)]) },
    });
    return null;
  }
}

/** Invariants of every push. */
function expectSound(push: PushPayload): void {
  const view = previewPush(push);
  expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  const wire = push.channel === "gcm" ? JSON.stringify(push.message) : push.payload;
  // A lone surrogate would not survive the round trip.
  expect(Buffer.from(wire).toString()).toBe(wire);
  expect(sizeProblem(push) === null).toBe(view.bytes <= view.maxBytes);
  if (push.channel === "gcm") {
    for (const [key, value] of Object.entries(push.message.data ?? {})) {
      expect(typeof value).toBe("string");
      expect(key).not.toMatch(RESERVED);
    }
    for (const target of ["token", "topic", "condition", "name"]) {
      expect(push.message).not.toHaveProperty(target);
    }
  } else if (push.channel === "web") {
    expect(Number.isInteger(push.ttl) && push.ttl >= 0 && push.ttl <= 2_419_200).toBe(true);
  } else if (push.pushType === "background") {
    expect(push.priority).toBe(5);
  }
}

function expectSoundEverywhere(message: Message): void {
  const reached = message.kind === "platform" ? [message.channel] : CHANNELS;
  for (const channel of reached) expectSound(translate(message, channel, NOW));
}

/** JSON with many meaningful keys. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom(1, "1", true, 0, "", null, "alert", "background", "high", [], {}),
);
const named = (keys: string[]) =>
  fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value, { maxKeys: 8 });
/** Messages with mostly valid keys. */
const likely = fc.record(
  {
    message: fc.string({ unit: "grapheme" }),
    ios_badge: fc.oneof(fc.nat(), fc.nat().map(String)),
    ios_sound: fc.string(),
    ios_content_available: fc.constantFrom(1, "1", true, 0),
    ios_voip: fc.constantFrom(1, 0),
    ios_push_type: fc.constantFrom("alert", "background"),
    expiration: fc.nat({ max: 4_294_967_295 }),
    android_fcm_notification: fc.record(
      { title: fc.string(), icon: fc.string(), sticky: fc.boolean(), other: value },
      { requiredKeys: [] },
    ),
    ios_loc_data: fc.record({ body_loc_key: fc.string(), body_loc_args: fc.array(fc.string()) }),
    aps: value,
    from: value,
    "google.x": value,
    ios_x: value,
    android_x: value,
  },
  { requiredKeys: [] },
);
/** Messages with arbitrary keys. */
const unlikely = fc
  .tuple(
    named([...STANDARD, "aps", "from", "__proto__", "constructor"]),
    fc.record(
      {
        android_fcm_notification: named(["title", "body", "icon", "light_settings", "priority"]),
        ios_loc_data: named(["title_loc_key", "title_loc_args", "body_loc_key", "body_loc_args"]),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([keys, objects]) => ({ ...keys, ...objects }));
const envelope = named([
  "data",
  "notification",
  "android",
  "apns",
  "message",
  "token",
  "topic",
  "to",
  "priority",
  "time_to_live",
  "collapse_key",
]);

it("any text is parsed or refused", () => {
  const anything = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.base64String(),
    fc.string().map((text) => `payload=${text}`),
    fc.base64String().map((text) => `payload=${text}`),
    anyText().map((text) => `data.a=${text}`),
    fc.array(fc.string()).map((parts) => parts.map((part) => `data.${part}`).join("&")),
  );
  fc.assert(
    fc.property(anything, fc.option(channels), (text, channel) => {
      const message = attempt(text, channel);
      if (message) expectSoundEverywhere(message);
    }),
    { numRuns: 500 },
  );
});

it("any bytes are parsed or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const message = attempt(Buffer.from(bytes).toString("base64"), null);
      if (message) expectSoundEverywhere(message);
    }),
  );
});

it("any universal message is refused, or valid on every channel", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(likely, unlikely), (content) => {
      const message = attempt(encode(content), null);
      if (message) expectSoundEverywhere(message);
      if (message) read += 1;
    }),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(10);
});

it("any platform-specific payload is refused, or valid on its platform", () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        envelope,
        envelope.map((message) => ({ message })),
      ),
      channels,
      (content, to) => {
        const message = attempt(`payload=${encode(content)}`, to);
        if (message) expectSoundEverywhere(message);
        if (message) read += 1;
      },
    ),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(10);
});

/** Custom keys and values without special meaning. */
const custom = fc
  .dictionary(
    fc.string({ unit: "grapheme", minLength: 1 }).filter((key) => {
      const meant = STANDARD.includes(key) || RESERVED.test(key);
      return !meant && key !== "aps" && key !== "__proto__";
    }),
    fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }),
  )
  .map((object) => JSON.parse(JSON.stringify(object)))
  .filter((object) => attempt(encode(object), null) !== null);

it("custom keys arrive unchanged", () => {
  fc.assert(
    fc.property(custom, (sent) => {
      const message = readMessage(encode(sent), null);
      const { aps, ...beside } = JSON.parse((translate(message, "apns", NOW) as ApnsPush).payload);
      expect(aps).toEqual({});
      expect(beside).toEqual(sent);
      expect(JSON.parse((translate(message, "web", NOW) as { payload: string }).payload)).toEqual(
        sent,
      );
      const data = (translate(message, "gcm", NOW) as FcmPush).message.data ?? {};
      expect(Object.keys(data).sort()).toEqual(Object.keys(sent).sort());
      for (const [key, text] of Object.entries(data)) {
        expect(typeof sent[key] === "string" ? text : JSON.parse(text)).toEqual(sent[key]);
      }
    }),
  );
});

it("a payload for apns or web arrives unchanged", () => {
  fc.assert(
    fc.property(custom, fc.constantFrom("apns", "apns_voip", "web"), (sent, channel) => {
      const push = translate(readMessage(`payload=${encode(sent)}`, channel), channel, NOW);
      expect(JSON.parse((push as { payload: string }).payload)).toEqual(sent);
    }),
  );
});

it("a notification is a valid push on every channel, and its data arrives unchanged", () => {
  const text = fc.string({ unit: "grapheme" });
  const content = {
    title: text,
    body: text,
    badge: fc.nat(),
    data: custom as fc.Arbitrary<JsonObject>,
  };
  const optional = { requiredKeys: [] };
  const notifications = fc.record(
    {
      ...content,
      sound: text,
      apple: fc.record({ ...content, subtitle: text, voip: fc.boolean() }, optional),
      android: fc.record({ ...content, channelId: text, clickAction: text }, optional),
      web: fc.record({ ...content, icon: text, tag: text }, optional),
    },
    optional,
  );
  fc.assert(
    fc.property(notifications, (sent: PushNotification) => {
      if (Object.keys(sent).length === 0) return;
      const message = writeNotification(sent, "");
      const on = (channel: PushChannel) =>
        translate(readStoredMessage({ message, universal: true, channel }), channel, NOW);
      for (const channel of CHANNELS) expectSound(on(channel));
      const { aps: _, ...beside } = JSON.parse((on("apns") as ApnsPush).payload);
      expect(beside).toEqual(sent.apple?.data ?? sent.data ?? {});
      const shown = JSON.parse((on("web") as { payload: string }).payload);
      expect(shown.data).toEqual(sent.web?.data ?? sent.data);
      expect(shown.title).toBe(sent.web?.title ?? sent.title);
    }),
  );
});

it("unknown notification parameters never reach Firebase", () => {
  const known = new Set(["title", "body", "icon", "tag", "image", "notification_priority"]);
  const others = fc.string({ unit: fc.constantFrom("q", "z", "_", "A", "."), minLength: 1 });
  const texts = fc.dictionary(
    fc.oneof(
      fc.constantFrom("title", "body", "icon", "tag", "constructor", "__defineGetter__"),
      others,
    ),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(texts, (android_fcm_notification) => {
      const message = readMessage(encode({ android_fcm_notification }), null);
      const { notification, android } = (translate(message, "gcm", NOW) as FcmPush).message;
      const sent = { ...notification, ...(android?.notification as object) };
      expect(Object.keys(sent).filter((key) => !known.has(key))).toEqual([]);
      for (const key of ["title", "body", "icon", "tag"] as const) {
        expect((sent as Record<string, unknown>)[key]).toBe(
          Object.hasOwn(android_fcm_notification, key) ? android_fcm_notification[key] : undefined,
        );
      }
    }),
  );
});

it("no message pollutes Object.prototype", () => {
  for (const json of [
    '{"__proto__": {"polluted": 1}}',
    '{"constructor": {"prototype": {"polluted": 1}}}',
    '{"android_fcm_notification": {"__proto__": {"polluted": 1}}}',
    '{"data": {"__proto__": {"polluted": 1}}}',
  ]) {
    const text = Buffer.from(json).toString("base64");
    for (const message of [attempt(text, null), attempt(`payload=${text}`, "gcm")]) {
      if (message) expectSoundEverywhere(message);
    }
  }
  expect({}).not.toHaveProperty("polluted");
});
