import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { printText } from "../core/console";
import { CommandError } from "./command-error";
import type { Call } from "./document-command";
import { type Ask, asOwner } from "./server";
import { toJson, toTable } from "./table";

const SEND = `mutation ($input: CreateApplicationPushEventInput!) {
  createApplicationPushEvent(input: $input) { events { id channel } }
}`;
const LOOK = `query ($id: ID!, $after: String) {
  applicationPushEvent(id: $id) { active deliveryCount }
  applicationPushDeliveries(eventId: $id, after: $after) {
    nodes { userId subscriptionId outcome reason attempts providerId }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Milliseconds between two looks, and in all: a service that is slow is given ten seconds. */
const LOOK_MS = 200;
const PATIENCE_MS = 30_000;

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

type Look = {
  applicationPushEvent: { active: boolean; deliveryCount: number };
  applicationPushDeliveries: {
    nodes: Delivery[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
};

/**
 * Adds `push test`, which sends a notification to a user's devices the way every other goes, and waits
 * for what becomes of it. Ends with 1 unless a push service took it.
 */
export function addPushTest(group: Command, call: () => Call): void {
  group
    .command("test")
    .description("Sends a notification to a user's devices and prints what becomes of it.")
    .requiredOption("--app <id>", "Id of the application.")
    .requiredOption("--user <id>", "Id of the user.")
    .option("--environment <name>", "development or production", "development")
    .option("--message <text>", "What it says.", "It works: a push from Signalbox.")
    .action(async (options: TestOptions) => {
      const { access, json } = call();
      const found = await asOwner(access(), (ask) => sendTest(ask, options));
      printText(json ? toJson(found) : toTable(found));
      if (!found.some(({ outcome }) => outcome === "ACCEPTED")) process.exitCode = 1;
    });
}

async function sendTest(
  ask: Ask,
  { app, user, environment, message }: TestOptions,
): Promise<Array<{ channel: string } & Delivery>> {
  const { createApplicationPushEvent } = await ask(SEND, {
    input: {
      applicationId: app,
      environment: environment.toUpperCase(),
      message: Buffer.from(JSON.stringify({ message })).toString("base64"),
      userIds: [user],
    },
  });
  const { events } = createApplicationPushEvent as { events: SentEvent[] };
  const looks = events.map(async ({ id, channel }) =>
    (await outcomesOf(ask, id)).map((delivery) => ({ channel, ...delivery })),
  );
  return (await Promise.all(looks)).flat();
}

/** The deliveries of an event, once each was tried. @throws CommandError when that takes too long */
async function outcomesOf(ask: Ask, id: string): Promise<Delivery[]> {
  for (let waited = 0; waited <= PATIENCE_MS; waited += LOOK_MS) {
    const { active, deliveries } = await readEvent(ask, id);
    if (!active && deliveries.every(({ outcome }) => outcome !== "PENDING")) return deliveries;
    await wait(LOOK_MS);
  }
  throw new CommandError(
    `Event ${id} was not sent within ${PATIENCE_MS / 1000} s; the server's log may say why.`,
  );
}

async function readEvent(
  ask: Ask,
  id: string,
): Promise<{ active: boolean; deliveries: Delivery[] }> {
  const deliveries: Delivery[] = [];
  for (let after: string | null = null; ; ) {
    const look = (await ask(LOOK, { id, after })) as Look;
    const { nodes, pageInfo } = look.applicationPushDeliveries;
    deliveries.push(...nodes);
    if (!pageInfo.hasNextPage) return { active: look.applicationPushEvent.active, deliveries };
    after = pageInfo.endCursor;
  }
}
