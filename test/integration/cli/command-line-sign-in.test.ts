import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { graphql } from "../../../tools/graphql/graphql-http";
import { ownersEnvironment, runCommand } from "../../support/cli/command-line";
import { startNode, type TestNode } from "../../support/node";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";

/** With what the command line authenticates: a token, the session of sign-in, and owner.json. */

let node: TestNode;
let home: string;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "signalbox-home-"));
  await node.sql("DELETE FROM account_sessions");
  await node.sql("DELETE FROM audit_entries");
});
afterEach(() => rm(home, { recursive: true }));

const run = (args: string[], environment: Record<string, string> = {}, input?: string) =>
  runCommand(args, { ...ownersEnvironment(node), XDG_CONFIG_HOME: home, ...environment }, input);
/** The environment of a machine without the server's data folder. */
const elsewhere = { DATA_DIR: "/nonexistent" };

async function succeeds(...parameters: Parameters<typeof run>): Promise<string> {
  const { code, out, err } = await run(...parameters);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

async function fails(...parameters: Parameters<typeof run>): Promise<string> {
  const { code, out, err } = await run(...parameters);
  expect([code, out]).toEqual([1, ""]);
  expect(err).not.toMatch(/\n +at /);
  return err;
}

const sessions = () => node.sql<{ id: number }>("SELECT id FROM account_sessions ORDER BY id");
const actions = async () => {
  const rows = await node.sql<{ action: string }>("SELECT action FROM audit_entries ORDER BY id");
  return rows.map(({ action }) => action);
};
const signIn = (environment: Record<string, string> = elsewhere) => {
  const { email, password } = ownerCredentials(node);
  return run(["sign-in", "--email", email, "--password", "-"], environment, password);
};
const sessionFile = () => {
  const folder = join(home, "signalbox/sessions");
  const [name = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
};

describe("signalbox sign-in", () => {
  it("keeps a token in a private file, and no password, for the commands that follow", async () => {
    const { code, out } = await signIn();
    expect([code, out]).toEqual([
      0,
      `Signed in at ${node.baseUrl} as owner@localhost (OWNER). The session ends 12 hours after its last use, or with signalbox sign-out.\n`,
    ]);
    const text = readFileSync(sessionFile(), "utf8");
    expect(text).toContain('"token": "acct_');
    expect(text).not.toContain(ownerCredentials(node).password);
    expect(statSync(sessionFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "signalbox/sessions")).mode & 0o777).toBe(0o700);
    expect(await succeeds(["app", "list"], elsewhere)).toContain("First application");
    expect(await sessions()).toHaveLength(1);
  });

  it("still works when owner.json is out of date, and names that file to who has not signed in", async () => {
    const path = join(ownersEnvironment(node).DATA_DIR ?? "", "owner.json");
    const written = readFileSync(path, "utf8");
    try {
      await signIn();
      writeFileSync(path, JSON.stringify({ email: "owner@localhost", password: "an older one" }));
      expect(await succeeds(["app", "list"])).toContain("First application");
      await succeeds(["sign-out"]);
      const err = await fails(["app", "list"]);
      expect(err).toContain(`${path} is out of date`);
      expect(err).toMatch(/signalbox sign-in.*signalbox member reset-password/);
      const doctor = await run(["doctor"]);
      expect(doctor.out.replaceAll(/\s+/g, " ")).toContain(`${path} is out of date`);
    } finally {
      writeFileSync(path, written);
    }
  });

  it("says that the session has ended, and is not replaced by that of the owner", async () => {
    await signIn();
    await node.sql("DELETE FROM account_sessions");
    expect(await fails(["app", "list"])).toBe(
      `The session of owner@localhost at ${node.baseUrl} has ended. Sign in again: signalbox sign-in\n`,
    );
    expect(await fails(["--token", "acct_wrong", "app", "list"])).toMatch(
      /The token of --token is unknown at .*, has expired or was signed out\./,
    );
    expect(await fails(["app", "list"], { SIGNALBOX_TOKEN: "acct_wrong" })).toMatch(
      /The token of SIGNALBOX_TOKEN is unknown/,
    );
  });

  it("ends with sign-out, on the server as well", async () => {
    await signIn();
    const { token } = JSON.parse(readFileSync(sessionFile(), "utf8"));
    expect(await succeeds(["sign-out"])).toBe(`Signed out owner@localhost at ${node.baseUrl}.\n`);
    const { errors } = await graphql(node, "{ account { id } }", {}, token);
    expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
    expect(await fails(["sign-out"])).toBe(`Nobody is signed in at ${node.baseUrl}.\n`);
  });

  it("ends the session before it, and keeps sessions of several servers apart", async () => {
    await signIn();
    const [first] = await sessions();
    await signIn();
    const [second, ...others] = await sessions();
    expect([others, second?.id === first?.id]).toEqual([[], false]);
    const other = await startNode();
    try {
      const { email, password } = ownerCredentials(other);
      const there = { ...elsewhere, SIGNALBOX_URL: other.baseUrl };
      await succeeds(["sign-in", "--email", email, "--password", "-"], there, password);
      expect(await succeeds(["app", "list"], there)).toContain("First application");
      expect(await succeeds(["app", "list"], elsewhere)).toContain("First application");
      expect(readdirSync(join(home, "signalbox/sessions"))).toHaveLength(2);
    } finally {
      await other.stop();
    }
  });

  it("refuses a wrong password, missing input and a folder that is not writable", async () => {
    const wrong = ["sign-in", "--email", "owner@localhost", "--password", "-"];
    expect(await fails(wrong, elsewhere, "wrong horse")).toBe(
      "Unauthorized: the e-mail or the password is wrong\n",
    );
    expect(await fails(["sign-in"], elsewhere, "")).toMatch(/^--email is missing/);
    expect(await fails(["sign-in", "--email", "a@example.com"], elsewhere, "")).toMatch(
      /^--password is missing/,
    );
    const { code, err } = await signIn({ ...elsewhere, XDG_CONFIG_HOME: "/dev/null" });
    expect([code, err]).toEqual([1, expect.stringMatching(/cannot be stored in \/dev\/null/)]);
    expect(await sessions()).toEqual([]);
  });

  it("says what is wrong with its own file", async () => {
    await signIn();
    writeFileSync(sessionFile(), "{");
    expect(await fails(["app", "list"])).toMatch(/contains no session: delete it/);
    await succeeds(
      ["sign-in", "--email", "owner@localhost", "--password", "-"],
      elsewhere,
      ownerCredentials(node).password,
    );
    await chmod(sessionFile(), 0o600);
    expect(await succeeds(["app", "list"], elsewhere)).toContain("First application");
  });
});

describe("a command with owner.json", () => {
  it("signs in once for many commands, so that the audit log shows what they did", async () => {
    const { id } = JSON.parse(await succeeds(["--json", "app", "create", "--name", "Quiet"]));
    await succeeds(["app", "list"]);
    await succeeds(["app", "update", "--app", id, "--sign-up-open", "false"]);
    expect(await actions()).toEqual(["signInMember", "createApplication", "updateApplication"]);
    expect(await sessions()).toHaveLength(1);
    await node.sql("DELETE FROM account_sessions");
    await succeeds(["app", "update", "--app", id, "--sign-up-open", "true"]);
    expect((await actions()).slice(3)).toEqual(["signInMember", "updateApplication"]);
  });

  it("does not use the session of another owner.json", async () => {
    await succeeds(["app", "list"]);
    expect(await fails(["app", "list"], elsewhere)).toMatch(
      /^\/nonexistent\/owner\.json does not exist: no server has been started/,
    );
  });

  it("signs out where nothing can be kept", async () => {
    await succeeds(["app", "list"], { XDG_CONFIG_HOME: "/dev/null" });
    expect(await sessions()).toEqual([]);
    expect(await actions()).toEqual(["signInMember", "signOutMember"]);
  });

  it("leaves a given token alone", async () => {
    const SIGNALBOX_TOKEN = await ownerToken(node);
    await succeeds(["app", "list"], { ...elsewhere, SIGNALBOX_TOKEN });
    expect(await sessions()).toHaveLength(1);
    expect(readdirSync(home)).toEqual([]);
  });
});
