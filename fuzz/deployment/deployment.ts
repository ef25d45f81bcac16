import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute, startPostgres } from "../../scripts/services/postgres-server";
import { startRedis } from "../../scripts/services/redis-server";
import { VARIABLES } from "../../src/core/variables/variables";
import { type ComponentServer, startComponentServer } from "../../test/support/component-server";
import { startSmtp } from "../../test/support/smtp";
import { type Complaint, type NodeProcess, startNodeProcess } from "./node-process";
import { prepareWorld, type World } from "./world";

/** What the nodes run on: one on the embedded database, or two on PostgreSQL and Redis. */
export type DeploymentName = "embedded" | "services";

/** Domain of the users' JIDs. */
export const CHAT_DOMAIN = "chat.example";
/** Shown by the chat server that stands in, as a component's secret and for `/chat/sign-in`. */
export const CHAT_SECRET = "the secret of a chat server";

/** Nodes under test, with what they need. */
export interface Deployment {
  name: DeploymentName;
  /** Nodes that serve chat clients themselves. */
  nodes: NodeProcess[];
  world: World;
  /** A node that is attached to a chat server, on a database of its own. */
  component: { node: NodeProcess; server: ComponentServer; world: World };
  stop(): Promise<void>;
}

/**
 * Inputs come from few addresses and users, faster than any limit admits: every rate and the shedding of
 * load are switched off, by the names' beginnings, so that a new one is as well.
 */
const NO_RATES = Object.fromEntries(
  Object.keys(VARIABLES)
    .filter((name) => /^(RATE_|FAILURES_FREE|OVERLOAD_)/.test(name))
    .concat("XMPP_BYTES_PER_SECOND")
    .map((name) => [name, "0"]),
);

const FREE_PORTS = Object.fromEntries(
  ["PORT", "XMPP_WS_PORT", "XMPP_WSS_PORT", "XMPP_TCP_PORT", "XMPP_TLS_PORT"].map((name) => [
    name,
    "0",
  ]),
);

/**
 * Starts the nodes on free ports, and makes the users that inputs are about.
 * @param complain called with what a node writes above `info`
 */
export async function startDeployment(
  name: DeploymentName,
  complain: (complaint: Complaint) => void,
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
        ...{ ...NO_RATES, ...FREE_PORTS, DATA_DIR, CHAT_DOMAIN, SMTP_URL: smtp.url },
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
      ...{ CHAT_MODE: "component", CHAT_SERVER: `127.0.0.1:${server.port}`, CHAT_SECRET },
      CHAT_SIGN_IN_SECRET: CHAT_SECRET,
    });
    const world = await prepareWorld(first.node, first.DATA_DIR);
    const component = {
      ...{ node: attached.node, server },
      world: await prepareWorld(attached.node, attached.DATA_DIR),
    };
    return { name, nodes, world, component, stop };
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
