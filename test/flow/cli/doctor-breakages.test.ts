import { createSocket } from "node:dgram";
import { once as event } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { execute } from "../../../scripts/services/postgres-server";
import { type RedisServer, startRedis } from "../../../scripts/services/redis-server";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { Sealer } from "../../../src/core/sealer";
import {
  CHECK_ORDER,
  type CheckName,
  type Finding,
} from "../../../src/domain/health/checks/finding";
import { checkRedis } from "../../../src/domain/health/checks/redis";
import { openStore } from "../../../src/platform/store/open";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { about, endListening, listen, NOWHERE } from "../../support/cli/doctor";
import type { TestNode } from "../../support/node";
import {
  describeServices,
  emptyFolder,
  type FreshDatabase,
  freshServices,
} from "../../support/operations/database";
import { addFailedJob } from "../../support/operations/failed-jobs";
import { FREE_PORTS } from "../../support/ports";

/**
 * Each check of `signalbox doctor` finds that what it checks is broken: a check that cannot fail has no place in the
 * list. test/contract/redis-states.test.ts, test/flow/operations/readiness.test.ts and the tests of doctor have further
 * ways to break the same things.
 */

const HOUR_MS = 3_600_000;
const databases: FreshDatabase[] = [];
const roles: { url: string; name: string }[] = [];
let redis: RedisServer;
/** A program at the port of the media server. */
const media = createSocket("udp4");

async function fresh(made: Promise<FreshDatabase>): Promise<Record<string, string>> {
  const database = await made;
  databases.push(database);
  return database.environment;
}

/** Runs once for all entries that use it. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const doctor = (environment: Record<string, string>, token?: string) =>
  runChecks({ environment, token });

/** An older Signalbox, which answers the query of sign-in providers and no other. */
function olderServer(): Promise<number> {
  const unreachable = {
    id: "1",
    facebook: { baseUrl: `http://${NOWHERE}`, version: "v19.0" },
    twitter: { baseUrl: `http://${NOWHERE}` },
    firebase: { keysUrl: `http://${NOWHERE}` },
  };
  const server = createHttpServer((request, response) => {
    if (request.url === "/metrics")
      return response.end('signalbox_build_info{version="0.0.1"} 1\n');
    if (request.url !== "/graphql") return response.end('{"status": "ready"}');
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    return request.on("end", () => {
      const data = { account: { applications: [unreachable] } };
      const errors = [{ message: "no" }];
      response.end(JSON.stringify(text.includes("applications") ? { data } : { errors }));
    });
  });
  return listen(server);
}

/** A server with careless settings that other machines reach, none of whose services runs. */
const exposed = once(async () => {
  const { DATA_DIR = "" } = await fresh(emptyFolder());
  const secret = join(DATA_DIR, "owner.json");
  await writeFile(secret, "{}");
  await chmod(secret, 0o644);
  const url = `http://127.0.0.1:${await olderServer()}`;
  const environment = {
    ...FREE_PORTS,
    DATA_DIR,
    HOST: "0.0.0.0",
    SIGNALBOX_URL: url,
    BASE_URL: url,
    CHAT_URL: "ws://chat.example.invalid",
    TRUST_PROXY: "0.0.0.0/0",
    RATE_REQUESTS_PER_IP: "0",
    ALLOW_PRIVATE_NETWORKS: "true",
    SECRET_KEY: "0".repeat(64),
    DATABASE_URL: `postgresql://user@${NOWHERE}/db`,
    REDIS_URL: "redis://redis.example.invalid",
    SMTP_URL: `smtp://${NOWHERE}`,
    TURN_URLS: `turn:${NOWHERE}?transport=tcp`,
    TURN_SECRET: "secret-of-the-test-number-one",
    JANUS_URL: `ws://${NOWHERE}`,
    JANUS_API_SECRET: "api-secret-of-the-test",
    JANUS_ADMIN_KEY: "admin-key-of-the-test",
    CHAT_MODE: "component",
    CHAT_SERVER: NOWHERE,
    CHAT_SECRET: "component-secret-of-the-test",
  };
  return doctor(environment, "acct_token");
});

/** A machine whose ports other programs use, without a folder for data and without the files of the certificate. */
const occupied = once(async () => {
  const { DATA_DIR = "" } = await fresh(emptyFolder());
  const file = join(DATA_DIR, "file");
  await writeFile(file, "");
  const port = async () => String(await listen(createServer((socket) => socket.destroy())));
  media.bind(0, "127.0.0.1");
  await event(media, "listening");
  return doctor({
    DATA_DIR: file,
    SIGNALBOX_URL: `http://${NOWHERE}`,
    TLS_CERT_FILE: join(DATA_DIR, "no.pem"),
    TLS_KEY_FILE: join(DATA_DIR, "no.key"),
    PORT: await port(),
    XMPP_WS_PORT: await port(),
    XMPP_WSS_PORT: await port(),
    XMPP_TCP_PORT: await port(),
    XMPP_TLS_PORT: await port(),
    CONFERENCE_WS_PORT: await port(),
    CONFERENCE_WSS_PORT: await port(),
    RTC_PORT: String(media.address().port),
    RTC_BIND_ADDRESS: "127.0.0.1",
    RTC_PROCESSES: "1",
  });
});

/** A database whose user may only read, with a wrong clock, a lost node, a failed job and secrets of another key. */
const damaged = once(async () => {
  const { REDIS_URL, ...environment } = await fresh(freshServices());
  const url = environment.DATABASE_URL ?? "";
  const name = new URL(url).pathname.slice(1);
  const store = await openStore({
    config: readConfig(environment),
    log: openLog("silent"),
    isNode: false,
  });
  const node = {
    app: { store },
    application: { id: 1 },
    sql: (text: string, values: unknown[] = []) => store.query({ name: "test", text }, values),
  };
  await addFailedJob(node as unknown as TestNode);
  await store.close();
  const role = `${name}_reader`;
  const elsewhere = new Sealer([Buffer.alloc(32, 1)]).seal("{}", "push.fcm");
  roles.push({ url, name: role });
  await execute(
    url,
    `INSERT INTO nodes (id, host, port, version, started_at, seen_at, open_sockets, event_loop_delay_ms)
      VALUES ('lost', 'there', 1, '0.0.1', now(), now() - interval '10 minutes', 0, 0);
    INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'k', now());
    INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      SELECT id, 'a', 'k', '', '{}', now() FROM accounts;
    INSERT INTO push_credentials (application_id, environment, service, settings, secret, updated_at)
      SELECT id, 'production', 'fcm', '{}', '${elsewhere}', now() FROM applications;
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
      AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$;
    ALTER DATABASE ${name} SET search_path = public, pg_catalog;
    CREATE ROLE ${role} LOGIN;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role};
    GRANT USAGE ON SCHEMA pgboss TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA pgboss TO ${role}`,
  );
  const DATABASE_URL = url.replace("//postgres@", `//${role}@`);
  return doctor({
    ...FREE_PORTS,
    ...environment,
    SIGNALBOX_URL: `http://${NOWHERE}`,
    DATABASE_URL,
  });
});

/** The database of another program. */
const foreign = once(async () => {
  const { REDIS_URL, ...environment } = await fresh(freshServices("template0"));
  await execute(environment.DATABASE_URL ?? "", "CREATE TABLE somebody_elses (id int)");
  return doctor({ ...FREE_PORTS, ...environment, SIGNALBOX_URL: `http://${NOWHERE}` });
});

/** A Redis whose clock is an hour behind: a relay changes its replies to TIME. */
const lateRedis = once(async () => {
  const relay = createServer((client) => {
    const upstream = connect(redis.port, "127.0.0.1");
    client.pipe(upstream);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    upstream.on("data", (data) => {
      const reply = /^(\*2\r\n\$10\r\n)(\d{10})\r\n/.exec(data.toString("latin1"));
      if (!reply) return client.write(data);
      const [whole, head, seconds] = reply;
      const late = `${head}${Number(seconds) - HOUR_MS / 1_000}\r\n`;
      return client.write(Buffer.concat([Buffer.from(late), data.subarray(whole.length)]));
    });
  });
  return checkRedis(readConfig({ REDIS_URL: `redis://127.0.0.1:${await listen(relay)}` }));
});

/** What breaks each check, or why it never finds a problem. */
const BREAKAGES: Record<CheckName, { broken: () => Promise<Finding[]> } | { never: string }> = {
  configuration: { broken: exposed },
  server: { broken: exposed },
  owner: { broken: exposed },
  "data folder": { broken: occupied },
  "secret files": { broken: exposed },
  database: { broken: damaged },
  migrations: { broken: foreign },
  nodes: { broken: damaged },
  jobs: { broken: damaged },
  "failed jobs": { broken: damaged },
  "secret key": { broken: damaged },
  "key strength": { broken: exposed },
  redis: { broken: exposed },
  "redis access": { broken: exposed },
  "clock: database": { broken: damaged },
  "clock: redis": { broken: lateRedis },
  port: { broken: occupied },
  "chat port": { broken: occupied },
  "chat port: wss": { broken: occupied },
  "chat port: tcp": { broken: occupied },
  "chat port: tls": { broken: occupied },
  "chat server": { broken: exposed },
  "media ports": { broken: occupied },
  "media server": { broken: exposed },
  turn: { broken: exposed },
  certificate: { broken: occupied },
  mail: { broken: exposed },
  encryption: { broken: exposed },
  proxy: { broken: exposed },
  limits: { broken: exposed },
  "private networks": { broken: exposed },
  schema: { never: "it says whether the schema is public, which is the operator's choice" },
  metrics: { broken: exposed },
  exposure: { never: "the name of a group, for its time-out; its checks are listed by themselves" },
  "conference port": { broken: occupied },
  "conference port: wss": { broken: occupied },
  providers: { never: "it says why no provider is checked; each provider is listed by itself" },
  "provider: facebook": { broken: exposed },
  "provider: twitter": { broken: exposed },
  "provider: firebase": { broken: exposed },
};

test("every check is in the table", () => {
  expect(Object.keys(BREAKAGES).sort()).toEqual([...CHECK_ORDER].sort());
});

describeServices("doctor", () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    endListening();
    media.close();
    await redis.stop();
    for (const { url, name } of roles)
      await execute(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`);
    for (const database of databases) await database.remove();
  });

  test.each(CHECK_ORDER)("finds what breaks %s", async (name) => {
    const entry = BREAKAGES[name];
    if ("never" in entry) return expect(entry.never).toMatch(/\w/);
    const found = about(await entry.broken(), name);
    expect(found.map(({ check, status, fix }) => [check, status, typeof fix])).toContainEqual([
      name,
      expect.stringMatching(/^(error|warning)$/),
      "string",
    ]);
  });

  test("finds no problem where a check can never find one", async () => {
    const findings = await Promise.all([exposed(), occupied(), damaged(), foreign(), lateRedis()]);
    for (const [name, entry] of Object.entries(BREAKAGES)) {
      if ("broken" in entry) continue;
      const statuses = about(findings.flat(), name).map(({ status }) => status);
      expect(statuses.filter((status) => status !== "ok" && status !== "skipped")).toEqual([]);
    }
  });
});
