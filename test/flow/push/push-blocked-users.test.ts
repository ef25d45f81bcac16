import { Client } from "pg";
import { RateLimits } from "../../../src/platform/limits/rate-limits";
import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import {
  addDevice,
  addEvent,
  deliveries,
  eventBody,
  eventCounts,
  payload,
  postEvent,
  universal,
} from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, type RestResponse, rest, type TestUser } from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";

/** A blocked user gets no pushes on any way, and sends none. */

const providers = new RecordingProviders();
let node: TestNode;
let sender: TestUser;
beforeAll(async () => {
  node = await startNode({}, { pushProvider: providers.open, jobsPollMs: 100 });
  sender = await newUser(node);
});
afterAll(() => node.stop());
beforeEach(() => {
  providers.sent.length = 0;
});

interface Group {
  tag: string;
  blocked: TestUser;
  other: TestUser;
  tokens: { blocked: string; other: string };
}

let groups = 0;
/** Two users with the same tag, of whom one is blocked, with a device each. */
async function newGroup(channel = "gcm"): Promise<Group> {
  const tag = `group${++groups}`;
  const blocked = await newUser(node, { tag_list: tag, external_id: `blocked-${tag}` });
  const other = await newUser(node, { tag_list: tag, external_id: `other-${tag}` });
  const tokens = {
    blocked: await addDevice(node, blocked, channel),
    other: await addDevice(node, other, channel),
  };
  return { tag, blocked, other, tokens };
}

const SELECTORS: Array<[what: string, (group: Group) => Record<string, unknown>]> = [
  ["ids", ({ blocked, other }) => ({ ids: `${blocked.id},${other.id}` })],
  ["tags.any", ({ tag }) => ({ tags: { any: tag } })],
  ["tags.all", ({ tag }) => ({ tags: { all: tag } })],
];

test.each(SELECTORS)("a push by %s reaches the others alone", async (_what, select) => {
  const all = await newGroup();
  await blockUser(node, all.blocked);
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message: payload({ data: { a: "b" } }),
    user: select(all),
  });
  expect(await eventCounts(node, event.id)).toMatchObject({ accepted: 1, failed: 0 });
  expect(providers.tokens()).toEqual([all.tokens.other]);
});

test("a push by external ids, and one to all but a tag, reach the others alone", async () => {
  const all = await newGroup();
  await blockUser(node, all.blocked);
  const run = async (recipients: object) => {
    const message = { notification: { title: "Hello" } };
    const input = { environment: "DEVELOPMENT", ...recipients, message };
    const document = `mutation ($input: CreatePushEventInput!) {
      createPushEvent(input: $input) { events { id } } }`;
    const { data, errors } = await graphql(node, document, { input }, sender.token);
    expect(errors).toBeUndefined();
    await eventCounts(node, Number(data.createPushEvent.events[0].id));
    return providers.tokens();
  };
  await run({ externalUserIds: [`blocked-${all.tag}`, `other-${all.tag}`] });
  expect(providers.tokens()).toEqual([all.tokens.other]);
  providers.sent.length = 0;
  const tokens = await run({ tagsExclude: ["no-such-tag"] });
  expect(tokens).toContain(all.tokens.other);
  expect(tokens).not.toContain(all.tokens.blocked);
});

test("a dry run counts and samples the others alone", async () => {
  const { blocked, other, tag } = await newGroup();
  await blockUser(node, blocked);
  const document = `mutation ($input: CreatePushEventInput!) {
    createPushEvent(input: $input, dryRun: true) { dryRun { channels { deviceCount userCount userIds } } } }`;
  const input = {
    environment: "DEVELOPMENT",
    tagsAny: [tag],
    message: { notification: { title: "Hello" } },
  };
  const { data, errors } = await graphql(node, document, { input }, sender.token);
  expect(errors).toBeUndefined();
  expect(data.createPushEvent.dryRun.channels).toEqual([
    { deviceCount: 1, userCount: 1, userIds: [String(other.id)] },
  ]);
});

test("a push to a blocked user alone has no recipients", async () => {
  const { blocked } = await newGroup();
  await blockUser(node, blocked);
  await expect(
    postEvent(node, sender, { message: universal(), user: { ids: blocked.id } }),
  ).rejects.toThrow(/No one can receive the message/);
});

test("a delivery that waits for a retry fails once its user is blocked", async () => {
  const { blocked, tokens } = await newGroup();
  providers.outcomes.set(tokens.blocked, () => ({ kind: "retry", reason: "Busy", delayMs: null }));
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message: payload({ data: { a: "b" } }),
    user: { ids: blocked.id },
  });
  await eventually(
    () => deliveries(node, sender, event.id),
    ([delivery]) => delivery?.attempts === 1,
  );
  await blockUser(node, blocked);
  await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
  expect(await eventCounts(node, event.id)).toMatchObject({ accepted: 0, failed: 1 });
  expect(providers.tokens()).toEqual([tokens.blocked]);
  expect(await deliveries(node, sender, event.id)).toEqual([
    expect.objectContaining({
      outcome: "FAILED",
      reason: "The user was blocked before the push was sent",
      attempts: 2,
    }),
  ]);
});

test("the devices of a user stay, and get pushes again once it is unblocked", async () => {
  const { blocked, tokens } = await newGroup();
  await blockUser(node, blocked);
  await unblockUser(node, blocked);
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message: payload({ data: { a: "b" } }),
    user: { ids: blocked.id },
  });
  expect(await eventCounts(node, event.id)).toMatchObject({ accepted: 1 });
  expect(providers.tokens()).toEqual([tokens.blocked]);
});

test("a block stops what the user has scheduled and what is being sent, and nothing of others", async () => {
  const [user, other] = [await newUser(node), await newUser(node)];
  const [scheduled, running, kept] = [
    await addEvent(node, user),
    await addEvent(node, user),
    await addEvent(node, other),
  ];
  await node.sql(
    `UPDATE push_events SET next_run_at = NULL, expanded_to = 5, expanded_sub = 7, dispatched_at = now()
      WHERE id = $1`,
    [running],
  );
  await blockUser(node, user);
  const rows = await node.sql(
    `SELECT id, active, next_run_at IS NULL AND expanded_to IS NULL AS stopped,
        stopped_at IS NOT NULL AS told FROM push_events
      WHERE id = ANY($1::bigint[]) ORDER BY id`,
    [[scheduled, running, kept]],
  );
  expect(rows).toEqual([
    { id: scheduled, active: false, stopped: true, told: true },
    { id: running, active: false, stopped: true, told: true },
    { id: kept, active: true, stopped: false, told: false },
  ]);
});

describe("a block while a request of the user creates a push", () => {
  const schedule = ({ token }: TestUser) => {
    const event = { event_type: "fixed_date", date: "4070908800", user: { ids: sender.id } };
    return rest(node, "POST", "/events", { token, body: eventBody(event) });
  };
  const expectRefused = async (answer: RestResponse, user: TestUser) => {
    expect([answer.status, answer.body]).toEqual([
      401,
      { errors: { base: ["Required session does not exist"] } },
    ]);
    expect(await eventsOf(user)).toEqual([]);
  };
  const eventsOf = ({ id }: TestUser) =>
    node.sql("SELECT DISTINCT active FROM push_events WHERE user_id = $1", [id]);

  test("refuses a request that has passed its checks", async () => {
    const user = await newUser(node);
    const held = jest.spyOn(RateLimits.prototype, "countPush").mockImplementationOnce(async () => {
      await blockUser(node, user);
    });
    const answer = await schedule(user);
    held.mockRestore();
    await expectRefused(answer, user);
  });

  // The embedded database runs one transaction at a time.
  if (hasServices) {
    test("refuses a request that waits for the block", async () => {
      const user = await newUser(node);
      const client = new Client({ connectionString: node.environment.DATABASE_URL });
      await client.connect();
      await client.query("BEGIN");
      await client.query("UPDATE users SET blocked_at = now() WHERE id = $1", [user.id]);
      const answer = schedule(user);
      await eventually(
        () =>
          node.sql(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
              AND wait_event_type = 'Lock' AND query NOT LIKE 'UPDATE users u SET last_request_at%'`,
          ),
        (rows) => rows.length > 0,
      );
      await client.query("COMMIT");
      await client.end();
      await expectRefused(await answer, user);
    });

    test("stops a push that the request creates first", async () => {
      for (let round = 0; round < 10; round += 1) {
        const user = await newUser(node);
        // PostgreSQL orders the two by the lock of the user; either order is possible, and both are right.
        const [answer] = await Promise.all([schedule(user), blockUser(node, user)]);
        expect([201, 401]).toContain(answer.status);
        expect(await eventsOf(user)).toEqual(answer.status === 201 ? [{ active: false }] : []);
      }
    });
  }
});
