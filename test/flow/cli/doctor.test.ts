import { stat } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { type RedisServer, sendCommand, startRedis } from "../../../scripts/services/redis-server";
import { packageVersion } from "../../../src/core/package-root";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { runCommand } from "../../support/cli/command-line";
import {
  about,
  endListening,
  KEY,
  listen,
  NOT_EXPOSED,
  NOWHERE,
  only,
  statuses,
} from "../../support/cli/doctor";
import { startNode, type TestNode } from "../../support/node";
import { emptyFolder, type FreshDatabase, hasServices } from "../../support/operations/database";
import { FREE_CHAT_PORTS, FREE_PORTS } from "../../support/ports";
import { ownerToken } from "../../support/sessions/owner";
import {
  type StandIn,
  startFacebook,
  startKeys,
  startTwitter,
} from "../../support/sessions/providers";

let node: TestNode;
let smtp: TestSmtp;
/** Environment of the node as its operator sets it, with the actual ports. */
let healthy: Record<string, string>;
const databases: FreshDatabase[] = [];

let redis: RedisServer | undefined;
beforeAll(async () => {
  smtp = await startSmtp();
  const SMTP_URL = smtp.url;
  const mail = { SMTP_URL, MAIL_FROM: "Shop <post@shop.example>" };
  const ALLOW_PRIVATE_NETWORKS = "true";
  const key: Record<string, string> = hasServices ? { SECRET_KEY: KEY } : {};
  node = await startNode({ ...FREE_CHAT_PORTS, ...mail, ALLOW_PRIVATE_NETWORKS, ...key });
  const portOf = (url = "") => new URL(url).port;
  healthy = {
    ...node.environment,
    ...FREE_PORTS,
    PORT: portOf(node.baseUrl),
    XMPP_WS_PORT: portOf(node.chatUrls.ws),
    XMPP_WSS_PORT: portOf(node.chatUrls.wss),
    XMPP_TCP_PORT: portOf(node.chatUrls.tcp),
    XMPP_TLS_PORT: portOf(node.chatUrls.tls),
  };
  if (!hasServices) return;
  // Persistent like a deployment's; the Redis of the other tests is not.
  redis = await startRedis();
  await sendCommand(redis.port, "CONFIG SET appendonly yes");
  await sendCommand(redis.port, "CONFIG SET appendfsync always");
  healthy.REDIS_URL = redis.url;
});
afterEach(async () => {
  endListening();
  for (const database of databases.splice(0)) await database.remove();
});
afterAll(async () => {
  await redis?.stop();
  await node.stop();
  await smtp.close();
});

const runDoctor = (environment: Record<string, string>, options: { token?: string } = {}) =>
  runChecks({ environment, ...options });

async function fresh(made: Promise<FreshDatabase>): Promise<string> {
  const database = await made;
  databases.push(database);
  return database.environment.DATA_DIR ?? "";
}

describe("a healthy node", () => {
  it("has no findings, on any database", async () => {
    const findings = await runDoctor(healthy);
    expect(findings.filter(({ status }) => status === "error" || status === "warning")).toEqual([]);
    expect(statuses(findings)).toEqual({
      configuration: "ok",
      server: "ok",
      owner: "ok",
      "data folder": "ok",
      "secret files": "ok",
      database: "ok",
      migrations: "ok",
      "secret key": "ok",
      port: "ok",
      "chat port": "ok",
      mail: "ok",
      "chat port: wss": "ok",
      "chat port: tcp": "ok",
      "chat port: tls": "ok",
      "conference port": "skipped",
      "media server": "skipped",
      "conference port: wss": "skipped",
      "media ports": "skipped",
      certificate: "ok",
      turn: "skipped",
      providers: "skipped",
      ...NOT_EXPOSED,
      ...(hasServices
        ? {
            nodes: "ok",
            jobs: "ok",
            "failed jobs": "ok",
            redis: "ok",
            "clock: database": "ok",
            "clock: redis": "ok",
          }
        : { redis: "skipped" }),
    });
    expect(only(findings, "server").detail).toContain(`version ${packageVersion()}`);
    for (const check of ["port", "chat port"]) {
      expect(only(findings, check).detail).toMatch(/in use by a running Signalbox/);
    }
  });

  it("prints one line per check, and exits with 0", async () => {
    const { code, out, err } = await runCommand(["doctor"], healthy);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ok +configuration +no mistakes\nok +server +ready at http/);
    expect(out).toMatch(/\n\nNo problem found\.\n$/);
  });

  it("prints JSON with --json", async () => {
    const { code, out } = await runCommand(["doctor", "--json"], healthy);
    const { ok, checks } = JSON.parse(out);
    expect([code, ok]).toEqual([0, true]);
    expect(checks[0]).toEqual({ check: "configuration", status: "ok", detail: "no mistakes" });
    expect(checks).toContainEqual(expect.objectContaining({ check: "database", status: "ok" }));
  });

  it("reports no problem before the first start, and creates nothing", async () => {
    const DATA_DIR = join(await fresh(emptyFolder()), "not", "yet");
    const findings = await runDoctor({ DATA_DIR, ...FREE_PORTS });
    expect(new Set(Object.values(statuses(findings)))).toEqual(new Set(["ok", "skipped"]));
    await expect(stat(DATA_DIR)).rejects.toThrow("ENOENT");
  });
});

describe("problems", () => {
  it("are all reported with a fix, and the command exits with 1", async () => {
    const broken = {
      ...healthy,
      REDIS_URL: `redis://:hunter2@${NOWHERE}`,
      DATABASE_URL: `postgresql://user:hunter2@${NOWHERE}/db`,
      SECRET_KEY: KEY,
      SMTP_URL: `smtp://user:hunter2@${NOWHERE}`,
    };
    const { code, out, err } = await runCommand(["doctor"], broken);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toMatch(
      /^error +database +PostgreSQL .*cannot be reached.*\n +→ Start PostgreSQL/m,
    );
    expect(out).toMatch(/^error +redis +cannot be reached: .*ECONNREFUSED.*\n +→ Start Redis/m);
    expect(out).toMatch(/^error +mail +.*cannot be used.*\n +→ Start the mail server/m);
    expect(out).toMatch(/\n\n3 errors, 0 warnings\.\n$/);
    expect(out).not.toContain("hunter2");
  });

  it("are found in time when every dependency accepts connections but never answers", async () => {
    const silent = () => listen().then((port) => `127.0.0.1:${port}`);
    const findings = await runDoctor({
      DATA_DIR: await fresh(emptyFolder()),
      SECRET_KEY: KEY,
      DATABASE_URL: `postgresql://${await silent()}/db`,
      REDIS_URL: `redis://${await silent()}`,
      ...FREE_PORTS,
      SMTP_URL: `smtp://${await silent()}`,
      PORT: String(await listen()),
    });
    expect(statuses(findings)).toMatchObject({
      database: "error",
      redis: "error",
      mail: "error",
      port: "error",
      server: "skipped",
    });
  });

  it("of the configuration are listed separately", async () => {
    const findings = await runDoctor({
      PORT: "http",
      LOG_LEVEL: "loud",
      DATABASE_URL: "mysql://root:hunter2@db",
      SECRET_KEY: "short",
    });
    expect(findings.map(({ detail }) => detail.split(" ")[0]).sort()).toEqual([
      "DATABASE_URL",
      "LOG_LEVEL",
      "PORT",
      "SECRET_KEY",
    ]);
    expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(["error"]));
    expect(JSON.stringify(findings)).not.toContain("hunter2");
  });

  it("of clients on other machines are warnings when HOST accepts them", async () => {
    const DATA_DIR = await fresh(emptyFolder());
    const open = { HOST: "0.0.0.0", ...FREE_PORTS, DATA_DIR };
    const findings = about(await runDoctor(open), "configuration");
    expect(findings.map(({ status }) => status)).toEqual(["warning", "warning"]);
    expect(findings[0]?.detail).toContain("BASE_URL, CHAT_URL, CHAT_DOMAIN, TURN_HOST");
    const named = await runDoctor({
      ...open,
      BASE_URL: "https://a.example",
      CHAT_URL: "wss://c.example",
      CHAT_DOMAIN: "c.example",
      TURN_HOST: "t.example",
      XMPP_TRUSTED_PROXY: "true",
    });
    expect(only(named, "configuration").status).toBe("ok");
  });
});

describe("the server", () => {
  it("is not ready after losing its database", async () => {
    const broken = await startNode();
    try {
      await broken.app.store.close();
      const SIGNALBOX_URL = broken.baseUrl;
      const findings = await runDoctor({ ...healthy, SIGNALBOX_URL });
      expect(only(findings, "server")).toMatchObject({
        status: "error",
        detail: expect.stringMatching(/is not ready/),
      });
      expect(only(findings, "providers").status).toBe("skipped");
    } finally {
      await broken.stop();
    }
  });

  it("is not confused with another program at its address", async () => {
    const other = createHttpServer((_, response) => response.end("hello"));
    const port = await listen(other);
    const SIGNALBOX_URL = `http://127.0.0.1:${port}`;
    const findings = await runDoctor({ ...healthy, SIGNALBOX_URL, PORT: String(port) });
    expect(only(findings, "server")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/is not Signalbox/),
    });
    expect(only(findings, "port")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/in use by another program/),
    });
  });

  it("is a warning if it has another version", async () => {
    const other = createHttpServer(({ url }, response) => {
      if (url === "/metrics") response.end('signalbox_build_info{version="0.0.1"} 1\n');
      else response.end('{"status": "ready"}');
    });
    const SIGNALBOX_URL = `http://127.0.0.1:${await listen(other)}`;
    const found = only(await runDoctor({ ...healthy, SIGNALBOX_URL }), "server");
    expect([found.status, found.detail]).toEqual([
      "warning",
      expect.stringMatching(/version 0\.0\.1; this command line has version/),
    ]);
  });

  it("is a warning if the owner cannot sign in, by token or by file", async () => {
    const DATA_DIR = await fresh(emptyFolder());
    const elsewhere = { ...healthy, DATA_DIR, SIGNALBOX_URL: node.baseUrl };
    const without = await runDoctor(elsewhere);
    expect(only(without, "owner")).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(/owner\.json does not exist/),
    });
    const token = await ownerToken(node);
    expect(only(await runDoctor(elsewhere, { token }), "owner").status).toBe("ok");
    expect(only(await runDoctor(elsewhere, { token: "acct_no" }), "owner").status).toBe("warning");
  });
});

describe("providers", () => {
  const standIns: StandIn[] = [];
  afterEach(async () => {
    for (const standIn of standIns.splice(0)) await standIn.close();
    await node.sql("UPDATE applications SET settings = '{}'");
  });
  const set = (settings: object) =>
    node.sql("UPDATE applications SET settings = $1::text::jsonb", [JSON.stringify(settings)]);

  it("are probed without secrets", async () => {
    const facebook = await startFacebook({ appId: "1", appSecret: "s" });
    const twitter = await startTwitter({ consumerKey: "k", consumerSecret: "s" });
    const firebase = await startKeys({ status: 200, body: { keys: [{ kid: "a" }] } });
    standIns.push(facebook, twitter, firebase);
    await set({
      facebook: { appId: "1", appSecret: "s", baseUrl: facebook.baseUrl, version: "v19.0" },
      twitter: { consumerKey: "k", consumerSecret: "s", baseUrl: twitter.baseUrl },
      firebase: { projectId: "p", keysUrl: firebase.keysUrl },
    });
    const findings = await runDoctor(healthy);
    for (const provider of ["facebook", "twitter", "firebase"]) {
      expect(only(findings, `provider: ${provider}`).status).toBe("ok");
    }
  });

  it("are errors if they do not answer, or answer in another form", async () => {
    const keys = await startKeys({ status: 200, body: { keys: [] } });
    const page = await startKeys({ status: 200, body: "<html>hello</html>" });
    standIns.push(keys, page);
    await set({
      facebook: { appId: "1", appSecret: "s", baseUrl: `http://${NOWHERE}` },
      twitter: { consumerKey: "k", consumerSecret: "s", baseUrl: page.baseUrl },
      firebase: { projectId: "p", keysUrl: keys.keysUrl },
    });
    const findings = await runDoctor(healthy);
    const words = {
      facebook: /no connection \(ECONNREFUSED\)/,
      twitter: /not a JSON object/,
      firebase: /key set is empty/,
    };
    for (const [provider, reason] of Object.entries(words)) {
      const { status, detail, fix } = only(findings, `provider: ${provider}`);
      expect([status, detail]).toEqual(["error", expect.stringMatching(reason)]);
      expect(fix).toMatch(new RegExp(`--app ${node.application.id} --${provider}-`));
    }
  });
});
