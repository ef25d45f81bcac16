import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { findProgram, freePort, run, Server } from "../../scripts/services/binaries";
import type { Config } from "../../src/core/config";
import { rtcPorts } from "../../src/core/variables/rtc-ports";
import { checkExposure } from "../../src/domain/health/checks/exposure";
import { checkMediaServer } from "../../src/domain/health/checks/media-server";
import { checkRedis } from "../../src/domain/health/checks/redis";
import { checkTurn } from "../../src/domain/health/checks/turn";
import { needInterface } from "../../tools/conferences/janus-server";
import { connectSocket } from "../../tools/graphql/graphql-socket";
import { closeAfterEach } from "../support/close-after-each";
import type { Fields } from "../support/deploy/fields";
import { readSettings } from "../support/deploy/settings";
import { startNode } from "../support/node";

/** deploy/compose.yaml, read by a compose program, and what its services run, on the programs of this machine. */

const folder = mkdtempSync(join(tmpdir(), "signalbox-compose-"));
const opened = closeAfterEach();
const environment = { ...process.env, DOMAIN: "signalbox.example", PUBLIC_ADDRESS: "203.0.113.7" };
let services: Record<string, Fields>;
let networks: Record<string, Fields>;

const secretOf = (name: string) => readFileSync(join(folder, "compose/secrets", name), "utf8");

beforeAll(async () => {
  cpSync(join(__dirname, "../../deploy"), folder, { recursive: true });
  await run(join(folder, "compose/make-secrets"));
  const file = join(folder, "compose.yaml");
  // Debian's docker-compose 1.29 does not know the name of a project.
  writeFileSync(file, readFileSync(file, "utf8").replace(/^name: .*\n/m, ""));
  const program = findProgram("docker-compose", "docker-compose");
  const { stdout } = await run(program, ["--file", file, "--profile", "janus", "config"], {
    env: environment,
  });
  ({ services, networks } = parse(stdout));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NODES = ["signalbox-a", "signalbox-b"];
const JANUS = { JANUS_URL: "ws://janus:8188", JANUS_ADMIN_URL: "ws://janus:7188" };

/** The configuration of a node of the file, with the secrets that it is given. */
function configOf(node: string, more: Record<string, string> = {}): Config {
  const given = Object.entries<unknown>(services[node].environment);
  const settings = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return readSettings({ ...settings, ...more }, secretOf);
}

test("a compose program accepts the file, and knows its services", () => {
  expect(Object.keys(services).sort()).toEqual(
    ["caddy", "coturn", "janus", "postgres", "redis", ...NODES].sort(),
  );
});

describe.each(NODES)("%s", (node) => {
  it("has valid settings, without and with Janus, and only needs the secrets that it is given", async () => {
    const given = services[node].secrets.map(({ source }: Fields) => `/run/secrets/${source}`);
    const files = Object.entries(services[node].environment)
      .filter(([name]) => name.endsWith("_FILE"))
      .map(([, path]) => path);
    expect(files.sort()).toEqual(given.sort());
    for (const config of [configOf(node), configOf(node, JANUS)]) {
      const problems = (await checkExposure(config)).filter(
        ({ status }) => status === "warning" || status === "error",
      );
      expect(problems).toEqual([]);
    }
  });

  it("trusts only the proxy", () => {
    const { ipv4_address: address } = services.caddy.networks.front;
    expect(configOf(node).TRUST_PROXY).toEqual([address]);
    const [{ subnet, gateway, ip_range: others }] = networks.front.ipam.config;
    const inSubnet = new BlockList();
    const taken = new BlockList();
    const add = (list: BlockList, [network = "", bits]: string[]) =>
      list.addSubnet(network, Number(bits));
    add(inSubnet, subnet.split("/"));
    add(taken, others.split("/"));
    taken.addAddress(gateway);
    expect([inSubnet.check(address), taken.check(address)]).toEqual([true, false]);
    expect(networks.back.internal).toBe(true);
  });

  it("publishes its own ports of media, and no others", () => {
    const { regular, quarantine } = rtcPorts(configOf(node));
    const published = services[node].ports.map(({ published, target, protocol }: Fields) => [
      published,
      target,
      protocol,
    ]);
    expect(published).toEqual([...regular, ...quarantine].map((port) => [port, port, "udp"]));
  });

  it("has the time to drain", () => {
    const { DRAIN_SPREAD_SECONDS, DRAIN_SECONDS } = configOf(node);
    expect(services[node].stop_grace_period).toBe("30s");
    expect(30).toBeGreaterThan(DRAIN_SPREAD_SECONDS + DRAIN_SECONDS + 5);
  });
});

test("the nodes have different ports of media, and start one after the other", () => {
  const [a = [], b = []] = NODES.map((node) => rtcPorts(configOf(node)).regular);
  expect(a.filter((port) => b.includes(port))).toEqual([]);
  const healthy = { condition: "service_healthy" };
  expect(services["signalbox-a"].depends_on).toEqual({ postgres: healthy, redis: healthy });
  expect(services["signalbox-b"].depends_on).toMatchObject({ "signalbox-a": healthy });
});

test("secrets are created once", async () => {
  const key = secretOf("SECRET_KEY");
  await run(join(folder, "compose/make-secrets"));
  expect(secretOf("SECRET_KEY")).toBe(key);
  expect(secretOf("DATABASE_URL")).toContain(`:${secretOf("POSTGRES_PASSWORD")}@postgres/`);
  expect(secretOf("REDIS_URL")).toContain(`:${secretOf("REDIS_PASSWORD")}@redis`);
});

test("the health check of a node asks whether it is ready", async () => {
  const node = await startNode();
  opened({ close: () => node.stop() });
  const [, program, ...words] = services["signalbox-a"].healthcheck.test;
  expect(program).toBe("node");
  const check = (url: string) =>
    run(
      process.execPath,
      words.map((word: string) => word.replace("http://127.0.0.1:4000", url)),
    );
  await check(node.baseUrl);
  await expect(check(`${node.baseUrl}/none`)).rejects.toThrow();
  await expect(check(`http://127.0.0.1:${await freePort()}`)).rejects.toThrow();
});

test("Redis keeps what the service promises", async () => {
  const port = await freePort();
  const [shell, option, script] = services.redis.command;
  const server = Server.start(shell, [
    option,
    script
      .replaceAll("$$", "$")
      .replace("/run/secrets", join(folder, "compose/secrets"))
      .replace("--dir /data", `--dir ${folder} --port ${port} --bind 127.0.0.1`),
  ]);
  opened({ close: () => server.stop() });
  const config = configOf("signalbox-a");
  const url = secretOf("REDIS_URL").replace("@redis", `@127.0.0.1:${port}`);
  await server.ready(async () => {
    const findings = await checkRedis({ ...config, REDIS_URL: url });
    const problems = findings.filter(({ status }) => status !== "ok");
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
  });
});

test("coturn accepts the credentials of the service", async () => {
  const port = await freePort();
  const server = Server.start("env", [
    `TURN_SECRET_FILE=${join(folder, "compose/secrets/TURN_SECRET")}`,
    "REALM=signalbox.example",
    "PUBLIC_ADDRESS=127.0.0.1",
    ...services.coturn.entrypoint.map((word: string) =>
      word.replace("/etc/coturn", join(folder, "coturn")),
    ),
    ...["--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--listening-port", `${port}`],
  ]);
  opened({ close: () => server.stop() });
  const config = configOf("signalbox-a", { TURN_URLS: `turn:127.0.0.1:${port}?transport=udp` });
  await server.ready(async () => {
    const statuses = (await checkTurn(config)).map(({ status }) => status);
    if (statuses.join() !== "ok") throw new Error(statuses.join());
  });
});

test("Janus starts with the secrets of the service", async () => {
  await needInterface();
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(folder, "janus/janus.transport.websockets.jcfg");
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replace("ws_port = 8188", `ws_port = ${port}`)
      .replace("admin_ws_port = 7188", `admin_ws_port = ${adminPort}`),
  );
  const { PUBLIC_ADDRESS, RTP_PORTS } = services.janus.environment;
  const secrets = ["JANUS_API_SECRET", "JANUS_ADMIN_KEY", "JANUS_ADMIN_SECRET"].map(
    (name) => `${name}_FILE=${join(folder, "compose/secrets", name)}`,
  );
  const settings = [`PUBLIC_ADDRESS=${PUBLIC_ADDRESS}`, `RTP_PORTS=${RTP_PORTS}`];
  const server = Server.start("env", [...secrets, ...settings, "sh", join(folder, "janus/start")]);
  opened({ close: () => server.stop("SIGKILL") });
  const config = configOf("signalbox-a", {
    JANUS_URL: `ws://127.0.0.1:${port}`,
    JANUS_ADMIN_URL: `ws://127.0.0.1:${adminPort}`,
  });
  await server.ready(async () => {
    const findings = await checkMediaServer(config);
    if (findings.some(({ status }) => status !== "ok")) throw new Error(JSON.stringify(findings));
  });
});

describe("Caddy", () => {
  /** Starts Caddy with the file of deploy/, in front of one node and of one that has stopped. */
  async function startCaddy(variables: Record<string, string> = {}) {
    const node = await startNode({ TRUST_PROXY: "127.0.0.1", ...variables });
    opened({ close: () => node.stop() });
    const [httpsPort, httpPort, stopped] = [await freePort(), await freePort(), await freePort()];
    const nodePort = new URL(node.baseUrl).port;
    const options = `{\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tadmin off\n\tskip_install_trust\n}\n`;
    const file = join(folder, "Caddyfile");
    const text = readFileSync(join(folder, "compose/Caddyfile"), "utf8");
    writeFileSync(
      file,
      options +
        text
          .replaceAll("signalbox-a:4000", `127.0.0.1:${stopped}`)
          .replaceAll("signalbox-b:4000", `127.0.0.1:${nodePort}`),
    );
    const server = Server.start("env", [
      "DOMAIN=localhost",
      `XDG_DATA_HOME=${folder}`,
      `XDG_CONFIG_HOME=${folder}`,
      findProgram("caddy", "caddy"),
      ...["run", "--adapter", "caddyfile", "--config", file],
    ]);
    opened({ close: () => server.stop("SIGTERM") });
    // The certificate is of Caddy's own authority.
    const agent = new Agent({ rejectUnauthorized: false });
    const get = (path: string, headers: Record<string, string> = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ port: httpsPort, host: "localhost", path, headers, agent }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .once("error", reject)
          .end();
      });
    await server.ready(() => get("/healthz"));
    return { get, httpsPort };
  }

  it("goes to the next node if one has stopped, and hides what is private", async () => {
    const { get, httpsPort } = await startCaddy({ METRICS_TOKEN: "token-of-the-test" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get("/readyz")));
    expect(new Set(answers)).toEqual(new Set([200]));
    for (const path of ["/metrics", "/%6detrics", "/chat/sign-in"]) {
      expect(await get(path, { Authorization: "Bearer token-of-the-test" })).toBe(404);
    }
    const graphqlUrl = `https://localhost:${httpsPort}/graphql`;
    const socket = await connectSocket({ graphqlUrl }, { rejectUnauthorized: false });
    await socket.close();
  });

  it("replaces what a client claims as its address", async () => {
    const { get } = await startCaddy({ RATE_REQUESTS_PER_IP: "3" });
    const answers: (number | undefined)[] = [];
    for (let index = 1; index <= 5; index++) {
      answers.push(await get("/session", { "X-Forwarded-For": `192.0.2.${index}` }));
    }
    expect(answers).toEqual([401, 401, 401, 429, 429]);
  });
});
