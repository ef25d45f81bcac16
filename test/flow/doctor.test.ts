import { stat } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { ask, type RedisServer, startRedis } from "../../scripts/services/redis-server";
import { runChecks } from "../../src/cli/doctor/checks";
import { packageVersion } from "../../src/core/package-root";
import { runCommand } from "../support/command-line";
import { emptyFolder, type FreshDatabase, hasServices } from "../support/database";
import {
  about,
  endListening,
  KEY,
  listen,
  NOT_EXPOSED,
  NOWHERE,
  only,
  statuses,
} from "../support/doctor";
import { startNode, type TestNode } from "../support/node";
import { ownerToken } from "../support/owner";
import { FREE_CHAT_PORTS, FREE_PORTS } from "../support/ports";
import { type StandIn, startFacebook, startKeys, startTwitter } from "../support/providers";
import { startSmtp, type TestSmtp } from "../support/smtp";
import { startTimeServer, type TimeServer } from "../support/time-server";

let node: TestNode;
let smtp: TestSmtp;
let time: TimeServer;
/** The environment of the node as its operator has it: with the ports that it got. */
let healthy: Record<string, string>;
const databases: FreshDatabase[] = [];

let redis: RedisServer | undefined;
beforeAll(async () => {
  [smtp, time] = await Promise.all([startSmtp(), startTimeServer()]);
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
  // One that keeps what it took, as a deployment has it; that of the other tests keeps nothing.
  redis = await startRedis();
  await ask(redis.port, "CONFIG SET appendonly yes");
  await ask(redis.port, "CONFIG SET appendfsync always");
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
  time.close();
});

const examine = (environment: Record<string, string>, options: { token?: string } = {}) =>
  runChecks({ environment, timeServer: time.address, ...options });

async function fresh(made: Promise<FreshDatabase>): Promise<string> {
  const database = await made;
  databases.push(database);
  return database.environment.DATA_DIR ?? "";
}

describe("a healthy node", () => {
  it("has nothing wrong with it, whatever it stands on", async () => {
    const findings = await examine(healthy);
    expect(findings.filter(({ status }) => status === "wrong" || status === "warning")).toEqual([]);
    expect(statuses(findings)).toEqual({
      ...{ configuration: "ok", server: "ok", owner: "ok", "data folder": "ok" },
      ...{ "secret files": "ok", database: "ok", migrations: "ok", "secret key": "ok" },
      ...{ "clock: network": "ok", port: "ok", "chat port": "ok", mail: "ok" },
      ...{ "chat port: wss": "ok", "chat port: tcp": "ok", "chat port: tls": "ok" },
      ...{ certificate: "ok" },
      ...{ providers: "skipped", ...NOT_EXPOSED },
      ...(hasServices
        ? { jobs: "ok", redis: "ok", "clock: database": "ok", "clock: redis": "ok" }
        : { redis: "skipped" }),
    });
    expect(only(findings, "server").detail).toContain(`version ${packageVersion()}`);
    for (const check of ["port", "chat port"]) {
      expect(only(findings, check).detail).toMatch(/held by a Signalbox that runs/);
    }
  });

  it("is printed one line to a check, and ends with 0", async () => {
    const { code, out, err } = await runCommand(["doctor", "--time-server", "none"], healthy);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ok +configuration +no mistakes\nok +server +ready at http/);
    expect(out).toMatch(/^skipped +clock: network +no time server is to be asked$/m);
    expect(out).toMatch(/\n\nAll is well\.\n$/);
  });

  it("is told to programs as JSON", async () => {
    const words = ["doctor", "--json", "--time-server", time.address];
    const { code, out } = await runCommand(words, healthy);
    const { ok, checks } = JSON.parse(out);
    expect([code, ok]).toEqual([0, true]);
    expect(checks[0]).toEqual({ check: "configuration", status: "ok", detail: "no mistakes" });
    expect(checks).toContainEqual(
      expect.objectContaining({ check: "clock: network", status: "ok" }),
    );
  });

  it("needs none to be looked at: before the first start nothing is wrong", async () => {
    const DATA_DIR = join(await fresh(emptyFolder()), "not", "yet");
    const findings = await examine({ DATA_DIR, ...FREE_PORTS });
    expect(new Set(Object.values(statuses(findings)))).toEqual(new Set(["ok", "skipped"]));
    await expect(stat(DATA_DIR)).rejects.toThrow("ENOENT");
  });
});

describe("what is wrong", () => {
  it("ends with 1, and says how to mend it, whatever else is", async () => {
    const broken = {
      ...healthy,
      REDIS_URL: `redis://:hunter2@${NOWHERE}`,
      DATABASE_URL: `postgresql://user:hunter2@${NOWHERE}/db`,
      SECRET_KEY: KEY,
      SMTP_URL: `smtp://user:hunter2@${NOWHERE}`,
    };
    const { code, out, err } = await runCommand(["doctor", "--time-server", NOWHERE], broken);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toMatch(
      /^wrong +database +PostgreSQL .*cannot be reached.*\n +→ Start PostgreSQL/m,
    );
    expect(out).toMatch(/^wrong +redis +cannot be asked: .*ECONNREFUSED.*\n +→ Start Redis/m);
    expect(out).toMatch(/^wrong +mail +.*cannot be used.*\n +→ Start the mail server/m);
    expect(out).toMatch(/^skipped +clock: network /m);
    expect(out).toMatch(/\n\n3 wrong, 0 warnings\.\n$/);
    expect(out).not.toContain("hunter2");
  });

  it("is found in time where everything takes connections and says nothing", async () => {
    const silent = () => listen().then((port) => `127.0.0.1:${port}`);
    const findings = await examine({
      ...{ DATA_DIR: await fresh(emptyFolder()), SECRET_KEY: KEY },
      ...{
        DATABASE_URL: `postgresql://${await silent()}/db`,
        REDIS_URL: `redis://${await silent()}`,
      },
      ...{ ...FREE_PORTS, SMTP_URL: `smtp://${await silent()}`, PORT: String(await listen()) },
    });
    expect(statuses(findings)).toMatchObject({
      ...{ database: "wrong", redis: "wrong", mail: "wrong", port: "wrong", server: "skipped" },
    });
  });

  it("in the configuration is listed, every mistake by itself", async () => {
    const findings = await examine({
      ...{ PORT: "http", LOG_LEVEL: "loud", DATABASE_URL: "mysql://root:hunter2@db" },
      SECRET_KEY: "short",
    });
    expect(findings.map(({ detail }) => detail.split(" ")[0]).sort()).toEqual([
      ...["DATABASE_URL", "LOG_LEVEL", "PORT", "SECRET_KEY"],
    ]);
    expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(["wrong"]));
    expect(JSON.stringify(findings)).not.toContain("hunter2");
  });

  it("for clients elsewhere is warned of, where HOST lets them in", async () => {
    const DATA_DIR = await fresh(emptyFolder());
    const open = { HOST: "0.0.0.0", ...FREE_PORTS, DATA_DIR };
    const findings = about(await examine(open), "configuration");
    expect(findings.map(({ status }) => status)).toEqual(["warning", "warning"]);
    expect(findings[0]?.detail).toContain("BASE_URL, CHAT_URL, CHAT_DOMAIN, TURN_HOST");
    const named = await examine({
      ...{ ...open, BASE_URL: "https://a.example", CHAT_URL: "wss://c.example" },
      ...{ CHAT_DOMAIN: "c.example", TURN_HOST: "t.example", XMPP_TRUSTED_PROXY: "true" },
    });
    expect(only(named, "configuration").status).toBe("ok");
  });
});

describe("the server", () => {
  it("that has lost its database is not ready", async () => {
    const broken = await startNode();
    try {
      await broken.app.store.close();
      const SIGNALBOX_URL = broken.baseUrl;
      const findings = await examine({ ...healthy, SIGNALBOX_URL });
      expect(only(findings, "server")).toMatchObject({
        ...{ status: "wrong", detail: expect.stringMatching(/is not ready/) },
      });
      expect(only(findings, "providers").status).toBe("skipped");
    } finally {
      await broken.stop();
    }
  });

  it("is not anything that answers at its address", async () => {
    const other = createHttpServer((_, response) => response.end("hello"));
    const port = await listen(other);
    const SIGNALBOX_URL = `http://127.0.0.1:${port}`;
    const findings = await examine({ ...healthy, SIGNALBOX_URL, PORT: String(port) });
    expect(only(findings, "server")).toMatchObject({
      ...{ status: "wrong", detail: expect.stringMatching(/no Signalbox answers/) },
    });
    expect(only(findings, "port")).toMatchObject({
      ...{ status: "wrong", detail: expect.stringMatching(/taken by another program/) },
    });
  });

  it("of another version is warned of", async () => {
    const other = createHttpServer(({ url }, response) => {
      if (url === "/metrics") response.end('signalbox_build_info{version="0.0.1"} 1\n');
      else response.end('{"status": "ready"}');
    });
    const SIGNALBOX_URL = `http://127.0.0.1:${await listen(other)}`;
    const found = only(await examine({ ...healthy, SIGNALBOX_URL }), "server");
    expect([found.status, found.detail]).toEqual([
      "warning",
      expect.stringMatching(/version 0\.0\.1; this command line is of version/),
    ]);
  });

  it("whose owner cannot sign in is warned of; a token does as well as the file", async () => {
    const DATA_DIR = await fresh(emptyFolder());
    const elsewhere = { ...healthy, DATA_DIR, SIGNALBOX_URL: node.baseUrl };
    const without = await examine(elsewhere);
    expect(only(without, "owner")).toMatchObject({
      ...{ status: "warning", detail: expect.stringMatching(/owner\.json cannot be read/) },
    });
    const token = await ownerToken(node);
    expect(only(await examine(elsewhere, { token }), "owner").status).toBe("ok");
    expect(only(await examine(elsewhere, { token: "acct_no" }), "owner").status).toBe("warning");
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

  it("are asked without secrets, and found", async () => {
    const facebook = await startFacebook({ appId: "1", appSecret: "s" });
    const twitter = await startTwitter({ consumerKey: "k", consumerSecret: "s" });
    const firebase = await startKeys({ status: 200, body: { keys: [{ kid: "a" }] } });
    standIns.push(facebook, twitter, firebase);
    await set({
      facebook: { appId: "1", appSecret: "s", baseUrl: facebook.baseUrl, version: "v19.0" },
      twitter: { consumerKey: "k", consumerSecret: "s", baseUrl: twitter.baseUrl },
      firebase: { projectId: "p", keysUrl: firebase.keysUrl },
    });
    const findings = await examine(healthy);
    for (const provider of ["facebook", "twitter", "firebase"]) {
      expect(only(findings, `provider: ${provider}`).status).toBe("ok");
    }
  });

  it("are wrong where they do not answer, or not as they do", async () => {
    const keys = await startKeys({ status: 200, body: { keys: [] } });
    const page = await startKeys({ status: 200, body: "<html>hello</html>" });
    standIns.push(keys, page);
    await set({
      facebook: { appId: "1", appSecret: "s", baseUrl: `http://${NOWHERE}` },
      twitter: { consumerKey: "k", consumerSecret: "s", baseUrl: page.baseUrl },
      firebase: { projectId: "p", keysUrl: keys.keysUrl },
    });
    const findings = await examine(healthy);
    const words = {
      facebook: /no connection \(ECONNREFUSED\)/,
      twitter: /not a JSON object/,
      firebase: /key set is empty/,
    };
    for (const [provider, reason] of Object.entries(words)) {
      const { status, detail, mend } = only(findings, `provider: ${provider}`);
      expect([status, detail]).toEqual(["wrong", expect.stringMatching(reason)]);
      expect(mend).toMatch(new RegExp(`--app ${node.application.id} --${provider}-`));
    }
  });
});
