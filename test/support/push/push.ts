import { randomBytes } from "node:crypto";
import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually } from "../moving-clock";
import type { TestNode } from "../node";
import { rest, type TestUser } from "../rest-client";

/** A universal message: its JSON in Base64. */
export const universal = (content: object = { message: "Hello" }) =>
  Buffer.from(JSON.stringify(content)).toString("base64");

/** A platform-specific message. */
export const payload = (content: object = { aps: { alert: "Hello" } }) =>
  `payload=${universal(content)}`;

/** Body of POST /events. */
export const eventBody = (event: Record<string, unknown>) => ({
  event: { notification_type: "push", environment: "development", message: universal(), ...event },
});

/** Adds a device of a user directly to the database, which is faster than the API. */
export async function addDevice(
  node: TestNode,
  user: Pick<TestUser, "id">,
  channel = "gcm",
  fields: { udid?: string; environment?: string } = {},
): Promise<string> {
  const token = randomBytes(32).toString("hex");
  const platform = { gcm: "android", web: "web" }[channel] ?? "ios";
  await node.sql(
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
        token, updated_at)
      SELECT application_id, id, $2::push_channel, $3::push_environment, $4::push_platform, $5, $6,
        now() FROM users WHERE id = $1`,
    [user.id, channel, fields.environment ?? "development", platform, fields.udid ?? token, token],
  );
  return token;
}

/** Creates a push and returns its events. */
export async function postEvent(
  node: TestNode,
  { token }: Pick<TestUser, "token">,
  event: Record<string, unknown>,
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields of responses
): Promise<any[]> {
  const answer = await rest(node, "POST", "/events", { token, body: eventBody(event), headers });
  if (answer.status !== 201) throw new Error(`POST /events answered ${answer.text}`);
  return answer.body.map((each: { event: unknown }) => each.event);
}

/** Waits until no delivery of an event is pending or awaits a retry, and returns the event's counts. */
export async function eventCounts(
  node: TestNode,
  id: number,
): Promise<{ accepted: number; unregistered: number; failed: number; active: boolean }> {
  const [row] = await eventually(
    () =>
      node.sql<Record<string, number> & { active: boolean; open: boolean }>(
        `SELECT accepted_count AS accepted, gone_count AS unregistered, refused_count AS failed, active,
          expanded_to IS NOT NULL
            OR delivery_count > accepted_count + gone_count + refused_count AS open
        FROM push_events WHERE id = $1`,
        [id],
      ),
    ([each]) => each !== undefined && !each.open,
  );
  if (!row) throw new Error("there is no such event");
  const { accepted = 0, unregistered = 0, failed = 0, active } = row;
  return { accepted, unregistered, failed, active };
}

const DELIVERIES = `query ($id: ID!) { pushDeliveries(eventId: $id) { nodes {
  userId outcome reason attempts providerId occurrence } pageInfo { hasNextPage } } }`;

/** The deliveries of a user's event, as returned by GraphQL. */
export async function deliveries(
  node: TestNode,
  user: Pick<TestUser, "token">,
  id: number,
  // biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields of responses
): Promise<any[]> {
  const { data } = await graphql(node, DELIVERIES, { id: String(id) }, user.token);
  return data.pushDeliveries.nodes;
}

/** Adds an event of a user that is due in the far future, and returns its id. */
export async function addEvent(node: TestNode, { id }: Pick<TestUser, "id">): Promise<number> {
  const [row] = await node.sql<{ id: number }>(
    `INSERT INTO push_events (application_id, user_id, event_type, channel, environment, message, date,
        next_run_at, selector, updated_at)
      SELECT application_id, id, 'fixed_date', 'gcm', 'development', 'payload=e30=', '2090-01-01',
        '2090-01-01', '{"by":"ids","ids":[1]}', now() FROM users WHERE id = $1 RETURNING id`,
    [id],
  );
  return row?.id ?? 0;
}
