import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute, startPostgres } from "../../scripts/services/postgres-server";
import { startRedis } from "../../scripts/services/redis-server";
import { PORT_VARIABLES } from "../../src/core/variables/port-variables";
import { VARIABLES } from "../../src/core/variables/variables";
import { type ComponentServer, startComponentServer } from "../../tools/component-server";
import { startSmtp } from "../../tools/smtp";
import { createFixture, type Fixture } from "./fixture";
import { type LogWarning, type NodeProcess, startNodeProcess } from "./node-process";

/** One node on the embedded database, or two nodes on PostgreSQL and Redis. */
export type DeploymentName = "embedded" | "services";

/** Domain of the users' JIDs. */
export const CHAT_DOMAIN = "chat.example";
/** Secret of the chat server's stand-in, for the component and for `/chat/sign-in`. */
export const CHAT_SECRET = "the secret of a chat server";

/** The nodes under test and their dependencies. */
export interface Deployment {
  name: DeploymentName;
  /** Nodes with their own chat endpoint. */
  nodes: NodeProcess[];
  fixture: Fixture;
  /** A node in component mode, with its own database. */
  component: { node: NodeProcess; server: ComponentServer; fixture: Fixture };
  stop(): Promise<void>;
}

/**
 * Disables every rate limit and load shedding, because inputs come from few addresses and users at a high
 * rate. Matches by prefix, so that new variables are covered.
 */
const NO_RATES = Object.fromEntries(
  Object.keys(VARIABLES)
    .filter((name) => /^(RATE_|FAILED_SIGN_INS_|OVERLOAD_)/.test(name))
    .concat("XMPP_BYTES_PER_SECOND")
    .map((name) => [name, "0"]),
);

const FREE_PORTS = Object.fromEntries(PORT_VARIABLES.map((name) => [name, "0"]));

/**
 * Starts the nodes on free ports, and creates the users for the inputs.
 * @param complain called for each log line above `info`
 */
export async function startDeployment(
  name: DeploymentName,
  complain: (complaint: LogWarning) => void,
): Promise<Deployment> {
  const undo: Array<() => Promise<unknown>> = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const smtp = await startSmtp();
    undo.push(() => smtp.close());
    const server = await startComponentServer(CHAT_SECRET);
    undo.push(() => server.close());
    const services = name === "services" ? await startServices(undo) : null;
    const start = async (database: string, more: Record<string, string> = {}) => {
      const DATA_DIR = await mkdtemp(join(tmpdir(), "signalbox-fuzz-"));
      undo.push(() => rm(DATA_DIR, { recursive: true, force: true }));
      const environment = {
        ...NO_RATES,
        ...FREE_PORTS,
        DATA_DIR,
        CHAT_DOMAIN,
        RTC_PORT: "0",
        RTC_BIND_ADDRESS: "127.0.0.1",
        SMTP_URL: smtp.url,
        ...services?.variables(database),
        ...more,
      };
      const node = await startNodeProcess(environment, complain);
      undo.push(() => node.stop());
      return { node, DATA_DIR };
    };
    const first = await start("main");
    const nodes = [first.node];
    if (services) nodes.push((await start("main")).node);
    const attached = await start("component", {
      CHAT_MODE: "component",
      CHAT_SERVER: `127.0.0.1:${server.port}`,
      CHAT_SECRET,
      CHAT_SIGN_IN_SECRET: CHAT_SECRET,
    });
    const fixture = await createFixture(first.node, first.DATA_DIR);
    const component = {
      node: attached.node,
      server,
      fixture: await createFixture(attached.node, attached.DATA_DIR),
    };
    return { name, nodes, fixture, component, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServices(undo: Array<() => Promise<unknown>>) {
  const postgres = await startPostgres();
  undo.push(() => postgres.stop());
  const redis = await startRedis();
  undo.push(() => redis.stop());
  const numbers: Record<string, number> = { main: 1, component: 2 };
  for (const database of Object.keys(numbers)) {
    await execute(postgres.url, `CREATE DATABASE ${database}`);
  }
  return {
    variables: (database: string) => ({
      DATABASE_URL: postgres.url.replace(/postgres$/, database),
      REDIS_URL: `${redis.url}/${numbers[database]}`,
      SECRET_KEY: "0".repeat(64),
    }),
  };
}
