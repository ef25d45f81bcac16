import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { generateSelfSigned } from "../../../src/core/tls/self-signed";
import { checkClockOffset } from "../../../src/domain/health/checks/clock";
import type { Finding } from "../../../src/domain/health/checks/finding";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { startSmtp } from "../../../tools/smtp";
import { about, endListening, listen, NOWHERE, only } from "../../support/cli/doctor";
import { emptyFolder, type FreshDatabase } from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";

/** `signalbox doctor` before the first start of a server. */

const databases: FreshDatabase[] = [];

afterEach(async () => {
  endListening();
  for (const database of databases.splice(0)) await database.remove();
});

async function folderOf(made: Promise<FreshDatabase>): Promise<string> {
  const database = await made;
  databases.push(database);
  return database.environment.DATA_DIR ?? "";
}

const QUIET = { ...FREE_PORTS, SIGNALBOX_URL: `http://${NOWHERE}` };

const runDoctor = async (variables: Record<string, string> = {}) => {
  const DATA_DIR = variables.DATA_DIR ?? (await folderOf(emptyFolder()));
  return runChecks({ environment: { ...QUIET, ...variables, DATA_DIR } });
};

describe("ports", () => {
  it("are errors if another program uses them, even a silent one", async () => {
    const [PORT, XMPP_WS_PORT] = [String(await listen()), String(await listen())];
    const findings = await runDoctor({ PORT, XMPP_WS_PORT });
    for (const check of ["port", "chat port"]) {
      expect(only(findings, check)).toMatchObject({
        status: "error",
        detail: expect.stringMatching(/in use by another program/),
      });
    }
  });

  it("are ok if free, and an error if equal or on a foreign address", async () => {
    const spare = createServer();
    const PORT = String(await listen(spare));
    await new Promise((resolve) => spare.close(resolve));
    expect(only(await runDoctor({ PORT }), "port").detail).toMatch(/ is free$/);
    const twice = await runDoctor({ PORT, XMPP_WS_PORT: PORT });
    expect(only(twice, "port").detail).toMatch(/are both/);
    const foreign = await runDoctor({ PORT, HOST: "192.0.2.1" });
    expect(only(foreign, "port")).toMatchObject({
      status: "error",
      detail: "HOST (192.0.2.1) is not an address of this machine",
    });
    // Once, for all ports.
    const all = await runDoctor({ PORT, XMPP_TCP_PORT: "5222", HOST: "192.0.2.1" });
    expect(only(all, "chat port: tcp")).toMatchObject({ status: "skipped", detail: "as for port" });
  });
});

describe("the chat ports", () => {
  it("are each checked, and must differ", async () => {
    const taken = String(await listen());
    const cases = [
      ["XMPP_WSS_PORT", "chat port: wss"],
      ["XMPP_TCP_PORT", "chat port: tcp"],
      ["XMPP_TLS_PORT", "chat port: tls"],
      ["CONFERENCE_WS_PORT", "conference port"],
      ["CONFERENCE_WSS_PORT", "conference port: wss"],
    ] as const;
    // At once: each waits for an answer that the other program never gives.
    const found = await Promise.all(
      cases.map(async ([variable, check]) => only(await runDoctor({ [variable]: taken }), check)),
    );
    for (const finding of found) {
      expect(finding).toMatchObject({
        status: "error",
        detail: expect.stringMatching(/in use by another program/),
      });
    }
    const twice = await runDoctor({ XMPP_TCP_PORT: taken, XMPP_TLS_PORT: taken });
    expect(only(twice, "port").detail).toBe(`XMPP_TCP_PORT and XMPP_TLS_PORT are both ${taken}`);
  });
});

describe("the certificate", () => {
  const DAY = 86_400_000;
  /** Makes a self-signed certificate (valid for ten years) at a time that leaves so many days. */
  async function files(daysLeft: number, domain = "chat.example") {
    const DATA_DIR = await folderOf(emptyFolder());
    await mkdir(DATA_DIR, { recursive: true });
    const made = await generateSelfSigned(domain, Date.now() + (daysLeft + 0.5 - 3_650) * DAY);
    const TLS_CERT_FILE = join(DATA_DIR, "cert.pem");
    const TLS_KEY_FILE = join(DATA_DIR, "key.pem");
    await writeFile(TLS_CERT_FILE, made.cert);
    await writeFile(TLS_KEY_FILE, made.key);
    const ports = { XMPP_TLS_PORT: "0", CHAT_DOMAIN: "chat.example" };
    return { ...ports, DATA_DIR, TLS_CERT_FILE, TLS_KEY_FILE };
  }

  it.each([
    [40, "chat.example", "ok", /^for chat\.example, valid for another 40 days$/],
    [13, "chat.example", "warning", /^it expires in 13 days$/],
    [-3, "chat.example", "error", /^it expired 2 days ago$/],
    [40, "other.example", "warning", /^it is not issued for chat\.example$/],
  ])("with %i days left, for %s, is %s", async (days, domain, status, words) => {
    const found = only(await runDoctor(await files(days, domain)), "certificate");
    expect([found.status, found.detail]).toEqual([status, expect.stringMatching(words)]);
  });

  it("is an error if it cannot be used, and the finding names the variable", async () => {
    const variables = await files(40);
    await writeFile(variables.TLS_KEY_FILE, "hello");
    expect(only(await runDoctor(variables), "certificate")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/^TLS_KEY_FILE contains no private key/),
    });
  });

  it("is a warning if self-signed on an exposed server, and not needed without TLS", async () => {
    expect(only(await runDoctor(), "certificate").status).toBe("skipped");
    expect(only(await runDoctor({ XMPP_TCP_PORT: "0" }), "certificate").status).toBe("ok");
    const open = { XMPP_TCP_PORT: "0", HOST: "0.0.0.0" };
    expect(only(await runDoctor(open), "certificate").status).toBe("warning");
  });
});

test.each([
  [500, "ok", /^within 500 ms of the database's clock$/],
  [-40_000, "ok", /^within 40 seconds of /],
  [180_000, "warning", /^this machine's clock is 3 minutes behind the database's clock/],
  [-75 * 60_000, "error", /^this machine's clock is 75 minutes ahead of .*60 minutes off/],
])("a clock that is %i ms ahead of this machine's is %s", (aheadMs, status, words) => {
  const found = checkClockOffset("clock: database", "the database's clock", aheadMs);
  expect([found.status, found.detail]).toEqual([status, expect.stringMatching(words)]);
});

describe("mail", () => {
  const mailOf = async (variables: Record<string, string>) =>
    only(await runDoctor(variables), "mail");

  it("is an error if the server refuses connections or never answers", async () => {
    const dead = await mailOf({ SMTP_URL: `smtp://${NOWHERE}` });
    expect([dead.status, dead.detail]).toEqual(["error", expect.stringMatching(/ESOCKET|ECONN/)]);
    const silent = await mailOf({ SMTP_URL: `smtp://127.0.0.1:${await listen()}` });
    expect([silent.status, silent.detail]).toEqual(["error", expect.stringMatching(/no answer/)]);
  });

  it("is a warning if the sender has no domain", async () => {
    const smtp = await startSmtp();
    const from = (MAIL_FROM: string) => mailOf({ SMTP_URL: smtp.url, MAIL_FROM });
    expect((await from("Shop <post@shop.example>")).status).toBe("ok");
    expect((await from("post@localhost")).status).toBe("warning");
    await smtp.close();
  });

  it("is written to the folder, or not sent at all", async () => {
    const embedded = await mailOf({});
    expect([embedded.status, embedded.detail]).toEqual(["ok", expect.stringMatching(/not sent/)]);
    const nowhere = { DATABASE_URL: `postgresql://${NOWHERE}/x`, SECRET_KEY: "0".repeat(64) };
    const none = await mailOf(nowhere);
    expect([none.status, none.detail]).toEqual([
      "warning",
      expect.stringMatching(/^no mail is sent/),
    ]);
  });
});

describe("an unknown variable", () => {
  const found = (findings: Finding[]) =>
    about(findings, "configuration").filter(({ detail }) => detail.includes("is not a setting"));
  const expected = {
    status: "error",
    detail: "REDIS_ULR is not a setting of Signalbox; did you mean REDIS_URL?",
    fix: "Rename it to REDIS_URL.",
  };

  it("is named with the setting that it resembles, in an invalid configuration too", async () => {
    const misspelled = { REDIS_ULR: "redis://cache" };
    expect(found(await runDoctor(misspelled))).toEqual([expect.objectContaining(expected)]);
    expect(found(await runDoctor({ ...misspelled, PORT: "http" }))).toEqual([
      expect.objectContaining(expected),
    ]);
    expect(found(await runDoctor())).toEqual([]);
  });

  it("that only begins like settings is named as well", async () => {
    expect(found(await runDoctor({ XMPP_COLOUR: "x" }))).toEqual([
      {
        check: "configuration",
        status: "error",
        detail: "XMPP_COLOUR is not a setting of Signalbox",
        fix: "Unset XMPP_COLOUR, or correct its name; see docs/CONFIG.md.",
      },
    ]);
  });
});

describe("the data folder", () => {
  it("is an error if it is a file, which the finding says", async () => {
    const file = join(await folderOf(emptyFolder()), "file");
    await writeFile(file, "");
    expect(only(await runDoctor({ DATA_DIR: file }), "data folder")).toMatchObject({
      status: "error",
      detail: `DATA_DIR (${file}) is a file`,
      fix: "Set it to a folder.",
    });
  });

  it("is an error if it is not a folder or not writable", async () => {
    const folder = await folderOf(emptyFolder());
    await writeFile(join(folder, "file"), "");
    for (const path of [join(folder, "file"), join(folder, "file/below"), "/proc/self/fd"]) {
      expect([path, only(await runDoctor({ DATA_DIR: path }), "data folder").status]).toEqual([
        path,
        "error",
      ]);
    }
    // Root may write anywhere, and the tests may run as root.
    await mkdir(join(folder, "closed"), { mode: 0o500 });
    const closed = only(await runDoctor({ DATA_DIR: join(folder, "closed") }), "data folder");
    expect(closed.status).toBe(process.getuid?.() === 0 ? "ok" : "error");
  });

  it("reports secrets that other users can read", async () => {
    const folder = await folderOf(emptyFolder());
    for (const name of ["owner.json", "credentials.json"]) {
      await writeFile(join(folder, name), "{}", { mode: 0o600 });
    }
    expect(only(await runDoctor({ DATA_DIR: folder }), "secret files").status).toBe("ok");
    await chmod(join(folder, "owner.json"), 0o604);
    await chmod(join(folder, "credentials.json"), 0o640);
    const [group, others] = about(await runDoctor({ DATA_DIR: folder }), "secret files").sort(
      (a, b) => (a.status > b.status ? -1 : 1),
    );
    expect(group).toMatchObject({ status: "warning", fix: expect.stringMatching(/^chmod 600 /) });
    expect(others).toMatchObject({ status: "error", detail: expect.stringMatching(/every user/) });
  });
});
