import { setTimeout as wait } from "node:timers/promises";
import { type Command, Option } from "commander";
import { printText } from "../../core/console";
import { CommandError } from "./connection/command-error";
import type { Invocation } from "./connection/document-command";
import { asMember } from "./connection/member";
import { checkId } from "./connection/option-values";
import type { Execute } from "./connection/server";
import { toJson, toTable } from "./connection/table";

const SEND_MUTATION = `mutation ($input: CreatePushEventInput!) {
  createPushEvent(input: $input) { events { id channel } }
}`;
const STATUS_QUERY = `query ($id: ID!, $after: String) {
  pushEvent(id: $id) { active deliveryCount }
  pushDeliveries(eventId: $id, after: $after) {
    nodes { userId subscriptionId outcome reason attempts providerId }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Polling interval in milliseconds. */
const POLL_MS = 200;
/** Maximum time to wait for the outcomes, in milliseconds. A push service has ten seconds to answer. */
const POLL_TIMEOUT_MS = 30_000;

const ENVIRONMENTS = ["development", "production"];

interface TestOptions {
  app: string;
  user: string;
  environment: string;
  message: string;
}

interface SentEvent {
  id: string;
  channel: string;
}

interface Delivery {
  userId: string | null;
  subscriptionId: string | null;
  outcome: string;
  reason: string | null;
  attempts: number;
  providerId: string | null;
}

type EventStatus = {
  pushEvent: { active: boolean; deliveryCount: number };
  pushDeliveries: {
    nodes: Delivery[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
};

/**
 * Adds `push test`, which sends a notification to a user's devices and waits for the outcomes. Exits with 1
 * unless a push service accepted it.
 */
export function addPushTest(group: Command, invocation: () => Invocation): void {
  group
    .command("test")
    .description("Sends a notification to a user's devices and prints the outcomes.")
    .requiredOption("--app <id>", "Id of the application.")
    .requiredOption("--user <id>", "Id of the user.")
    .addOption(
      new Option(`--environment <${ENVIRONMENTS.join("|")}>`, "Environment of the devices.")
        .choices(ENVIRONMENTS)
        .default("development"),
    )
    .option("--message <text>", "Text of the notification.", "It works: a push from Signalbox.")
    .action(async (options: TestOptions) => {
      checkId("app", options.app);
      checkId("user", options.user);
      const { access, json } = invocation();
      const deliveries = await asMember(access(), (execute) => sendTest(execute, options));
      printText(json ? toJson(deliveries) : toTable(deliveries));
      if (!deliveries.some(({ outcome }) => outcome === "ACCEPTED")) process.exitCode = 1;
    });
}

async function sendTest(
  execute: Execute,
  { app, user, environment, message }: TestOptions,
): Promise<Array<{ channel: string } & Delivery>> {
  const { createPushEvent } = await execute(SEND_MUTATION, {
    input: {
      applicationId: app,
      environment: environment.toUpperCase(),
      message: { notification: { body: message } },
      userIds: [user],
    },
  });
  const { events } = createPushEvent as { events: SentEvent[] };
  const outcomes = events.map(async ({ id, channel }) =>
    (await waitForOutcomes(execute, id)).map((delivery) => ({ channel, ...delivery })),
  );
  return (await Promise.all(outcomes)).flat();
}

/** Polls until every delivery of an event was attempted. @throws CommandError on timeout */
async function waitForOutcomes(execute: Execute, id: string): Promise<Delivery[]> {
  for (let waited = 0; waited <= POLL_TIMEOUT_MS; waited += POLL_MS) {
    const { active, deliveries } = await readEvent(execute, id);
    if (!active && deliveries.every(({ outcome }) => outcome !== "PENDING")) return deliveries;
    await wait(POLL_MS);
  }
  throw new CommandError(
    `Event ${id} was not sent within ${POLL_TIMEOUT_MS / 1000} s; the server's log may say why.`,
  );
}

async function readEvent(
  execute: Execute,
  id: string,
): Promise<{ active: boolean; deliveries: Delivery[] }> {
  const deliveries: Delivery[] = [];
  for (let after: string | null = null; ; ) {
    const status = (await execute(STATUS_QUERY, { id, after })) as EventStatus;
    const { nodes, pageInfo } = status.pushDeliveries;
    deliveries.push(...nodes);
    if (!pageInfo.hasNextPage) return { active: status.pushEvent.active, deliveries };
    after = pageInfo.endCursor;
  }
}
