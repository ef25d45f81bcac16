import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { execute } from "../../scripts/services/postgres-server";
import { graphql } from "../../tools/graphql/graphql-http";
import { eventually } from "../support/moving-clock";
import { NO_RATES, type TestNode } from "../support/node";
import { type FreshDatabase, freshServices } from "../support/operations/database";
import { type ServiceProcess, startProcess } from "../support/process";
import { nodeOf, type ProcessNode } from "../support/process-node";
import { type FcmFixture, startFcmFixture } from "../support/push/fcm-fixture";
import { storeFcmCredentials } from "../support/push/fcm-node";
import { eventBody, universal } from "../support/push/push";
import { newUser, rest, type TestUser } from "../support/rest-client";

/** More than two windows, so that crashes interrupt the fan-out. */
const DEVICES = 1_200;
const CRASHES = 6;
/** Maximum number of in-flight deliveries per node: batches times deliveries. */
const IN_FLIGHT = 4 * 500;

let database: FreshDatabase;
let fixture: FcmFixture;
/** Device and message of every accepted push. */
const sent: string[] = [];
let service: ServiceProcess;
let target: ProcessNode;

async function start(): Promise<void> {
  service = startProcess({
    ...database.environment,
    ...NO_RATES,
    REDIS_URL: "",
    ALLOW_PRIVATE_NETWORKS: "true",
  });
  target = await nodeOf(service, database.environment);
}

async function kill(): Promise<void> {
  service.child.kill("SIGKILL");
  await service.exited;
}

/** Requests a push to all devices. @returns whether the request was acknowledged */
async function requestPush(sender: TestUser, name: string): Promise<boolean> {
  const body = eventBody({
    push_type: null,
    message: universal({ message: name }),
    user: { tags: { any: "crowd" } },
  });
  try {
    const { status } = await rest(target, "POST", "/events", {
      token: sender.token,
      body,
      headers: { "Idempotency-Key": name },
    });
    return status === 201;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  database = await freshServices();
  fixture = await startFcmFixture();
  fixture.standIn.received.listen(({ device, message, status, validateOnly }) => {
    if (status !== 200 || validateOnly) return;
    sent.push(`${device} ${(message.data as { message: string }).message}`);
  });
});
afterAll(async () => {
  await kill();
  await fixture.standIn.close();
  await database.remove();
});

it("after repeated kills, every acknowledged push reaches every device, and few arrive twice", async () => {
  await start();
  await storeFcmCredentials(target, database.environment, fixture);
  const sender = await newUser(target as TestNode);
  const url = database.environment.DATABASE_URL ?? "";
  await execute(
    url,
    `WITH made AS (INSERT INTO users (application_id, login, login_key, updated_at)
          SELECT ${target.application.id}, 'c' || n, 'c' || n, now()
          FROM generate_series(1, ${DEVICES}) n RETURNING id),
        tagged AS (INSERT INTO user_tags (user_id, application_id, tag, position)
          SELECT id, ${target.application.id}, 'crowd', 0 FROM made)
        INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
          token, updated_at)
        SELECT ${target.application.id}, id, 'gcm', 'development', 'android', 'u' || id,
          'registration-token-of-device-' || id, now() FROM made`,
  );

  const requested: string[] = [];
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const dying = wait(randomInt(200, 2_500)).then(kill);
    for (let n = 0; n < 3; n += 1) {
      requested.push(`push-${crash}-${n}`);
      if (!(await requestPush(sender, `push-${crash}-${n}`))) break;
    }
    await dying;
    await start();
    // Without a response, the client repeats the request with the same key.
    const last = requested.at(-1) ?? "";
    await eventually(
      () => requestPush(sender, last),
      (acknowledged) => acknowledged,
    );
  }

  const document = `{ pushEvents { nodes {
      active deliveryCount acceptedCount unregisteredCount failedCount } } }`;
  const { nodes } = await eventually(
    async () => (await graphql(target, document, {}, sender.token)).data.pushEvents,
    (found) =>
      found.nodes.every(
        (event: Record<string, unknown>) => !event.active && event.acceptedCount === DEVICES,
      ),
  );
  // Repeated requests created no duplicate events.
  expect(nodes).toHaveLength(requested.length);
  for (const event of nodes) {
    expect(event).toEqual({
      active: false,
      deliveryCount: DEVICES,
      acceptedCount: DEVICES,
      unregisteredCount: 0,
      failedCount: 0,
    });
  }
  expect(new Set(sent).size).toBe(DEVICES * requested.length);
  expect(sent.length - DEVICES * requested.length).toBeLessThanOrEqual(CRASHES * IN_FLIGHT);
});
