import { type App, type AppOptions, startApp } from "../../src/app";
import { readConfig } from "../../src/core/config";
import { LENIENT_LIMITS } from "./lenient-limits";
import { type FreshDatabase, freshDatabase } from "./operations/database";
import { FREE_PORTS } from "./ports";

/**
 * Disables all rate limits, because a suite sends more requests from one address than a person.
 * Tests of the limits set their own.
 */
export const NO_RATES = {
  RATE_REQUESTS_PER_IP: "0",
  RATE_REQUESTS_PER_APPLICATION: "0",
  RATE_SESSIONS_PER_IP: "0",
  RATE_SESSIONS_PER_APPLICATION: "0",
  RATE_SIGN_INS_PER_IP: "0",
  RATE_SIGN_INS_PER_APPLICATION: "0",
  RATE_SIGN_UPS_PER_IP: "0",
  RATE_SIGN_UPS_PER_APPLICATION: "0",
  RATE_RESETS_PER_IP: "0",
  RATE_RESETS_PER_APPLICATION: "0",
  RATE_PASSWORDS_PER_USER: "0",
  RATE_MESSAGES_PER_USER: "0",
  RATE_NEW_CALLS_PER_USER: "0",
  RATE_MESSAGE_BYTES_PER_USER: "0",
  RATE_CHAT_SIGN_INS_PER_USER: "0",
  XMPP_BYTES_PER_SECOND: "0",
  ...LENIENT_LIMITS,
  GRAPHQL_ANONYMOUS_SOCKETS_PER_IP: "1000000",
  FAILED_SIGN_INS_BEFORE_DELAY: "0",
  FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME: "0",
  FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "0",
};

/** Hashes of the lowest cost. Tests of hashes use the service's own. */
export const LOW_PASSWORD_COST = { memoryCost: 8, timeCost: 1 };

/** For tests that wait for no job: polls are statements beside those of the test. */
export const WITHOUT_POLLING = { jobsPollMs: 3_600_000 };

/** A node under test, with the credentials of its first application. */
export interface TestNode {
  app: App;
  baseUrl: string;
  graphqlUrl: string;
  chatUrl: string;
  /** URLs of the open chat ports, by transport. */
  chatUrls: App["chatUrls"];
  application: { id: number; authKey: string; authSecret: string; accountKey: string };
  environment: Record<string, string>;
  /** Runs a statement with parameters `$1`, `$2`, … on the node's database. */
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/**
 * Starts a node on free ports with its own database, or as a further node on the same database and bus, which
 * requires services.
 */
export async function startNode(
  environment: Record<string, string> = {},
  parts: AppOptions = {},
  beside?: TestNode,
): Promise<TestNode> {
  const database = beside ? null : await freshDatabase();
  const variables = {
    ...FREE_PORTS,
    LOG_LEVEL: "silent",
    ...NO_RATES,
    ...(database ?? { environment: beside?.environment }).environment,
    ...environment,
  };
  try {
    const app = await startApp(readConfig(variables), {
      passwordCost: LOW_PASSWORD_COST,
      jobsPollMs: 1_000,
      ...parts,
    });
    return asTestNode(app, variables, database, beside);
  } catch (error) {
    await database?.remove();
    throw error;
  }
}

/** A {@link TestNode} for a running app. */
export function asTestNode(
  app: App,
  environment: Record<string, string>,
  database: FreshDatabase | null,
  beside: TestNode | undefined,
): TestNode {
  const { created, addresses } = app;
  const application = created
    ? {
        id: created.application_id,
        authKey: created.auth_key,
        authSecret: created.auth_secret,
        accountKey: created.account_key,
      }
    : beside?.application;
  if (!application) throw new Error("the node has no application that this test knows");
  return {
    app,
    baseUrl: addresses.base_url,
    graphqlUrl: addresses.graphql_url,
    chatUrl: addresses.chat_url,
    chatUrls: app.chatUrls,
    application,
    environment,
    sql: (text, values = []) => app.store.query({ name: "test", text }, values),
    async stop() {
      await app.close();
      await database?.remove();
    },
  };
}
