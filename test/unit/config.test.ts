import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ConfigError, readConfig } from "../../src/core/config";
import { findUnknownVariables } from "../../src/core/unknown-variables";
import { PORT_BASE_MAX } from "../../src/core/variables/port-variables";
import { VARIABLES } from "../../src/core/variables/variables";

function problemsOf(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("defaults", () => {
  test("apply to an empty environment", () => {
    expect(readConfig({})).toMatchObject({
      PORT: 4000,
      HOST: "127.0.0.1",
      XMPP_WS_PORT: 5291,
      XMPP_WSS_PORT: 5292,
      XMPP_TCP_PORT: 5222,
      XMPP_TLS_PORT: 5223,
      CONFERENCE_WS_PORT: 8989,
      CONFERENCE_WSS_PORT: 8990,
      DATA_DIR: ".data",
      CHAT_DOMAIN: "localhost",
      TURN_URLS: [],
      TURN_TTL_SECONDS: 43_200,
      CORS_ORIGINS: ["*"],
      TRUST_PROXY: [],
      LOG_LEVEL: "info",
      INTROSPECTION: true,
      GRAPHIQL: true,
      API_DOCS: true,
      DASHBOARD: true,
      XMPP_TRUSTED_PROXY: false,
    });
  });

  test("leave URLs and databases unset", () => {
    const config = readConfig({});
    for (const name of ["DATABASE_URL", "REDIS_URL", "BASE_URL", "CHAT_URL"] as const) {
      expect(config[name]).toBeUndefined();
    }
  });

  test.each(Object.entries(VARIABLES))("of %s are valid", (name, variable) => {
    expect(problemsOf(variable.default === undefined ? {} : { [name]: variable.default })).toEqual(
      [],
    );
  });

  test("apply to empty variables", () => {
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, ""]));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });
});

describe("values", () => {
  test("are parsed by type", () => {
    const config = readConfig({
      PORT: "0",
      HOST: "::1",
      DATABASE_URL: "postgresql://me@db/app",
      SECRET_KEY: `${"ab".repeat(32)},AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=`,
      REDIS_URL: "rediss://cache:6380/1",
      BASE_URL: "https://api.example.com",
      CHAT_URL: "wss://chat.example.com",
      CORS_ORIGINS: "https://a.example , https://b.example,",
      TRUST_PROXY: "10.0.0.0/8",
      INTROSPECTION: "No",
      GRAPHIQL: "off",
      API_DOCS: "off",
      XMPP_TRUSTED_PROXY: "1",
      LOG_LEVEL: "silent",
    });
    expect(config).toMatchObject({
      PORT: 0,
      HOST: "::1",
      CORS_ORIGINS: ["https://a.example", "https://b.example"],
      TRUST_PROXY: ["10.0.0.0/8"],
      INTROSPECTION: false,
      GRAPHIQL: false,
      API_DOCS: false,
      XMPP_TRUSTED_PROXY: true,
      LOG_LEVEL: "silent",
    });
  });

  test("are read from a former name if the current one is not set", () => {
    const allowed = (environment: Record<string, string>) =>
      readConfig(environment).ALLOW_PRIVATE_NETWORKS;
    expect(allowed({})).toBe(false);
    expect(allowed({ PUSH_ALLOW_PRIVATE_NETWORKS: "true" })).toBe(true);
    expect(allowed({ ALLOW_PRIVATE_NETWORKS: "false", PUSH_ALLOW_PRIVATE_NETWORKS: "true" })).toBe(
      false,
    );
    expect(problemsOf({ PUSH_ALLOW_PRIVATE_NETWORKS: "perhaps" })).toEqual([
      expect.stringMatching(/^PUSH_ALLOW_PRIVATE_NETWORKS must be /),
    ]);
  });

  test.each([
    ["PUSH_KEEP_DAYS", "PUSH_RETENTION_DAYS"],
    ["CALL_KEEP_DAYS", "CALL_RETENTION_DAYS"],
    ["FAILURES_FREE", "FAILED_SIGN_INS_BEFORE_DELAY"],
    ["FAILURES_FREE_PER_NAME", "FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME"],
    ["FAILURES_FREE_PER_IP", "FAILED_SIGN_INS_BEFORE_DELAY_PER_IP"],
  ] as const)("of %s are those of %s", (former, name) => {
    expect(readConfig({ [former]: "17" })[name]).toBe(17);
    expect(readConfig({ [former]: "17", [name]: "18" })[name]).toBe(18);
  });

  test("of unknown variables are ignored", () => {
    expect(readConfig({ PATH: "/bin", SOMETHING: "else" })).toEqual(readConfig({}));
  });

  test.each([
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "4000.5"],
    ["PORT", "0x10"],
    ["PORT", " 4000"],
    ["HOST", "no host"],
    ["XMPP_WS_PORT", "many"],
    ["DATABASE_URL", "mysql://db"],
    ["DATABASE_POOL", "0"],
    ["REDIS_URL", "http://cache"],
    ["BASE_URL", "api.example.com"],
    ["BASE_URL", "ws://api.example.com"],
    ["CHAT_URL", "https://chat.example.com"],
    ["CORS_ORIGINS", "app.example"],
    ["CORS_ORIGINS", "https://a.example,localhost:3000"],
    ["CORS_ORIGINS", "https://app.example/"],
    ["CORS_ORIGINS", "https://App.example"],
    ["SMTP_URL", "https://mail.example"],
    ["MAIL_FROM", "nobody"],
    ["MAIL_FROM", "A <a@b.example>\r\nBcc: c@d.example"],
    ["MAIL_FROM", "a@b.example, c@d.example"],
    ["CHAT_DOMAIN", "Chat.Example"],
    ["TURN_HOST", "turn/host"],
    ["TURN_URLS", "turn.example:3478"],
    ["TURN_URLS", "stun:turn.example,https://turn.example"],
    ["TURN_URLS", "turn:turn.example?transport=sctp"],
    ["TURN_URLS", "turn:2001:db8::7"],
    ["TURN_SECRET", "too short"],
    ["TURN_SECRET", "replace-me-by-openssl-rand-hex-32"],
    ["TURN_SECRET", "long-enough-by-far,short"],
    ["CHAT_SECRET", "too short"],
    ["CHAT_SECRET", "change-this-component-secret"],
    ["CHAT_SIGN_IN_SECRET", "change-this-sign-in-secret"],
    ["CHAT_SIGN_IN_SECRET", "Replace-me-by-another-one"],
    ["METRICS_TOKEN", "too short"],
    ["TURN_TTL_SECONDS", "59"],
    ["LOG_LEVEL", "loud"],
    ["INTROSPECTION", "maybe"],
    ["GRAPHQL_MAX_DEPTH", "0"],
    ["BODY_LIMIT", "1"],
    ["XMPP_STANZA_LIMIT", "9999"],
    ["DRAIN_SECONDS", "601"],
  ])("are rejected: %s=%s", (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must (be|have) `));
  });
});

test("PostgreSQL requires SECRET_KEY, and no secret has a default", () => {
  const DATABASE_URL = "postgresql://me@db/app";
  for (const key of [undefined, ""]) {
    expect(problemsOf({ DATABASE_URL, SECRET_KEY: key })).toEqual([
      expect.stringMatching(/^SECRET_KEY is required with DATABASE_URL/),
    ]);
  }
  const secrets = Object.entries(VARIABLES).filter(([, { secret }]) => secret);
  expect(secrets.filter(([, variable]) => "default" in variable && variable.default)).toEqual([]);
});

test("web origins have any scheme, or are any", () => {
  for (const origins of ["*", "http://localhost:3000", "capacitor://localhost,https://a.example"]) {
    expect(readConfig({ CORS_ORIGINS: origins }).CORS_ORIGINS).toEqual(origins.split(","));
  }
});

describe("PORT_BASE", () => {
  const portsOf = (environment: Record<string, string>) => {
    const config = readConfig(environment);
    return [
      config.PORT,
      config.XMPP_WS_PORT,
      config.XMPP_WSS_PORT,
      config.XMPP_TCP_PORT,
      config.XMPP_TLS_PORT,
      config.CONFERENCE_WS_PORT,
      config.CONFERENCE_WSS_PORT,
      config.RTC_PORT,
    ];
  };

  test("moves all ports in their order", () => {
    expect(portsOf({ PORT_BASE: "5000" })).toEqual([
      5000, 5001, 5002, 5003, 5004, 5005, 5006, 5007,
    ]);
  });

  test("moves no port whose own variable is set", () => {
    const own = { PORT: "80", XMPP_WSS_PORT: "off", XMPP_TCP_PORT: "0", RTC_PORT: "10000" };
    expect(portsOf({ PORT_BASE: "5000", ...own })).toEqual([
      80,
      5001,
      null,
      0,
      5004,
      5005,
      5006,
      10_000,
    ]);
  });

  test("leaves room for all ports after it", () => {
    const largest = { PORT_BASE: String(PORT_BASE_MAX), RTC_PROCESSES: "16" };
    expect(portsOf(largest)[7]).toBe(65_518);
    expect(problemsOf({ PORT_BASE: String(PORT_BASE_MAX + 1) })).toEqual([
      `PORT_BASE must be from 1 to 65511 (it is "65512")`,
    ]);
    expect(problemsOf({ PORT_BASE: "0" })).toHaveLength(1);
  });
});

describe("secrets in files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-secrets-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = (text: string, name = "secret") => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  const SECRETS = Object.entries(VARIABLES).flatMap(([name, { secret }]) => (secret ? [name] : []));
  /** A valid value of each secret variable. */
  const VALUES: Record<string, string> = {
    DATABASE_URL: "postgresql://me:pw@db/app",
    REDIS_URL: "redis://:pw@cache",
    SMTP_URL: "smtp://me:pw@mail",
    SECRET_KEY: "0".repeat(64),
  };

  test.each(SECRETS)("%s is read without one line break at its end", (name) => {
    const value = VALUES[name] ?? "a-secret-of-16-letters";
    const others = name === "DATABASE_URL" ? { SECRET_KEY: "0".repeat(64) } : {};
    const expected = readConfig({ [name]: value, ...others });
    for (const text of [value, `${value}\n`, `${value}\r\n`]) {
      expect(readConfig({ [`${name}_FILE`]: file(text), ...others })).toEqual(expected);
    }
  });

  test("keep further line breaks, so that they are found", () => {
    const { SIGNALBOX_TOKEN } = readConfig({ SIGNALBOX_TOKEN_FILE: file("token\n\n") });
    expect(SIGNALBOX_TOKEN).toBe("token\n");
  });

  test("satisfy what other variables require", () => {
    const key = { SECRET_KEY_FILE: file("0".repeat(64), "key") };
    expect(problemsOf({ DATABASE_URL_FILE: file("postgresql://db/x"), ...key })).toEqual([]);
    const component = { CHAT_MODE: "component", CHAT_SECRET_FILE: file("a-secret-of-16-letters") };
    expect(problemsOf(component)).toEqual([]);
  });

  test("that are wrong are each named by their variable, without the content", () => {
    const path = file("too short", "short");
    const missing = join(folder, "missing");
    expect(
      problemsOf({
        SECRET_KEY: "0".repeat(64),
        SECRET_KEY_FILE: file("0".repeat(64), "key"),
        CHAT_SECRET_FILE: path,
        METRICS_TOKEN_FILE: file("\n", "empty"),
        REDIS_URL_FILE: missing,
        SMTP_URL_FILE: file("x".repeat(65_537), "large"),
      }),
    ).toEqual([
      "REDIS_URL_FILE must be the path of a file with the secret: there is no such file",
      "SECRET_KEY and SECRET_KEY_FILE are both set: set only one of them",
      `SMTP_URL_FILE names "${join(folder, "large")}", which cannot be used: it is larger than 65536 bytes`,
      `METRICS_TOKEN_FILE names "${join(folder, "empty")}", which cannot be used: it is empty`,
      expect.stringMatching(/^CHAT_SECRET must have at least 16 characters/),
    ]);
  });

  test("are not shown when one is given in place of a path", () => {
    const problems = problemsOf({ REDIS_URL_FILE: "redis://:password@redis" });
    expect(problems.join()).not.toContain("password");
  });

  test("are only for secrets: PORT_FILE is no setting", () => {
    const config = readConfig({ PORT_FILE: file("5000") });
    expect(config.PORT).toBe(4000);
  });

  test("missing where they are required give one problem", () => {
    const problems = problemsOf({ DATABASE_URL: "postgresql://db/x", SECRET_KEY_FILE: "/nowhere" });
    expect(problems).toEqual([
      expect.stringMatching(/^SECRET_KEY_FILE must be the path of a file/),
    ]);
  });
});

test("the address of a service that Kubernetes sets is no port", () => {
  const config = readConfig({ RTC_PORT: "tcp://10.0.0.1:80", XMPP_TCP_PORT: "udp://10.0.0.1:1" });
  expect([config.RTC_PORT, config.XMPP_TCP_PORT]).toEqual([10_000, 5222]);
});

describe("unknown variables", () => {
  const meantBy = (given: string) => findUnknownVariables({ [given]: "x" })[0]?.meant;

  test.each([
    ["PROT", "PORT"],
    ["PORTS", "PORT"],
    ["HOTS", "HOST"],
    ["port", "PORT"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["REDDIS_ULR", "REDIS_URL"],
    ["XMPP_TPC_PROT", "XMPP_TCP_PORT"],
    ["SECRETKEY", "SECRET_KEY"],
    ["SECRET_KEY_FIEL", "SECRET_KEY_FILE"],
    ["PORTBASE", "PORT_BASE"],
  ])("%s is meant to be %s", (given, meant) => {
    expect(meantBy(given)).toBe(meant);
  });

  test("are neither settings, nor former names, nor far from every setting", () => {
    for (const name of [
      ...Object.keys(VARIABLES),
      "PUSH_ALLOW_PRIVATE_NETWORKS",
      "SECRET_KEY_FILE",
      "HTTP_PORTAL",
    ]) {
      expect([name, meantBy(name)]).toEqual([name, undefined]);
    }
    expect(findUnknownVariables({ PROT: "", OTHER: "x" })).toEqual([]);
  });

  test("begin like settings, even if they resemble none", () => {
    for (const given of ["XMPP_PORTAL", "RATE_EVERYTHING", "SIGNALBOX_DATABASE", "chat_colour"]) {
      expect(findUnknownVariables({ [given]: "x" })).toEqual([{ given, meant: null }]);
    }
  });

  test("are not those that Kubernetes and Docker set for services of these names", () => {
    const links = {
      SIGNALBOX_SERVICE_HOST: "10.0.0.1",
      SIGNALBOX_SERVICE_PORT: "4000",
      SIGNALBOX_SERVICE_PORT_HTTP: "4000",
      SIGNALBOX_PORT: "tcp://10.0.0.1:4000",
      SIGNALBOX_PORT_4000_TCP: "tcp://10.0.0.1:4000",
      SIGNALBOX_PORT_4000_TCP_PROTO: "tcp",
      JANUS_PORT_10000_UDP_ADDR: "10.0.0.2",
    };
    expect(findUnknownVariables(links)).toEqual([]);
  });

  test("are part of a valid and of an invalid configuration", () => {
    const expected = [{ given: "REDIS_ULR", meant: "REDIS_URL" }];
    expect(readConfig({ REDIS_ULR: "redis://x" }).unknownVariables).toEqual(expected);
    expect(() => readConfig({ REDIS_ULR: "redis://x", PORT: "x" })).toThrow(
      expect.objectContaining({ unknownVariables: expected }),
    );
  });

  test("are not the common variables of other programs", () => {
    const common = [
      "HOME",
      "PATH",
      "USER",
      "TERM",
      "LANG",
      "SHELL",
      "PWD",
      "TEST",
      "OS",
      "CI",
      "SSL_CERT_FILE",
    ];
    for (const name of [...common, "HOSTNAME", "LOGNAME", "NODE_ENV", "MAIL", "TZ", "EDITOR"]) {
      expect([name, meantBy(name)]).toEqual([name, undefined]);
    }
    for (const name of ["SIGNALBOX_CREDENTIALS", "CONFERENCE_PAGE_PORT"]) {
      expect([name, meantBy(name)]).toEqual([name, undefined]);
    }
  });
});

describe("mistakes", () => {
  test("are all listed, one per line, with the given value", () => {
    const environment = {
      PORT: "http",
      HOST: "a b",
      LOG_LEVEL: "loud",
      BASE_URL: "nowhere",
      GRAPHIQL: "2",
      BODY_LIMIT: "9",
    };
    let message = "";
    try {
      readConfig(environment);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      message = String((error as Error).message);
    }
    const lines = message.split("\n");
    expect(lines).toHaveLength(1 + Object.keys(environment).length);
    for (const [name, value] of Object.entries(environment)) {
      const line = lines.find((each) => each.startsWith(`  - ${name} `));
      expect(line).toContain(`(it is "${value}")`);
    }
  });

  test("in secret variables do not reveal the value", () => {
    const problems = problemsOf({
      DATABASE_URL: "postgres//user:hunter2@db",
      REDIS_URL: "redis//:hunter2@cache",
      SECRET_KEY: "hunter2",
      PORT: "x",
    });
    expect(problems.map((text) => text.split(" ")[0]).sort()).toEqual([
      "DATABASE_URL",
      "PORT",
      "REDIS_URL",
      "SECRET_KEY",
    ]);
    expect(problems.join("\n")).not.toContain("hunter2");
  });

  test("include a component without its secret, a short secret, and an address without a port", () => {
    expect(() => readConfig({ CHAT_MODE: "component" })).toThrow("CHAT_SECRET is required");
    expect(() => readConfig({ CHAT_SIGN_IN_SECRET: "short" })).toThrow("at least 16 characters");
    expect(() => readConfig({ JANUS_ADMIN_URL: "ws://janus.internal:7188" })).toThrow(
      "JANUS_ADMIN_SECRET is required with JANUS_ADMIN_URL",
    );
    for (const address of ["chat.internal", "chat.internal:0", "chat.internal:70000", ":5347"]) {
      expect(() => readConfig({ CHAT_SERVER: address })).toThrow("CHAT_SERVER must");
    }
    const { CHAT_SERVER } = readConfig({ CHAT_SERVER: "[::1]:5347" });
    expect(CHAT_SERVER).toEqual({ host: "::1", port: 5347 });
  });

  test("hide the values of exactly these variables", () => {
    const secret = Object.entries(VARIABLES).filter(([, { secret }]) => secret);
    expect(secret.map(([name]) => name)).toEqual([
      "JANUS_API_SECRET",
      "JANUS_ADMIN_KEY",
      "JANUS_ADMIN_SECRET",
      "DATABASE_URL",
      "REDIS_URL",
      "SECRET_KEY",
      "SIGNALBOX_TOKEN",
      "TURN_SECRET",
      "SMTP_URL",
      "METRICS_TOKEN",
      "CHAT_SECRET",
      "CHAT_SIGN_IN_SECRET",
    ]);
  });
});

describe("documentation", () => {
  test("describes every variable in a sentence", () => {
    for (const [name, { about }] of Object.entries(VARIABLES)) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(about).toMatch(/^[A-Z].{10,}\.$/);
    }
  });

  test("docs/CONFIG.md lists exactly the variables, with their defaults", () => {
    const text = readFileSync(join(__dirname, "../../docs/CONFIG.md"), "utf8");
    const documented = [...text.matchAll(/^\W*`([A-Z][A-Z0-9_]+)`/gm)].map((match) => match[1]);
    expect(documented.sort()).toEqual(Object.keys(VARIABLES).sort());
    for (const [name, { about, default: fallback }] of Object.entries(VARIABLES)) {
      const line = text.split("\n").find((each) => each.includes(`\`${name}\``));
      expect(line).toContain(about.split(";")[0]);
      if (fallback) expect(line).toContain(fallback);
    }
  });

  test("docs/CONFIG.md and .env.example name the file of each secret", () => {
    for (const path of ["docs/CONFIG.md", ".env.example"]) {
      const text = readFileSync(join(__dirname, "../..", path), "utf8");
      const named = [...text.matchAll(/Secret: ([A-Z_]+)_FILE may/g)].map((match) => match[1]);
      const secret = Object.entries(VARIABLES).filter(([, { secret }]) => secret);
      expect(named).toEqual(secret.map(([name]) => name));
    }
  });

  test(".env.example, uncommented, sets the defaults in a shell and in Node.js", () => {
    const text = readFileSync(join(__dirname, "../../.env.example"), "utf8");
    const uncommented = text.replaceAll(/^# (?=[A-Z_]+=)/gm, "");
    const defaults = Object.fromEntries(
      Object.entries(VARIABLES).map(([name, variable]) => [name, variable.default ?? ""]),
    );
    expect(parseEnv(uncommented)).toEqual(defaults);
    const folder = mkdtempSync(join(tmpdir(), "signalbox-env-"));
    writeFileSync(join(folder, ".env"), uncommented);
    const shell = execFileSync("sh", ["-c", "set -a; . ./.env; set +a; env -0"], { cwd: folder });
    rmSync(folder, { recursive: true });
    const read = Object.fromEntries(
      String(shell)
        .split("\0")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(read).toMatchObject(defaults);
  });
});
