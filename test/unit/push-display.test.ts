import { displayOf } from "../../src/domain/push/payload/display";
import { readMessage, writePlatformMessage } from "../../src/domain/push/payload/message";
import { translate } from "../../src/domain/push/payload/translate";

const NOTHING = {
  visible: false,
  title: null,
  subtitle: null,
  body: null,
  titleLocKey: null,
  bodyLocKey: null,
  badge: null,
  sound: null,
  imageUrl: null,
  icon: null,
};

/** What a device shows of a payload for one platform. */
function shown(channel: "apns" | "apns_voip" | "gcm" | "web", payload: object) {
  const message = readMessage(writePlatformMessage(payload as never), channel);
  return displayOf(translate(message, channel, 0));
}

test.each([
  ["apns", { aps: { alert: "Hi" } }, { visible: true, body: "Hi" }],
  [
    "apns",
    {
      aps: { alert: { title: "T", subtitle: "S", body: "B" }, badge: 2, sound: { name: "a.caf" } },
    },
    { visible: true, title: "T", subtitle: "S", body: "B", badge: 2, sound: "a.caf" },
  ],
  [
    "apns",
    { aps: { alert: { "title-loc-key": "K", "loc-key": "L" } } },
    { visible: true, titleLocKey: "K", bodyLocKey: "L" },
  ],
  ["apns", { aps: { "content-available": 1 } }, {}],
  ["apns", { aps: { badge: 3_000_000_000, sound: "a" } }, { sound: "a" }],
  ["apns", { aps: "text", alert: 1 }, {}],
  ["apns_voip", { aps: { alert: "Hi" } }, {}],
  [
    "gcm",
    {
      message: {
        notification: { title: "T", body: "B", image: "https://a.example" },
        android: { notification: { title: "A", sound: "s", notification_count: 4, icon: "i" } },
      },
    },
    {
      visible: true,
      title: "A",
      body: "B",
      sound: "s",
      badge: 4,
      icon: "i",
      imageUrl: "https://a.example",
    },
  ],
  ["gcm", { data: { title: "T" } }, {}],
  [
    "web",
    { title: "T", body: "B", icon: "/i" },
    { visible: true, title: "T", body: "B", icon: "/i" },
  ],
  ["web", { message: "M", appBadge: 2 }, { visible: true, body: "M", badge: 2 }],
  ["web", { title: { a: 1 }, body: [] }, {}],
] as const)("%s: of %j a device shows %j", (channel, payload, display) => {
  expect(shown(channel, payload)).toEqual({ ...NOTHING, ...display });
});
