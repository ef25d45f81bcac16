import { parse, validate, valueFromASTUntyped, visit } from "graphql";
import { Fault } from "../../src/core/errors";
import type { PushChannel } from "../../src/domain/push/channels/channel";
import { expirationOf, readStoredMessage, wantsVoip } from "../../src/domain/push/payload/message";
import {
  type PushNotification,
  writeNotification,
} from "../../src/domain/push/payload/notification";
import type {
  ApnsPush,
  FcmPush,
  PushPayload,
  WebPush,
} from "../../src/domain/push/payload/push-payload";
import { droppedKeys, translate } from "../../src/domain/push/payload/translate";
import { buildSignalboxSchema } from "../../src/transports/graphql/schema";
import { printedHeaders, printedPushes } from "../support/push/printed-pushes";

/** Notifications of GraphQL on each channel (docs/PUSH.md "Notifications"). */

/** 2026-11-21T10:00:00Z */
const NOW = Date.UTC(2026, 10, 21, 10);

/** The message of an event that was created with the notification. */
const stored = (notification: PushNotification, channel: PushChannel = "apns") =>
  readStoredMessage({ message: writeNotification(notification, ""), universal: true, channel });

const on = <T extends PushPayload>(channel: PushChannel, notification: PushNotification): T =>
  translate(stored(notification, channel), channel, NOW) as T;
const apns = (notification: PushNotification) => on<ApnsPush>("apns", notification);
const fcm = (notification: PushNotification) => on<FcmPush>("gcm", notification).message;
const web = (notification: PushNotification) => on<WebPush>("web", notification);
const body = ({ payload }: { payload: string }) => JSON.parse(payload);

const FULL: PushNotification = {
  title: "Order",
  body: "Your order is on its way",
  badge: 3,
  sound: "default",
  data: { order: { id: 7 }, from: "shop", none: null },
};

it("has title, text, badge, sound and data on every platform", () => {
  expect(apns(FULL)).toEqual({
    channel: "apns",
    payload: JSON.stringify({
      aps: {
        alert: { body: "Your order is on its way", title: "Order" },
        badge: 3,
        sound: "default",
      },
      order: { id: 7 },
      from: "shop",
      none: null,
    }),
    pushType: "alert",
    priority: 10,
    expiration: null,
  });
  expect(fcm(FULL)).toEqual({
    data: { order: '{"id":7}', _from: "shop", none: "null" },
    notification: { title: "Order", body: "Your order is on its way" },
    android: { priority: "HIGH", notification: { notification_count: 3, sound: "default" } },
  });
  expect(body(web(FULL))).toEqual({
    title: "Order",
    body: "Your order is on its way",
    appBadge: 3,
    data: { order: { id: 7 }, from: "shop", none: null },
  });
});

it("has a platform's own content in place of the shared one", () => {
  const own: PushNotification = {
    ...FULL,
    apple: {
      title: "Apple",
      subtitle: "Below",
      badge: 0,
      sound: "ring.caf",
      category: "ORDER",
      threadId: "orders",
      titleLocKey: "TITLE",
      titleLocArgs: ["a"],
      bodyLocKey: "BODY",
      bodyLocArgs: ["b", "c"],
      contentAvailable: true,
      mutableContent: true,
      data: { apple: 1 },
    },
    android: {
      body: "Android",
      channelId: "orders",
      icon: "truck",
      color: "#00ff7F",
      imageUrl: "https://shop.example/a.png",
      tag: "order-7",
      clickAction: "OPEN",
      sound: "bell",
      badge: 1,
    },
    web: {
      title: "Web",
      icon: "/icon.png",
      imageUrl: "/order.png",
      tag: "order-7",
      badge: 9,
      data: { url: "/orders/7" },
    },
  };
  expect(body(apns(own))).toEqual({
    aps: {
      alert: {
        title: "Apple",
        subtitle: "Below",
        body: "Your order is on its way",
        "title-loc-key": "TITLE",
        "title-loc-args": ["a"],
        "loc-key": "BODY",
        "loc-args": ["b", "c"],
      },
      badge: 0,
      sound: "ring.caf",
      "content-available": 1,
      "mutable-content": 1,
      category: "ORDER",
      "thread-id": "orders",
    },
    apple: 1,
  });
  expect(fcm(own)).toEqual({
    data: { order: '{"id":7}', _from: "shop", none: "null" },
    notification: { title: "Order", body: "Android", image: "https://shop.example/a.png" },
    android: {
      priority: "HIGH",
      notification: {
        channel_id: "orders",
        icon: "truck",
        color: "#00ff7F",
        tag: "order-7",
        click_action: "OPEN",
        sound: "bell",
        notification_count: 1,
      },
    },
  });
  expect(body(web(own))).toEqual({
    title: "Web",
    body: "Your order is on its way",
    icon: "/icon.png",
    image: "/order.png",
    tag: "order-7",
    appBadge: 9,
    data: { url: "/orders/7" },
  });
});

describe("data alone", () => {
  const silent: PushNotification = { data: { sync: true } };

  it("wakes the app in the background on Apple's platforms", () => {
    expect(apns(silent)).toEqual({
      channel: "apns",
      payload: '{"aps":{"content-available":1},"sync":true}',
      pushType: "background",
      priority: 5,
      expiration: null,
    });
  });

  it("is a data message of normal priority on Android", () => {
    expect(fcm(silent)).toEqual({ data: { sync: "true" } });
  });

  it("is data in browsers", () => {
    expect(body(web(silent))).toEqual({ data: { sync: true } });
  });
});

it("names the content that Android cannot display", () => {
  const badge: PushNotification = { badge: 1, android: { channelId: "c" }, data: { a: 1 } };
  expect(fcm(badge)).toEqual({ data: { a: "1" } });
  expect(droppedKeys(stored(badge), "gcm")).toEqual([
    "badge is dropped: Android needs a title or a body",
    "channelId is dropped: Android needs a title or a body",
  ]);
  expect(droppedKeys(stored(badge), "apns")).toEqual([]);
  expect(droppedKeys(stored(FULL), "gcm")).toEqual([]);
});

it("is a VoIP push where one is asked for", () => {
  const ring: PushNotification = { body: "Ann calls", apple: { voip: true } };
  expect([wantsVoip(stored(ring)), wantsVoip(stored(FULL))]).toEqual([true, false]);
  expect(on<ApnsPush>("apns_voip", ring)).toMatchObject({ pushType: "voip", priority: 10 });
  expect(fcm({ data: { call: 1 }, apple: { voip: true } })).toMatchObject({
    android: { priority: "HIGH" },
  });
});

it("expires", () => {
  const expiresAt = new Date(NOW + 60_900);
  const soon = { ...FULL, expiresAt };
  expect(expirationOf(stored(soon))).toBe(NOW / 1000 + 60);
  expect(expirationOf(stored(FULL))).toBeNull();
  expect(apns(soon).expiration).toBe(NOW / 1000 + 60);
  expect(fcm(soon)).toMatchObject({ android: { ttl: "60s" } });
  expect(web(soon).ttl).toBe(60);
});

it("is refused with every wrong field", () => {
  const wrong: PushNotification = {
    badge: -1,
    data: { aps: {} },
    expiresAt: new Date(Date.UTC(2107, 0, 1)),
    apple: { badge: -2, data: { a: { __proto__: null, b: 2 ** 60 } } },
    android: { color: "red" },
    web: { data: JSON.parse('{"__proto__": 1}') },
  };
  let fault: unknown;
  try {
    writeNotification(wrong, "message.notification.");
  } catch (error) {
    fault = error;
  }
  const path = "message.notification.";
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({
    code: "INVALID",
    message: `${path}badge must not be negative`,
    fields: {
      [`${path}badge`]: ["must not be negative"],
      [`${path}data`]: ["contains the key aps, which Apple reserves"],
      [`${path}apple.badge`]: ["must not be negative"],
      [`${path}apple.data`]: ["contains a number that is too large to be exact: send it as text"],
      [`${path}web.data`]: ["contains the key __proto__, which is not allowed"],
      [`${path}expiresAt`]: ["must be before 2106"],
      [`${path}android.color`]: ["must be a colour like #rrggbb"],
    },
  });
});

it.each([[{}], [{ expiresAt: new Date(NOW) }]])("is refused without content: %j", (empty) => {
  expect(() => writeNotification(empty, "")).toThrow("title or other content is required");
});

it("matches the example in docs/PUSH.md, which the schema accepts", () => {
  const printed = printedPushes("graphql");
  const document = parse(printed.sent);
  expect(validate(buildSignalboxSchema(), document)).toEqual([]);
  let notification = {} as PushNotification;
  visit(document, {
    ObjectField: ({ name, value }) => {
      if (name.value !== "notification") return;
      const { expiresAt, ...content } = valueFromASTUntyped(value) as { expiresAt: string };
      notification = { ...content, expiresAt: new Date(expiresAt) };
    },
  });
  expect(printedHeaders(apns(notification))).toBe(printed.apnsHeaders);
  expect(body(apns(notification))).toEqual(printed.apns);
  expect(fcm(notification)).toEqual(printed.gcm);
  expect(web(notification).ttl).toBe(printed.webTtl);
  expect(body(web(notification))).toEqual(printed.web);
});
