import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Credentials } from "../../../src/domain/push/credentials/credentials";
import { CHECK_UNAVAILABLE } from "../../../src/domain/push/providers/port/provider";
import { ownersEnvironment, runCommand } from "../../support/cli/command-line";
import { startNode, type TestNode } from "../../support/node";
import { certificateFor, p8, serviceAccount, vapidPair } from "../../support/push/push-credentials";

const DAY = 24 * 60 * 60 * 1000;
const KEY = p8();
const ACCOUNT = serviceAccount();
const APP = certificateFor(
  "com.example.shop",
  new Date(Date.now() - DAY),
  new Date(Date.now() + DAY),
);
const SCOPE = ["--app", "1", "--environment", "development"];

let node: TestNode;
let folder: string;
const asked: Credentials[] = [];
let says: string | null = null;

beforeAll(async () => {
  const checkCredentials = async (credentials: Credentials) => {
    asked.push(credentials);
    return says;
  };
  node = await startNode({}, { checkCredentials });
  folder = await mkdtemp(join(tmpdir(), "signalbox-push-"));
});
beforeEach(() => {
  asked.length = 0;
  says = null;
});
afterAll(async () => {
  await node.stop();
  await rm(folder, { recursive: true });
});

/** Runs a push command and checks that its output contains no secret. */
async function push(words: string[], input?: string) {
  const ended = await runCommand(words, ownersEnvironment(node), input);
  expect(ended.out + ended.err).not.toMatch(/PRIVATE|\n +at /);
  return ended;
}

/** Runs a push command that must succeed, and returns its JSON output. */
async function answered(words: string[], input?: string) {
  const { code, out, err } = await push(["--json", "push", ...words], input);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

/** Writes a text to a file and returns `@FILE`. */
async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return `@${path}`;
}

it("sets an APNs key from its file, shows it and checks it again", async () => {
  const key = ["--key", await file("AuthKey.p8", KEY), "--key-id", "ABC1234567"];
  const team = ["--team-id", "TEAM123456", "--bundle-id", "com.example.shop"];
  const address = ["--base-url", "https://127.0.0.1:1", "--ca", await file("ca", APP.certificate)];
  const set = await answered(["set-apns", ...SCOPE, ...key, ...team, ...address]);
  const shown = { keyId: "ABC1234567", teamId: "TEAM123456", bundleId: "com.example.shop" };
  expect(set).toMatchObject({
    credentials: { environment: "DEVELOPMENT", apns: { kind: "TOKEN", ...shown } },
    warning: null,
  });
  expect(asked).toMatchObject([{ key: KEY, baseUrl: "https://127.0.0.1:1" }]);
  const table = (await push(["push", "show", ...SCOPE])).out;
  expect(table).toMatch(/^environment +DEVELOPMENT\napns\.kind +TOKEN\n/);
  expect(table).toMatch(/\napns\.keyId +ABC1234567\n[\s\S]*\nfcm +-\n/);

  says = "ExpiredProviderToken";
  expect((await push(["push", "check", ...SCOPE])).out).toBe(
    [
      `service  outcome  reason                message`,
      `APNS     REFUSED  ExpiredProviderToken  Apple's push service refuses the credentials: ExpiredProviderToken.\n`,
    ].join("\n"),
  );
});

it("sets a certificate, a service account, and a key pair, each from its file or standard input", async () => {
  const pem = await file("push.pem", APP.certificate + APP.privateKey);
  expect(await answered(["set-apns-certificate", ...SCOPE, "--certificate", pem])).toMatchObject({
    credentials: { apns: { kind: "CERTIFICATE", bundleId: "com.example.shop" } },
  });
  const account = JSON.stringify(ACCOUNT, null, 2);
  const fcm = await answered(["set-fcm", ...SCOPE, "--service-account", "-"], account);
  expect(fcm.credentials.fcm.clientEmail).toBe(ACCOUNT.client_email);

  says = `${CHECK_UNAVAILABLE}: no answer`;
  const subject = ["--subject", "mailto:push@shop.example"];
  const made = await answered(["set-web", ...SCOPE, ...subject, "--generate", "true"]);
  expect(made.warning).toMatch(/no answer/);
  const { publicKey, privateKey } = vapidPair();
  const key = ["--private-key", await file("vapid", `${privateKey}\n`)];
  const { credentials } = await answered(["set-web", ...SCOPE, ...subject, ...key]);
  expect(credentials.web.publicKey).toBe(publicKey);
  expect(asked.map(({ service }) => service)).toEqual(["apns", "fcm", "web", "web"]);
});

it("reports refused values, and clears credentials", async () => {
  const wrong = await push([
    "push",
    "set-fcm",
    ...SCOPE,
    "--service-account",
    await file("google-services.json", '{"project_info":{}}'),
  ]);
  expect([wrong.code, wrong.out, wrong.err]).toEqual([
    1,
    "",
    expect.stringMatching(/^--service-account is not a service account key: .*\n$/),
  ]);
  const elsewhere = await push(["push", "show", "--app", "1", "--environment", "staging"]);
  expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringMatching(/environment/)]);
  const clear = ["clear", ...SCOPE, "--service"];
  expect(await answered([...clear, "web"])).toEqual({ cleared: true });
  expect(await answered([...clear, "web"])).toEqual({ cleared: false });
});
