import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { readConfig } from "../../../src/core/config";
import { checkExposure } from "../../../src/domain/health/checks/exposure";
import { CHECK_ORDER } from "../../../src/domain/health/checks/finding";
import { checkMediaServer } from "../../../src/domain/health/checks/media-server";
import { endListening, KEY, listen, NOT_EXPOSED, only, statuses } from "../../support/cli/doctor";

/** `signalbox doctor` on an exposed server: the check list of docs/SECURITY.md. */

afterEach(endListening);

const isCheck = (name: string) => (CHECK_ORDER as readonly string[]).includes(name);

const runExposureChecks = (environment: Record<string, string>) =>
  checkExposure(readConfig(environment));

const OPEN = {
  HOST: "0.0.0.0",
  BASE_URL: "https://api.example.invalid",
  TRUST_PROXY: "10.0.0.1",
  CHAT_URL: "wss://chat.example",
  DATABASE_URL: "postgresql://db/x",
  SECRET_KEY: KEY,
};

it("skips the checks for a local server, and passes them for a well-configured public one", async () => {
  expect(statuses(await runExposureChecks({}))).toEqual(NOT_EXPOSED);
  expect(statuses(await runExposureChecks({ BASE_URL: "http://127.0.0.1:4000" }))).toEqual(
    NOT_EXPOSED,
  );
  expect(statuses(await runExposureChecks(OPEN))).toEqual({
    encryption: "ok",
    proxy: "ok",
    limits: "ok",
    "private networks": "ok",
    schema: "ok",
    metrics: "skipped",
  });
});

it.each([
  ["HOST", "0.0.0.0"],
  ["BASE_URL", "https://a.example.invalid"],
  ["TRUST_PROXY", "10.0.0.1"],
])("runs the checks if %s=%s exposes the server", async (name, value) => {
  const environment = { [name]: value };
  expect(only(await runExposureChecks(environment), "limits").status).toBe("ok");
});

const CASES: Array<[check: string, more: Record<string, string>, status: string, words: RegExp]> = [
  ["encryption", { BASE_URL: "http://api.example.invalid" }, "error", /BASE_URL/],
  ["encryption", { CHAT_URL: "ws://chat.example" }, "error", /CHAT_URL/],
  ["proxy", { TRUST_PROXY: "" }, "warning", /share its limits/],
  ["proxy", { TRUST_PROXY: "10.0.0.1,0.0.0.0/0" }, "error", /trusts everyone/],
  ["proxy", { TRUST_PROXY: "::/0" }, "error", /trusts everyone/],
  [
    "limits",
    { RATE_SIGN_INS_PER_IP: "0", FAILED_SIGN_INS_BEFORE_DELAY: "0" },
    "warning",
    /SIGN_INS.*FAILED_SIGN_INS_BEFORE_DELAY/,
  ],
  ["limits", { OVERLOAD_REQUESTS: "0" }, "warning", /OVERLOAD_REQUESTS is 0/],
  ["private networks", { ALLOW_PRIVATE_NETWORKS: "true" }, "warning", /its own network/],
  ["private networks", { PUSH_ALLOW_PRIVATE_NETWORKS: "true" }, "warning", /its own network/],
  ["schema", { INTROSPECTION: "false", GRAPHIQL: "false" }, "ok", /hidden/],
  ["schema", { INTROSPECTION: "false" }, "ok", /GRAPHIQL on/],
  ["key strength", { SECRET_KEY: "0".repeat(64) }, "error", /can be guessed/],
  ["key strength", { SECRET_KEY: `${KEY},${"ab".repeat(32)}` }, "error", /can be guessed/],
  ["redis access", { REDIS_URL: "redis://redis.example:6379/0" }, "warning", /no password/],
];
it.each(CASES)("%s: %j is %s", async (check, more, status, words) => {
  const found = only(await runExposureChecks({ ...OPEN, ...more }), check);
  expect([found.status, found.detail]).toEqual([status, expect.stringMatching(words)]);
});

it.each([
  "redis://:secret@redis.example:6379",
  "redis://127.0.0.1:6379",
  "redis://localhost",
])("accepts %s, and never prints the password", async (REDIS_URL) => {
  const findings = await runExposureChecks({ ...OPEN, REDIS_URL });
  expect(findings.map(({ check }) => check)).not.toContain("redis access");
  expect(JSON.stringify(findings)).not.toContain("secret");
});

it("has every check that docs/SECURITY.md names", () => {
  const text = readFileSync(join(__dirname, "../../../docs/SECURITY.md"), "utf8");
  const [, list = ""] = text.split("## Running it safely");
  const named = [...list.matchAll(/^\|[^|]*\|(.*)\|$/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => name !== "doctor" && !isCheck(name))).toEqual([]);
});

it("warns if the metrics are public", async () => {
  let text = 'signalbox_build_info{version="1.0.0"} 1';
  const port = await listen(createServer((_, response) => response.end(text)));
  const BASE_URL = `http://127.0.0.1:${port}`;
  const metrics = async () =>
    only(await runExposureChecks({ ...OPEN, BASE_URL }), "metrics").status;
  expect(await metrics()).toBe("warning");
  text = "Forbidden";
  expect(await metrics()).toBe("ok");
});

describe("the address of the embedded media server", () => {
  const statusOf = async (environment: Record<string, string>) =>
    only(await checkMediaServer(readConfig(environment)), "media server").status;
  const PUBLIC = { BASE_URL: "https://api.example.invalid", TRUST_PROXY: "10.0.0.10" };

  it.each([
    [{ ...PUBLIC }],
    [{ ...PUBLIC, HOST: "10.0.0.11" }],
    [{ ...PUBLIC, HOST: "0.0.0.0", RTC_BIND_ADDRESS: "192.168.1.7" }],
    [{ TRUST_PROXY: "127.0.0.1" }],
  ])("with %j, clients of other networks do not reach it", async (environment) => {
    expect(await statusOf(environment)).toBe("warning");
  });

  it.each([
    [{}],
    [{ HOST: "10.0.0.11" }],
    [{ HOST: "10.0.0.11", BASE_URL: "http://10.0.0.11:4000" }],
    [{ ...PUBLIC, HOST: "10.0.0.11", RTC_ANNOUNCED_ADDRESS: "media.example" }],
    [{ ...PUBLIC, RTC_BIND_ADDRESS: "0.0.0.0" }],
    [{ ...PUBLIC, HOST: "10.0.0.11", RTC_BIND_ADDRESS: "93.184.215.14" }],
  ])("with %j, there is nothing to warn of", async (environment) => {
    expect(await statusOf(environment)).toBe("skipped");
  });
});
