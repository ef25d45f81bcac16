import { createECDH, randomBytes } from "node:crypto";
import type { TestNode } from "../node";
import type { TestUser } from "../rest-client";

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

/** Stores a subscription of a user's Android device and returns its id. */
export async function addSubscription(
  { sql }: TestNode,
  user: Pick<TestUser, "id">,
  { token, udid } = deviceOf(user),
): Promise<number> {
  const [row] = await sql<{ id: number }>(
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, token, updated_at)
      SELECT application_id, id, 'gcm', 'development', 'android', $2, $3, now() FROM users WHERE id = $1
      RETURNING id`,
    [user.id, udid, token],
  );
  return row?.id ?? 0;
}
