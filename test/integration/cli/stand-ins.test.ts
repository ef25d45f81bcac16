import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { Agent as SecureAgent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as dialSecure } from "node:tls";
import { Provider as ApnClient, Notification } from "apn";
import { type App, deleteApp, initializeApp } from "firebase-admin/app";
import { getMessaging } from "firebase-admin/messaging";
import { sendNotification } from "web-push";
import type { ApnsPush } from "../../../src/domain/push/payload/push-payload";
import { openProvider } from "../../../src/domain/push/providers/open-provider";
import { Connector } from "../../../src/platform/network/connector";
import { FILES } from "../../../tools/stand-ins/files";
import { type StandIns, startStandIns } from "../../../tools/stand-ins/start";
import {
  loadStandInKeys,
  newStandInKeys,
  type StandInKeys,
} from "../../../tools/stand-ins/stored-keys";
import { eventually } from "../../support/moving-clock";
import { targetOf } from "../../support/push/provider-fixture";
import { targetIn } from "../../support/push/web-push-fixture";

/** The stand-ins of push services, also tested with third-party clients of the real services. */

const ANYWHERE = { host: "127.0.0.1", apnsPort: 0, fcmPort: 0, webPort: 0 };
const ALLOWED = { connector: new Connector({ allowPrivate: true }) };
let keys: StandInKeys;
let standIns: StandIns;

beforeAll(async () => {
  keys = newStandInKeys();
  standIns = await startStandIns(keys, ANYWHERE);
});
afterAll(async () => {
  await standIns?.close();
});

describe("third-party clients", () => {
  test("apn works with the APNs stand-in, by token and by certificate", async () => {
    const { apns, apnsCertificate } = standIns.credentials;
    const { hostname, port } = new URL(apns.baseUrl!);
    const server = { address: hostname, port: Number(port), ca: [apns.ca!] };
    const { key, keyId, teamId, bundleId } = apns;
    const credentials = [
      { token: { key, keyId, teamId } },
      { cert: apnsCertificate.certificate, key: apnsCertificate.privateKey },
    ];
    for (const credential of credentials) {
      const client = new ApnClient({ ...credential, ...server, connectionRetryLimit: 0 });
      try {
        const note = new Notification({ topic: bundleId, pushType: "alert", alert: "Hello" });
        const gone = `00000410${"a".repeat(56)}`;
        const { sent, failed } = await client.send(note, [standIns.devices.apns, gone]);
        expect(sent.map(({ device }) => device)).toEqual([standIns.devices.apns]);
        expect(failed).toMatchObject([
          { device: gone, status: 410, response: { reason: "Unregistered" } },
        ]);
      } finally {
        await new Promise<void>((resolve) => void client.shutdown(resolve));
      }
    }
  });

  test("firebase-admin works with the FCM stand-in, and recognizes its errors", async () => {
    const { fcm } = standIns.credentials;
    const { hostname, port } = new URL(fcm.baseUrl!);
    // The package uses Google's URLs; the agent redirects them to the stand-in.
    const agent = new SecureAgent();
    agent.createConnection = () =>
      dialSecure({ host: hostname, port: Number(port), servername: "localhost", ca: fcm.ca });
    const token = JSON.parse(standIns.fcm.tokens.grant().body!);
    const credential = { getAccessToken: async () => token };
    const app: App = initializeApp({ credential, projectId: fcm.projectId, httpAgent: agent });
    try {
      const messaging = getMessaging(app);
      const message = { data: { a: "b" }, android: { ttl: 60_000, priority: "high" as const } };
      const name = await messaging.send({ ...message, token: standIns.devices.fcm });
      expect(name).toMatch(/^projects\/stand-in\/messages\//);
      expect(standIns.fcm.received.items.at(-1)).toMatchObject({ status: 200, reason: null });
      const codeOf = (device: string, more = {}) =>
        messaging.send({ ...message, ...more, token: device }).then(
          () => "none",
          (error: { code: string }) => error.code,
        );
      expect(await codeOf("code-0410-phone")).toBe("messaging/registration-token-not-registered");
      expect(await codeOf("code-0403-phone")).toBe("messaging/mismatched-credential");
      expect(await codeOf("code-0429-phone")).toBe("messaging/message-rate-exceeded");
      expect(await codeOf("no token")).toBe("messaging/invalid-argument");
      standIns.fcm.tokens.revoke();
      expect(await codeOf(standIns.devices.fcm)).toBe("messaging/third-party-auth-error");
    } finally {
      await deleteApp(app);
    }
  });

  test("web-push works with the Web Push stand-in, which decrypts its messages", async () => {
    const { web } = standIns.credentials;
    const { endpoint, auth, p256dh } = standIns.devices.web;
    const send = (to: string, vapid = web) =>
      sendNotification({ endpoint: to, keys: { auth, p256dh } }, "Grüße", {
        vapidDetails: vapid,
        TTL: 60,
        topic: "greeting",
        contentEncoding: "aes128gcm",
        agent: new SecureAgent({ ca: web.ca }),
      }).then(
        ({ statusCode }) => statusCode,
        ({ statusCode }: { statusCode: number }) => statusCode,
      );
    expect(await send(endpoint)).toBe(201);
    expect(standIns.web.received.items.at(-1)).toMatchObject({ device: "browser", text: "Grüße" });
    expect(await send(`${standIns.web.url}/push/code-0410`)).toBe(410);
    const forged = { ...web, ...newStandInKeys().web };
    expect(await send(endpoint, forged)).toBe(403);
  });
});

describe("a device's token can choose the outcome of its pushes", () => {
  const CASES = [
    ["0410", "unregistered"],
    ["0400", "unregistered"],
    ["0403", "failed"],
    ["0413", "failed"],
    ["0429", "retry"],
    ["0500", "retry"],
    ["0503", "retry"],
    ["a001", "accepted"],
    ["a002", "retry"],
    ["a003", "accepted"],
    ["a004", "retry"],
  ] as const;
  const SERVICES = ["apns", "fcm", "web"] as const;
  type Service = (typeof SERVICES)[number];
  const options = { ...ALLOWED, timeoutMs: 5000 };

  async function outcomesOf(service: Service) {
    const provider = openProvider(standIns.credentials[service], "development", options);
    const push = {
      apns: { channel: "apns", payload: "{}", pushType: "alert", priority: 10, expiration: null },
      fcm: { channel: "gcm", message: { data: {} } },
      web: { channel: "web", payload: "{}", ttl: 60 },
    } as const;
    const target = (code: string) => {
      if (service === "apns") return targetOf(`0000${code}${"b".repeat(56)}`);
      if (service === "fcm") return targetOf(`code-${code}-phone`);
      return targetIn({
        ...standIns.devices.web,
        endpoint: `${standIns.web.url}/push/code-${code}`,
      });
    };
    try {
      const kinds = [];
      // Sequential, because a closed connection aborts its other requests.
      for (const [code] of CASES) {
        kinds.push([code, (await provider.send(push[service], target(code))).kind]);
      }
      return kinds;
    } finally {
      await provider.close();
    }
  }

  const outcomes = new Map<Service, string[][]>();
  // At once: some pushes wait for an answer until the timeout.
  beforeAll(() =>
    Promise.all(SERVICES.map(async (service) => outcomes.set(service, await outcomesOf(service)))),
  );

  test.each(SERVICES)("of %s", (service) => {
    // Web Push services answer 400 without a reason.
    const expected = CASES.map(([code, kind]) =>
      code === "0400" && service === "web" ? [code, "failed"] : [code, kind],
    );
    expect(outcomes.get(service)).toEqual(expected);
  });
});

describe("npm run stand-ins", () => {
  let dataDir: string;
  /** The default folder. */
  let folder: string;
  let child: ChildProcess | undefined;
  let output = "";

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "stand-ins-"));
    folder = join(dataDir, "stand-ins");
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await rm(dataDir, { recursive: true });
  });

  const root = join(__dirname, "../../..");
  async function run(...options: string[]): Promise<void> {
    output = "";
    child = spawn(
      process.execPath,
      [
        "-r",
        join(root, "tools/run-typescript.js"),
        join(root, "scripts/stand-ins.ts"),
        "--apns-port",
        "0",
        "--fcm-port",
        "0",
        "--web-port",
        "0",
        ...options,
      ],
      {
        // Where there is no .env.
        cwd: dataDir,
        stdio: ["ignore", "pipe", "inherit"],
        env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      },
    );
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
    await eventually(
      () => output,
      (text) =>
        text.includes("Stand-ins for the push services are ready") || child?.exitCode !== null,
    );
  }
  async function end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => child?.once("exit", resolve));
    child?.kill("SIGTERM");
    return ended;
  }
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8"));

  test("prints one line per notification, and accepts the credentials that it wrote", async () => {
    await run();
    const [apns, web, devices] = await Promise.all(
      [FILES.apns, FILES.web, FILES.devices].map(read),
    );
    const alert: ApnsPush = {
      channel: "apns",
      pushType: "alert",
      priority: 10,
      expiration: null,
      payload: '{"aps":{"alert":"Hello\\nthere"}}',
    };
    const apple = openProvider(apns, "development", ALLOWED);
    const browsers = openProvider(web, "development", ALLOWED);
    try {
      expect(await apple.check()).toBeNull();
      expect(await apple.send(alert, targetOf(devices.apns))).toMatchObject({ kind: "accepted" });
      await apple.send(alert, targetOf(`00000410${"c".repeat(56)}`));
      const message = { channel: "web", payload: '{"message":"Hi"}', ttl: 60 } as const;
      expect(await browsers.send(message, targetIn(devices.web))).toMatchObject({
        kind: "accepted",
      });
    } finally {
      await Promise.all([apple.close(), browsers.close()]);
    }
    const lines = await eventually(
      () => output.split("\n").filter((line) => /^\d\d:\d\d:\d\d {2}/.test(line)),
      (found) => found.length >= 4,
    );
    const short = `${devices.apns.slice(0, 12)}…${devices.apns.slice(-4)}`;
    expect(lines.map((line) => line.slice(10))).toEqual([
      expect.stringMatching(/^APNs {2}400 .* ← BadDeviceToken$/),
      `APNs  200  ${short}  com.example.app  alert  ${alert.payload}`,
      `APNs  410  00000410cccc…cccc  com.example.app  alert  ${alert.payload}  ← Unregistered`,
      'Web   201  browser  ttl 60  {"message":"Hi"}',
    ]);
    expect(await end()).toBe(0);
  });

  test("keeps its keys across starts, in private files", async () => {
    await run("--quiet");
    const names = Object.values(FILES);
    const before = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    for (const name of [...names, "keys.json"]) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    const account = await read(FILES.fcm);
    expect(account).toMatchObject({ type: "service_account", project_id: "stand-in" });
    expect(account.token_uri).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/token$/);
    await end();
    await run("--quiet", "--folder", folder);
    const after = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    // Each start picks free ports.
    const settled = (texts: string[]) => texts.map((text) => text.replace(/127\.0\.0\.1:\d+/g, ""));
    expect(settled(after)).toEqual(settled(before));
    await end();
  });

  test("reports invalid options", async () => {
    await run("--apns-port", "many");
    expect(child?.exitCode).toBe(1);
  });
});

test("a folder keeps the keys of its first start", async () => {
  const folder = await mkdtemp(join(tmpdir(), "stand-ins-"));
  try {
    expect(loadStandInKeys(folder)).toEqual(loadStandInKeys(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
});
