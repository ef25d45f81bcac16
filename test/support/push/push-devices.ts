import { createECDH, randomBytes } from "node:crypto";
import { rest, type TestUser } from "../client";
import type { TestNode } from "../node";

let count = 0;

/** Parameters of POST /subscriptions for a new Android device. */
export function androidDevice() {
  count += 1;
  return {
    notification_channel: "gcm",
    push_token: {
      environment: "development",
      client_identification_sequence: `android-${process.pid}-${count}`,
    },
    device: { platform: "android", udid: `udid-${count}` },
  };
}

/** A token in Apple's format. */
export const appleToken = () => randomBytes(32).toString("hex");

/** The PushSubscription of a new browser. */
export function browserKeys() {
  return {
    web_endpoint: `https://push.example/send/${randomBytes(16).toString("hex")}`,
    web_auth: randomBytes(16).toString("base64url"),
    web_p256dh: createECDH("prime256v1").generateKeys().toString("base64url"),
  };
}

/** The device that {@link addSubscription} gives a user. */
export const deviceOf = ({ id }: Pick<TestUser, "id">) => ({
  token: `token-of-${id}`,
  udid: `udid-of-${id}`,
});

/** Subscribes an Android device of a user and returns the subscription's id. */
export async function addSubscription(
  node: TestNode,
  user: TestUser,
  { token, udid } = deviceOf(user),
): Promise<number> {
  const body = {
    notification_channel: "gcm",
    push_token: { environment: "development", client_identification_sequence: token },
    device: { platform: "android", udid },
  };
  const answer = await rest(node, "POST", "/subscriptions", { token: user.token, body });
  if (answer.status !== 201) throw new Error(`POST /subscriptions answered ${answer.text}`);
  return answer.body[0].subscription.id;
}
