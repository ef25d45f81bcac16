import { createECDH, X509Certificate } from "node:crypto";
import { openLog } from "../../../src/core/log";
import {
  type CheckCredentials,
  credentialCheckWith,
} from "../../../src/domain/push/credentials/check-credentials";
import { CHECK_UNAVAILABLE, type Provider } from "../../../src/domain/push/providers/port/provider";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { HOSTILE, LEAKS } from "../../../tools/hostile-values";
import { SAMPLED, sampleFor } from "../../support/exhaustive";
import { HTTP_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  certificateFor,
  encryptedKey,
  p8,
  rsaKey,
  serviceAccount,
  vapidPair,
} from "../../support/push/push-credentials";
import { applicationToken, newUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const SHOWN = `environment
  apns { kind bundleId keyId teamId certificateSubject certificateValidUntil baseUrl ca updatedAt }
  fcm { projectId clientEmail privateKeyId tokenUrl baseUrl ca updatedAt }
  web { publicKey subject ca updatedAt }`;
const SET = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { credentials { ${SHOWN} } warning } }`;
const CLEAR = `mutation ($input: ClearPushCredentialsInput!) {
  clearPushCredentials(input: $input) { cleared credentials { ${SHOWN} } } }`;
const CHECK = `mutation ($input: CheckPushCredentialsInput!) {
  checkPushCredentials(input: $input) { checks { service outcome reason } } }`;
const SHOW = `query ($id: ID!) { application(id: $id) {
  development: pushCredentials(environment: DEVELOPMENT) { ${SHOWN} }
  production: pushCredentials(environment: PRODUCTION) { ${SHOWN} } } }`;
const KEY = "query ($environment: PushEnvironment!) { webPushKey(environment: $environment) }";

const DAY = 24 * 60 * 60 * 1000;
const BUNDLE = "com.example.shop";
const NOTHING = { apns: null, fcm: null, web: null };
const KEYS = {
  p8: p8(),
  account: serviceAccount(),
  ca: "",
  ...certificateFor(BUNDLE, new Date(Date.now() - DAY), new Date(Date.now() + 300 * DAY)),
};
KEYS.ca = certificateFor("authority", new Date(0), new Date(Date.now() + DAY)).certificate;
const TOKEN = { key: KEYS.p8, keyId: "ABC1234567", teamId: "TEAM123456", bundleId: BUNDLE };
const SUBJECT = "mailto:push@shop.example";

const clock = new MovingClock();
const lines: string[] = [];
/** Every response in this file. */
const answers: string[] = [];
/** Credentials that were checked with a service, and the service's scripted result. */
const asked: Array<Parameters<CheckCredentials>> = [];
let service: () => Promise<string | null>;

let node: TestNode;
let owner: string;
let applicationId: string;
beforeAll(async () => {
  const log = openLog("trace", { write: (line) => void lines.push(line) });
  const checkCredentials: CheckCredentials = (...parameters) => {
    asked.push(parameters);
    return service();
  };
  const environment = { LOG_LEVEL: "trace", PROVIDER_TIMEOUT_MS: "300" };
  node = await startNode(environment, { clock, log, checkCredentials });
  owner = await ownerToken(node);
  applicationId = String(node.application.id);
});
beforeEach(async () => {
  asked.length = 0;
  service = async () => null;
  for (const each of ["APNS", "FCM", "WEB"]) {
    for (const environment of ["DEVELOPMENT", "PRODUCTION"]) {
      await run(CLEAR, { input: { applicationId, environment, service: each } });
    }
  }
});
afterAll(() => node.stop());

async function run(document: string, variables: Record<string, unknown>, token = owner) {
  const answer = await graphql(node, document, variables, token);
  answers.push(JSON.stringify(answer));
  return answer;
}

/** Sets valid credentials. */
async function set(input: object, environment = "DEVELOPMENT") {
  const answer = await run(SET, { input: { applicationId, environment, ...input } });
  expect(answer.errors).toBeUndefined();
  return answer.data.setPushCredentials;
}

/** Sets invalid credentials, and returns the refused field with the reason. */
async function refused(input: object): Promise<[string, string]> {
  const environment = "DEVELOPMENT";
  const { errors, data } = await run(SET, { input: { applicationId, environment, ...input } });
  expect([data ?? null, errors?.[0].extensions.code]).toEqual([null, "INVALID"]);
  const [[field, messages]] = Object.entries<string[]>(errors?.[0].extensions.fields) as [
    [string, string[]],
  ];
  return [field, messages.join()];
}

const rows = () =>
  node.sql<{ id: number; service: string; settings: object; secret: string }>(
    "SELECT id, service::text, settings, secret FROM push_credentials ORDER BY id",
  );
const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

describe("Apple's push service", () => {
  it("accepts a key, and returns everything except the key", async () => {
    const expected = {
      kind: "TOKEN",
      bundleId: BUNDLE,
      keyId: "ABC1234567",
      teamId: "TEAM123456",
      certificateSubject: null,
      certificateValidUntil: null,
      updatedAt: stamp,
    };
    expect(await set({ apns: TOKEN })).toEqual({
      credentials: {
        ...NOTHING,
        environment: "DEVELOPMENT",
        apns: { ...expected, baseUrl: null, ca: null },
      },
      warning: null,
    });
    const address = { baseUrl: "https://127.0.0.1:8443/", ca: `${KEYS.ca}\n` };
    const { credentials } = await set({ apns: { ...TOKEN, ...address } });
    expect(credentials.apns).toEqual({
      ...expected,
      baseUrl: "https://127.0.0.1:8443",
      ca: new X509Certificate(KEYS.ca).toString(),
    });
    expect(asked.map(([given, environment]) => [given, environment])).toEqual([
      [{ service: "apns", kind: "token", ...TOKEN }, "development"],
      [expect.objectContaining({ baseUrl: "https://127.0.0.1:8443" }), "development"],
    ]);
    expect(await rows()).toHaveLength(1);
  });

  it.each([
    ["in two texts", { certificate: KEYS.certificate, privateKey: KEYS.privateKey }],
    ["in one", { certificate: `Bag Attributes\n${KEYS.privateKey}\n${KEYS.certificate}` }],
    ["behind its authority's", { certificate: KEYS.ca + KEYS.certificate + KEYS.privateKey }],
  ])("accepts a certificate and its key %s", async (_name, given) => {
    const { credentials } = await set({ apns: given }, "PRODUCTION");
    expect(credentials).toMatchObject({
      environment: "PRODUCTION",
      apns: {
        kind: "CERTIFICATE",
        bundleId: BUNDLE,
        keyId: null,
        teamId: null,
        certificateSubject: `UID=${BUNDLE}, CN=Apple Push Services: ${BUNDLE}`,
        certificateValidUntil: stamp,
      },
    });
    expect(asked[0]).toEqual([
      {
        service: "apns",
        kind: "certificate",
        bundleId: BUNDLE,
        certificate: expect.stringContaining(new X509Certificate(KEYS.certificate).toString()),
        privateKey: KEYS.privateKey,
      },
      "production",
    ]);
    expect(JSON.stringify((await rows())[0]?.settings)).not.toContain("PRIVATE");
  });

  it.each([
    ["apns.key", { ...TOKEN, key: "no key" }, /PEM/],
    ["apns.key", { ...TOKEN, key: p8("P-384") }, /P-256/],
    ["apns.key", { ...TOKEN, key: rsaKey() }, /P-256/],
    ["apns.key", { ...TOKEN, key: "x".repeat(70_000) }, /too long/],
    ["apns.key", { ...TOKEN, key: null }, /required/],
    ["apns.keyId", { ...TOKEN, keyId: "abc" }, /10/],
    ["apns.keyId", { ...TOKEN, keyId: undefined }, /required/],
    ["apns.teamId", { ...TOKEN, teamId: "TEAM-12345" }, /10/],
    ["apns.bundleId", { ...TOKEN, bundleId: "com example" }, /letters/],
    ["apns.bundleId", { ...TOKEN, bundleId: "" }, /required/],
    ["apns.baseUrl", { ...TOKEN, baseUrl: "ftp://127.0.0.1" }, /http/],
    ["apns.baseUrl", { ...TOKEN, baseUrl: "https://user:word@example.com" }, /http/],
    ["apns.ca", { ...TOKEN, ca: "no certificate" }, /PEM/],
    ["apns.ca", { ...TOKEN, ca: KEYS.ca.replace(/M/g, "A") }, /PEM/],
    ["apns.certificate", { ...TOKEN, certificate: KEYS.certificate }, /combined/],
    ["apns.certificate", { privateKey: KEYS.privateKey }, /required/],
    ["apns.certificate", { certificate: KEYS.privateKey }, /PEM/],
    ["apns.privateKey", { certificate: KEYS.certificate }, /required/],
    ["apns.privateKey", { certificate: KEYS.certificate, privateKey: rsaKey() }, /match/],
    [
      "apns.privateKey",
      { certificate: KEYS.certificate, privateKey: encryptedKey("w") },
      /openssl/,
    ],
    ["apns.privateKey", { certificate: KEYS.certificate, privateKey: rsaKey(1024) }, /2048/],
    [
      "apns.bundleId",
      { certificate: KEYS.certificate, privateKey: KEYS.privateKey, bundleId: "com.other" },
      /com\.example\.shop/,
    ],
    ["apns.key", {}, /required/],
  ])("refuses a wrong %s (%#)", async (field, apns, reason) => {
    expect(await refused({ apns })).toEqual([field, expect.stringMatching(reason)]);
    expect([asked, await rows()]).toEqual([[], []]);
  });

  it("refuses a certificate that is expired or not yet valid", async () => {
    const at = (days: number) => new Date(clock.now() + days * DAY);
    expect(await refused({ apns: certificateFor(BUNDLE, at(1), at(2)) })).toEqual([
      "apns.certificate",
      expect.stringMatching(/not valid before/),
    ]);
    expect(await refused({ apns: certificateFor(BUNDLE, at(-2), at(-1)) })).toEqual([
      "apns.certificate",
      expect.stringMatching(/expired on/),
    ]);
  });
});

describe("Firebase Cloud Messaging", () => {
  it.each([
    ["text", JSON.stringify(KEYS.account, null, 2)],
    ["an object", KEYS.account],
  ])("accepts a service account key as %s, and returns everything except the key", async (_name, file) => {
    const address = { baseUrl: "http://127.0.0.1:8080", ca: KEYS.ca };
    const { credentials, warning } = await set({ fcm: { serviceAccount: file, ...address } });
    expect([credentials.fcm, warning]).toEqual([
      {
        projectId: KEYS.account.project_id,
        clientEmail: KEYS.account.client_email,
        privateKeyId: KEYS.account.private_key_id,
        tokenUrl: KEYS.account.token_uri,
        baseUrl: "http://127.0.0.1:8080",
        ca: new X509Certificate(KEYS.ca).toString(),
        updatedAt: stamp,
      },
      null,
    ]);
    expect(asked[0]?.[0]).toMatchObject({ service: "fcm", privateKey: KEYS.account.private_key });
  });

  it("accepts a key without token_uri and private_key_id", async () => {
    const file = { ...KEYS.account, token_uri: undefined, private_key_id: undefined };
    const { credentials } = await set({ fcm: { serviceAccount: file } });
    expect(credentials.fcm).toMatchObject({ tokenUrl: null, privateKeyId: null });
  });

  it.each([
    ["no JSON", "no JSON", /JSON file/],
    ["a list", [], /JSON file/],
    ["nothing", "", /required/],
    ["far too much", `"${"x".repeat(20_000)}"`, /too long/],
    ["the file for apps", { project_info: { project_id: "x" } }, /Service accounts/],
    ["no key", { ...KEYS.account, private_key: undefined }, /Service accounts/],
    ["another type", { ...KEYS.account, type: "authorized_user" }, /no valid type/],
    ["no project_id", { ...KEYS.account, project_id: "a/b" }, /no valid project_id/],
    ["no client_email", { ...KEYS.account, client_email: undefined }, /no valid client_email/],
    ["a broken key", { ...KEYS.account, private_key: "no key" }, /PEM/],
    ["a key of another kind", { ...KEYS.account, private_key: KEYS.p8 }, /RSA/],
    ["a token_uri that is none", { ...KEYS.account, token_uri: "nowhere" }, /http/],
  ])("refuses a service account key with %s", async (_name, file, reason) => {
    expect(await refused({ fcm: { serviceAccount: file } })).toEqual([
      "fcm.serviceAccount",
      expect.stringMatching(reason),
    ]);
    expect([asked, await rows()]).toEqual([[], []]);
  });

  it("refuses a wrong address", async () => {
    const input = { serviceAccount: KEYS.account, baseUrl: "file:///x" };
    expect((await refused({ fcm: input }))[0]).toBe("fcm.baseUrl");
  });
});

describe("browser push services", () => {
  const PAIR = vapidPair();

  it("accept a key pair or only the private key, and return everything else", async () => {
    const expected = { publicKey: PAIR.publicKey, subject: SUBJECT, ca: null, updatedAt: stamp };
    const { credentials, warning } = await set({ web: { ...PAIR, subject: SUBJECT } });
    expect([credentials.web, warning]).toEqual([expected, null]);
    const { privateKey } = PAIR;
    const padded = `${privateKey.replaceAll("-", "+").replaceAll("_", "/")}=`;
    const again = await set({ web: { privateKey: padded, subject: SUBJECT } });
    expect([again.credentials.web, again.warning]).toEqual([expected, null]);
    expect(asked[1]?.[0]).toEqual({ service: "web", ...PAIR, subject: SUBJECT });
  });

  it("accept a generated key pair, which clients of the application can query", async () => {
    const { credentials, warning } = await set(
      { web: { generate: true, subject: "https://shop.example/contact", ca: KEYS.ca } },
      "PRODUCTION",
    );
    const { publicKey } = credentials.web;
    expect([credentials.environment, warning]).toEqual(["PRODUCTION", null]);
    expect(Buffer.from(publicKey, "base64url")).toHaveLength(65);
    const given = asked[0]?.[0];
    const curve = createECDH("prime256v1");
    curve.setPrivateKey(given?.service === "web" ? given.privateKey : "", "base64url");
    expect(curve.getPublicKey("base64url")).toBe(publicKey);

    for (const token of [await applicationToken(node), (await newUser(node)).token]) {
      const environment = (name: string) => run(KEY, { environment: name }, token);
      expect((await environment("PRODUCTION")).data).toEqual({ webPushKey: publicKey });
      expect((await environment("DEVELOPMENT")).data).toEqual({ webPushKey: null });
    }
  });

  it.each([
    "mailto:push@bücher.example",
    "mailto:a@shop.xn--p1ai",
    "https://shop.example:8443/",
  ])("accept the contact %s", async (subject) => {
    expect((await set({ web: { ...PAIR, subject } })).credentials.web.subject).toBe(subject);
  });

  it("apply a new key immediately, with a warning that browsers must subscribe again", async () => {
    const token = await applicationToken(node);
    await set({ web: { ...PAIR, subject: SUBJECT } });
    const key = async () => (await run(KEY, { environment: "DEVELOPMENT" }, token)).data.webPushKey;
    expect(await key()).toBe(PAIR.publicKey);
    const { credentials, warning } = await set({ web: { generate: true, subject: SUBJECT } });
    expect(warning).toMatch(/public key has changed/);
    expect(await key()).toBe(credentials.web.publicKey);
    await run(CLEAR, { input: { applicationId, environment: "DEVELOPMENT", service: "WEB" } });
    expect(await key()).toBeNull();
  });

  it.each([
    ["web.privateKey", { publicKey: PAIR.publicKey, subject: SUBJECT }, /required/],
    ["web.privateKey", { privateKey: "short", subject: SUBJECT }, /32 bytes/],
    ["web.privateKey", { privateKey: PAIR.publicKey, subject: SUBJECT }, /32 bytes/],
    ["web.privateKey", { privateKey: "A".repeat(43), subject: SUBJECT }, /not a key/],
    ["web.privateKey", { privateKey: "_".repeat(43), subject: SUBJECT }, /not a key/],
    ["web.publicKey", { ...PAIR, publicKey: PAIR.privateKey, subject: SUBJECT }, /65 bytes/],
    ["web.publicKey", { ...PAIR, publicKey: vapidPair().publicKey, subject: SUBJECT }, /match/],
    ["web.generate", { ...PAIR, generate: true, subject: SUBJECT }, /combined/],
    ["web.subject", { ...PAIR, subject: "" }, /required/],
    ["web.subject", { ...PAIR, subject: "push@shop.example" }, /mailto/],
    ["web.subject", { ...PAIR, subject: "mailto: <push@shop.example>" }, /mailto/],
    ["web.subject", { ...PAIR, subject: "http://shop.example" }, /https/],
    ["web.subject", { ...PAIR, subject: `https://${"x".repeat(300)}` }, /too long/],
    ...[
      ...["mailto:push@localhost", "mailto:a@b", "mailto:a@10.0.0.1", "mailto:a@[::1]"],
      ...["mailto:a@shop.local", "mailto:a@shop..com", "mailto:a@.com", "mailto:a@shop.c"],
      ...["https://127.0.0.1", "https://[::1]/", "https://push", "https://a.internal/contact"],
    ].map((subject): [string, object, RegExp] => [
      "web.subject",
      { ...PAIR, subject },
      /must name a public domain/,
    ]),
    ["web.ca", { ...PAIR, subject: SUBJECT, ca: "-" }, /PEM/],
  ])("refuse a wrong %s (%#)", async (field, web, reason) => {
    expect(await refused({ web })).toEqual([field, expect.stringMatching(reason)]);
    expect([asked, await rows()]).toEqual([[], []]);
  });
});

it.each([
  ["none", {}],
  ["two", { apns: TOKEN, fcm: { serviceAccount: KEYS.account } }],
  ["three", { apns: {}, fcm: { serviceAccount: {} }, web: { subject: SUBJECT } }],
])("requires exactly one service at a time, not %s", async (_name, given) => {
  expect(await refused(given)).toEqual(["base", expect.stringMatching(/exactly one/)]);
});

describe("the check by the service", () => {
  it("does not set refused credentials, and returns the service's reason", async () => {
    service = async () => "InvalidProviderToken\u001b[0m";
    expect(await refused({ apns: TOKEN })).toEqual([
      "apns",
      "credentials were refused by the service: InvalidProviderToken [0m",
    ]);
    expect(await rows()).toEqual([]);
    await set({ apns: TOKEN, skipCheck: true });
    expect(asked).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    [
      "is down",
      async () => `${CHECK_UNAVAILABLE}: connection refused`,
      /^Not checked.*: connection refused\.$/,
    ],
    ["never answers", () => new Promise(() => undefined), /no answer in time/],
  ])("sets credentials with a warning if the service %s", async (_name, says, reason) => {
    service = says;
    const { credentials, warning } = await set({ fcm: { serviceAccount: KEYS.account } });
    expect(credentials.fcm.projectId).toBe(KEYS.account.project_id);
    expect(warning).toMatch(reason);
  });

  it("checks stored credentials again, for one service or all", async () => {
    await set({ apns: TOKEN });
    await set({ web: { generate: true, subject: SUBJECT } });
    await set({ fcm: { serviceAccount: KEYS.account } }, "PRODUCTION");
    const scope = { applicationId, environment: "DEVELOPMENT" };
    const checks = async (more: object = {}) =>
      (await run(CHECK, { input: { ...scope, ...more } })).data.checkPushCredentials.checks;
    const good = { outcome: "ACCEPTED", reason: null };
    expect(await checks()).toEqual([
      { service: "APNS", ...good },
      { service: "WEB", ...good },
    ]);
    expect(await checks({ service: "WEB" })).toEqual([{ service: "WEB", ...good }]);
    expect(await checks({ service: "FCM" })).toEqual([]);
    service = async () => "ExpiredProviderToken";
    expect(await checks({ service: "APNS" })).toEqual([
      { service: "APNS", outcome: "REFUSED", reason: "ExpiredProviderToken" },
    ]);
    service = async () => `${CHECK_UNAVAILABLE}: no answer`;
    expect(await checks({ environment: "PRODUCTION" })).toEqual([
      { service: "FCM", outcome: "UNREACHABLE", reason: "no answer" },
    ]);
    service = async () => null;
    const last = asked.at(-1)?.[0];
    expect(last).toMatchObject({ service: "fcm", privateKey: KEYS.account.private_key });
  });
});

it("a check opens its own provider, and closes it even on failure", async () => {
  const done: unknown[] = [];
  const check = credentialCheckWith((credentials, environment): Provider => {
    done.push([credentials.service, environment]);
    return {
      send: () => Promise.reject(new Error("nothing is to be sent")),
      check: () => service(),
      close: async () => void done.push("closed"),
    };
  });
  const credentials = { service: "web", publicKey: "", privateKey: "", subject: "" } as const;
  service = async () => "no";
  expect(await check(credentials, "production")).toBe("no");
  service = () => Promise.reject(new Error("broken"));
  await expect(check(credentials, "development")).rejects.toThrow("broken");
  expect(done).toEqual([["web", "production"], "closed", ["web", "development"], "closed"]);
});

describe("hostile values", () => {
  const RIGHT: Array<[string, string, Record<string, unknown>]> = [
    ["a key", "apns", { ...TOKEN, baseUrl: "https://localhost", ca: KEYS.ca }],
    ["a certificate", "apns", { certificate: KEYS.certificate, privateKey: KEYS.privateKey }],
    ["a file", "fcm", { serviceAccount: KEYS.account, baseUrl: "https://localhost", ca: KEYS.ca }],
    ["a pair", "web", { privateKey: "", publicKey: "", generate: true, subject: SUBJECT, ca: "" }],
  ];
  const fields = RIGHT.flatMap(([name, group, right]) =>
    Object.keys(right).map((field) => [name, group, field, right] as const),
  );
  const MEMBERS = Object.keys(KEYS.account);

  async function attempt(given: object, value: unknown): Promise<void> {
    const scope = { applicationId, environment: "DEVELOPMENT", skipCheck: true };
    const { errors } = await run(SET, { input: { ...scope, ...given } });
    const codes = errors?.map(({ extensions }) => extensions.code) ?? ["OK"];
    expect([value, codes]).toEqual([value, [expect.stringMatching(/^(OK|INVALID|MALFORMED)$/)]]);
    const sent = JSON.stringify(JSON.stringify(value)).slice(1, -1);
    expect(JSON.stringify(errors ?? []).replaceAll(sent, "")).not.toMatch(LEAKS);
  }

  const samples = sampleFor(HOSTILE, fields.length, 2);
  const cases = fields.map((field, index) => [...field, samples[index] ?? []] as const);
  it.each(
    cases,
  )(`are accepted or refused in %s, %s.%s${SAMPLED}`, async (_name, group, field, right, hostile) => {
    for (const value of hostile) {
      const values = [value];
      if (field === "serviceAccount") {
        values.push(...MEMBERS.map((name) => ({ ...KEYS.account, [name]: value })));
      }
      await Promise.all(
        values.map((each) => attempt({ [group]: { ...right, [field]: each } }, each)),
      );
    }
  });
});

describe("stored credentials", () => {
  it("are separate per environment, replaced and cleared", async () => {
    const before = await set({ apns: TOKEN });
    await set({ apns: { ...TOKEN, keyId: "OTHER12345" } }, "PRODUCTION");
    clock.advance(5_000);
    const after = await set({ apns: { ...TOKEN, bundleId: "com.example.two" } });
    expect(after.credentials.apns.bundleId).toBe("com.example.two");
    expect(after.credentials.apns.updatedAt > before.credentials.apns.updatedAt).toBe(true);
    await set({ web: { generate: true, subject: SUBJECT } });
    expect((await run(SHOW, { id: applicationId })).data.application).toMatchObject({
      development: { apns: { bundleId: "com.example.two" }, fcm: null, web: { subject: SUBJECT } },
      production: { apns: { bundleId: BUNDLE, keyId: "OTHER12345" }, fcm: null, web: null },
    });
    const input = { applicationId, environment: "DEVELOPMENT", service: "APNS" };
    const cleared = (await run(CLEAR, { input })).data.clearPushCredentials;
    expect(cleared).toMatchObject({ cleared: true, credentials: { apns: null, web: {} } });
    expect((await run(CLEAR, { input })).data.clearPushCredentials.cleared).toBe(false);
    expect((await run(SHOW, { id: applicationId })).data.application).toMatchObject({
      development: { apns: null },
      production: { apns: { keyId: "OTHER12345" } },
    });
  });

  it("of both environments are read with one query", async () => {
    await set({ apns: TOKEN });
    const query = jest.spyOn(node.app.store, "query");
    const { data } = await run(
      `query ($id: ID!) {
        application(id: $id) {
          one: pushCredentials(environment: DEVELOPMENT) { apns { keyId } }
          other: pushCredentials(environment: PRODUCTION) { web { subject } }
        }
      }`,
      { id: applicationId },
    );
    const names = query.mock.calls.map(([statement]) => statement.name);
    query.mockRestore();
    expect(names.filter((name) => name === "push_credentials_of_applications")).toHaveLength(1);
    expect(data.application).toEqual({
      one: { apns: { keyId: "ABC1234567" } },
      other: { web: null },
    });
  });

  it("are inaccessible to other owners", async () => {
    await set({ apns: TOKEN });
    await set({ web: { generate: true, subject: SUBJECT } });
    const elsewhere = await secondApplication(node);
    const stranger = await ownerToken(elsewhere);
    const before = await rows();
    asked.length = 0;
    const scope = { applicationId, environment: "DEVELOPMENT" };
    for (const [document, variables] of [
      [SHOW, { id: applicationId }],
      [SET, { input: { ...scope, web: { generate: true, subject: SUBJECT } } }],
      [CLEAR, { input: { ...scope, service: "APNS" } }],
      [CHECK, { input: scope }],
    ] as const) {
      const { data, errors } = await run(document, variables, stranger);
      expect([data ?? null, errors?.[0].extensions.code]).toEqual([null, "NOT_FOUND"]);
    }
    expect([await rows(), asked]).toEqual([before, []]);
    const token = await applicationToken(elsewhere);
    const key = await run(KEY, { environment: "DEVELOPMENT" }, token);
    expect(key.data).toEqual({ webPushKey: null });
  });

  it("are not in a user's export", async () => {
    await set({ apns: TOKEN });
    const { id } = await newUser(node);
    const { data } = await run(
      "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }",
      { input: { applicationId, userId: String(id) } },
    );
    expect(Object.keys(data.exportUser.export).sort()).toEqual(
      [
        "calls",
        "conferenceLinks",
        "conferenceListings",
        "conferenceParticipations",
        "conferences",
        "deliveries",
        "events",
        "identities",
        "incomingCallPushes",
        "passwordResets",
        "sessions",
        "subscriptions",
        "tags",
        "user",
      ].sort(),
    );
    expect(JSON.stringify(data)).not.toContain(TOKEN.keyId);
  });
});

describe("secrets", () => {
  /** A part of the secret: the middle of a key's Base64. */
  const middle = (pem: string) => pem.split("\n")[2] ?? "";

  it("never appear in responses, the log or the database", async () => {
    service = async () => "BadCertificate";
    await refused({ apns: TOKEN });
    await refused({ fcm: { serviceAccount: { ...KEYS.account, project_id: "" } } });
    service = async () => CHECK_UNAVAILABLE;
    await set({ apns: { certificate: KEYS.certificate, privateKey: KEYS.privateKey } });
    await set({ apns: TOKEN }, "PRODUCTION");
    await set({ fcm: { serviceAccount: KEYS.account } });
    await set({ web: { generate: true, subject: SUBJECT } });
    const web = asked.at(-1)?.[0];
    const vapid = web?.service === "web" ? web.privateKey : "";
    await run(CHECK, { input: { applicationId, environment: "DEVELOPMENT" } });

    for (const send of Object.values(HTTP_PROTOCOLS)) {
      answers.push(JSON.stringify(await send(node, SHOW, { id: applicationId }, owner)));
    }
    const socket = await openSocket(node, owner);
    answers.push(JSON.stringify(await socket.run(SHOW, { id: applicationId })));
    await socket.close();
    expect(answers.slice(-4).every((text) => text.includes(KEYS.account.client_email))).toBe(true);

    const stored = await node.sql<{ row: string }>(
      "SELECT to_jsonb(t)::text AS row FROM push_credentials t",
    );
    expect(stored).toHaveLength(4);
    const texts = [...answers, ...lines, ...stored.map(({ row }) => row)];
    expect(lines.length).toBeGreaterThan(10);
    const keys = [KEYS.p8, KEYS.privateKey, KEYS.account.private_key].map(middle);
    const secrets = [...keys, vapid].flatMap((secret) => [
      secret,
      Buffer.from(secret).toString("base64"),
    ]);
    expect(secrets.every((secret) => secret.length > 40)).toBe(true);
    expect(texts.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
    expect(texts.filter((text) => text.includes("PRIVATE KEY"))).toEqual([]);
  });

  it("are no fields of the schema", async () => {
    for (const field of ["key", "privateKey", "secret", "passphrase", "serviceAccount"]) {
      for (const type of ["apns", "fcm", "web"]) {
        const document = `query ($id: ID!) { application(id: $id) {
          pushCredentials(environment: DEVELOPMENT) { ${type} { ${field} } } } }`;
        expect((await run(document, { id: applicationId })).status).toBe(400);
      }
    }
  });
});
