import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { graphql } from "../../../tools/graphql/graphql-http";
import { runCommand } from "../../support/cli/command-line";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { addMember, memberToken, ownerCredentials } from "../../support/sessions/owner";

/** A lost password is replaced on the database: of a stopped server, or on PostgreSQL. */

let node: TestNode;
beforeEach(async () => {
  node = await startNode();
});
afterEach(() => node.stop());

/** What the command says of the embedded database while it opens it. */
const PROGRESS = hasServices ? "" : "opening the embedded database\n";
const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";

/** Runs the command on the node's database, which a running node with an embedded one keeps to itself. */
const reset = (args: string[], input?: string) =>
  runCommand(["member", "reset-password", ...args], databaseOf(node), input);

function databaseOf({ environment }: TestNode): Record<string, string> {
  const names = ["DATA_DIR", "DATABASE_URL", "SECRET_KEY", "REDIS_URL"];
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? ""]));
}

/** Stops the node if its database is embedded, acts, and starts a node on the same database. */
async function whileStopped<T>(act: () => Promise<T>): Promise<T> {
  if (!hasServices) await node.app.close();
  const result = await act();
  if (!hasServices) {
    const { stop } = node;
    const next = await startNode({}, {}, node);
    const stopBoth = () => next.app.close().then(stop);
    node = { ...next, stop: stopBoth };
  }
  return result;
}

const signInCode = async (email: string, password: string) => {
  const { errors } = await graphql(node, SIGN_IN, { input: { email, password } });
  return errors?.[0].extensions.code ?? "signed in";
};

it("gives the only owner a random password, which owner.json has too, and ends the sessions", async () => {
  const before = ownerCredentials(node);
  const token = await memberToken(node, "owner");
  const { code, out, err } = await whileStopped(() => reset([]));
  expect([code, err]).toEqual([0, PROGRESS]);
  const password = /shown only here: ([\w-]{43})\n/.exec(out)?.[1] ?? "";
  expect(out).toMatch(/^The password of owner@localhost was replaced/);
  expect(out).toMatch(/owner\.json has it, so that the command line works as before\.\n$/);
  expect(ownerCredentials(node)).toEqual({ email: "owner@localhost", password });
  expect(await signInCode("owner@localhost", before.password)).toBe("UNAUTHENTICATED");
  expect(await signInCode("owner@localhost", password)).toBe("signed in");
  const { errors } = await graphql(node, "{ account { id } }", {}, token);
  expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
  expect(
    await node.sql(
      "SELECT email, outcome::text, ip, user_agent FROM audit_entries WHERE action = 'resetMemberPassword'",
    ),
  ).toEqual([
    {
      email: "owner@localhost",
      outcome: "succeeded",
      ip: "",
      user_agent: "signalbox member reset-password",
    },
  ]);
  const rows = await node.sql("SELECT * FROM audit_entries");
  expect(JSON.stringify(rows)).not.toContain(password);
});

it("sets a given password, which no file gets, of the member that --email names", async () => {
  await addMember(node);
  const written = readFileSync(join(node.environment.DATA_DIR ?? "", "owner.json"), "utf8");
  const email = ["--email", "FIXTURE@example.com", "--password", "-"];
  const { code, out } = await whileStopped(() => reset(email, "a new password\n"));
  expect([code, out]).toEqual([
    0,
    "The password of fixture@example.com was replaced, and all sessions of the member ended.\n",
  ]);
  expect(await signInCode("fixture@example.com", "a new password")).toBe("signed in");
  const owner = ["--email", "owner@localhost", "--password", "-", "--json"];
  const changed = await whileStopped(() => reset(owner, "chosen by the owner"));
  expect(JSON.parse(changed.out)).toEqual({
    email: "owner@localhost",
    password: null,
    ownerFile: { path: expect.stringMatching(/owner\.json$/), isCurrent: false },
  });
  expect(readFileSync(join(node.environment.DATA_DIR ?? "", "owner.json"), "utf8")).toBe(written);
  expect(await signInCode("owner@localhost", "chosen by the owner")).toBe("signed in");
});

it("changes nothing for an unknown address, several owners, or a password that breaks the rules", async () => {
  await node.sql(
    `INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT id, 'second@example.com', 'no hash', 'owner' FROM accounts`,
  );
  const before = await node.sql("SELECT password_hash FROM account_members ORDER BY id");
  await whileStopped(async () => {
    expect(await reset([])).toEqual({
      code: 1,
      out: "",
      err: `${PROGRESS}Name the member with --email. Owners: owner@localhost, second@example.com.\n`,
    });
    expect((await reset(["--email", "nobody@example.com"])).err).toMatch(
      /No member has the address nobody@example\.com\. Owners: owner@localhost, /,
    );
    const short = await reset(["--email", "owner@localhost", "--password", "-"], "short");
    expect([short.code, short.err]).toEqual([1, expect.stringMatching(/^password is too short/)]);
  });
  expect(await node.sql("SELECT password_hash FROM account_members ORDER BY id")).toEqual(before);
});

it("leaves an owner.json alone that has another password", async () => {
  const path = join(node.environment.DATA_DIR ?? "", "owner.json");
  const written = '{"email":"owner@localhost","password":"of another deployment"}';
  writeFileSync(path, written);
  const { code, out } = await whileStopped(() => reset(["--json"]));
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { email: "owner@localhost", password: expect.any(String), ownerFile: null },
  ]);
  expect(readFileSync(path, "utf8")).toBe(written);
});

if (hasServices) {
  it("prints the new password although owner.json cannot be written", async () => {
    // The path of the file is as long as paths may be, so that there is no room for its draft.
    let folder = mkdtempSync(join(tmpdir(), "signalbox-reset-"));
    const top = folder;
    while (folder.length < 4_080)
      folder = join(folder, "a".repeat(Math.min(200, 4_080 - folder.length)));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "owner.json");
    writeFileSync(path, JSON.stringify(ownerCredentials(node)));
    const environment = { ...databaseOf(node), DATA_DIR: folder };
    const { code, out } = await runCommand(["member", "reset-password"], environment);
    rmSync(top, { recursive: true });
    expect(code).toBe(0);
    expect(out).toContain(`${path} still has the old password`);
    const password = /shown only here: ([\w-]{43})\n/.exec(out)?.[1] ?? "";
    expect(await signInCode("owner@localhost", password)).toBe("signed in");
  });
}

it("refuses a database that lacks migrations, and applies none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-reset-"));
  const dataDir = join(folder, "db");
  await (await PGlite.create({ dataDir })).close();
  const refusal =
    "This version has migrations that are not applied: use the version of the nodes, or run signalbox migrate first.\n";
  expect(await runCommand(["member", "reset-password"], { DATA_DIR: folder })).toEqual({
    code: 1,
    out: "",
    err: refusal,
  });
  const lite = await PGlite.create({ dataDir });
  const { rows } = await lite.query("SELECT FROM pg_tables WHERE schemaname = 'public'");
  expect(rows).toEqual([]);
  await lite.close();
  rmSync(folder, { recursive: true });
});

it("creates no database where there is none", async () => {
  const { code, err } = await runCommand(["member", "reset-password"], {
    DATA_DIR: "/nonexistent",
  });
  expect([code, err]).toEqual([1, expect.stringMatching(/^\/nonexistent has no database\./)]);
});

if (!hasServices) {
  it("does not touch the folder of a running server, and says what to do", async () => {
    const { code, err } = await reset([]);
    expect([code, err]).toEqual([1, expect.stringMatching(/in use by another process/)]);
    expect(err).toMatch(/stop it, repeat this command, and start it again/);
  });
}
