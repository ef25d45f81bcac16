import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, endOf, ownersEnvironment, runCommand } from "../../support/cli/command-line";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { NO_ENV_FILE } from "../../support/process";
import { newUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

let node: TestNode;
let folder: string;
beforeAll(async () => {
  node = await startNode({ ALLOW_PRIVATE_NETWORKS: "true" });
  folder = await mkdtemp(join(tmpdir(), "signalbox-cli-"));
});
afterAll(async () => {
  await node.stop();
  await rm(folder, { recursive: true });
});

const signalbox = (args: string[], environment: Record<string, string> = {}, input?: string) =>
  runCommand(args, { ...ownersEnvironment(node), ...environment }, input);

/** The JSON output of a command that must succeed. */
async function runJson(args: string[], input?: string) {
  const { code, out, err } = await signalbox(["--json", ...args], {}, input);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

/** Expects a command to exit with 1; returns its standard error, the only output. */
async function runFailing(
  args: string[],
  environment: Record<string, string> = {},
  input?: string,
) {
  const { code, out, err } = await signalbox(args, environment, input);
  expect([code, out]).toEqual([1, ""]);
  expect(err).not.toMatch(/\n +at /);
  return err;
}

it("creates, lists and revokes API keys", async () => {
  const named = ["--app", "1", "--name", "shop", "--scopes", "sessions", "users"];
  const { key, apiKey } = await runJson(["api-key", "create", ...named]);
  expect(key).toMatch(/^sbk_[\w-]{43}$/);
  expect(apiKey).toMatchObject({ name: "shop", scopes: ["SESSIONS", "USERS"], expiresAt: null });
  const list = await signalbox(["api-key", "list", "--app", "1"]);
  expect(list.out).toContain("shop");
  expect(list.out).not.toContain(key);
  expect(await runFailing(["api-key", "create", ...named])).toContain("already been taken");
  const unknown = ["--app", "1", "--name", "other", "--scopes", "everything"];
  expect(await runFailing(["api-key", "create", ...unknown])).toBe(
    "--scopes must be one of push, sessions, users.\n",
  );
  expect(await runJson(["api-key", "revoke", "--api-key", apiKey.id])).toEqual({
    ...{ revokedApiKeyId: apiKey.id, endedSessionCount: null },
  });
  const again = await runJson(["api-key", "create", ...named]);
  const end = ["api-key", "revoke", "--api-key", again.apiKey.id, "--end-sessions", "true"];
  expect(await runJson(end)).toEqual({
    ...{ revokedApiKeyId: again.apiKey.id, endedSessionCount: 0 },
  });
  expect(await runFailing(["api-key", "revoke", "--api-key", apiKey.id])).toContain(
    "no such API key",
  );
});

it("sets and removes the JWTs of a backend", async () => {
  const secret = "a key of the backend, long enough";
  const jwt = ["--jwt-algorithm", "hs256", "--jwt-subject", "external-id", "--jwt-secret", "-"];
  const changed = await runJson(["app", "update", "--app", "1", ...jwt], secret);
  expect(changed.jwt).toEqual({
    ...{ algorithm: "HS256", subject: "EXTERNAL_ID", secretSet: true, jwksUrl: null },
  });
  const shown = await signalbox(["--json", "app", "show", "--app", "1"]);
  expect(shown.out).toContain('"secretSet"');
  expect(shown.out).not.toContain(secret);
  expect((await runJson(["app", "remove-jwt", "--app", "1"])).jwt).toBeNull();
});

it("creates, lists, shows and updates applications, with the owner's file or a token", async () => {
  const { id, authSecret } = await runJson(["app", "create", "--name", "Shop"]);
  const list = await signalbox(["app", "list"]);
  expect(list.out).toMatch(/^id +name +authKey +signUpOpen +webOrigins\n1 +First application/);
  expect(list.out).toContain("Shop");
  const changes = ["--sign-up-open", "false", "--push-senders", "members"];
  changes.push("--incoming-call-push", "true", "--incoming-call-push-delay-seconds", "5");
  changes.push("--incoming-call-push-environment", "development");
  changes.push("--web-origins", "https://a.example", "http://b");
  const changed = await signalbox(["--json", "app", "update", "--app", id, ...changes], {
    DATA_DIR: "/nonexistent",
    SIGNALBOX_TOKEN: await ownerToken(node),
  });
  const webOrigins = ["https://a.example", "http://b"];
  expect(JSON.parse(changed.out)).toMatchObject({
    id,
    name: "Shop",
    signUpOpen: false,
    pushSenders: "MEMBERS",
    incomingCallPush: true,
    incomingCallPushDelaySeconds: 5,
    incomingCallPushEnvironment: "DEVELOPMENT",
    webOrigins,
  });
  expect(await runJson(["app", "update", "--app", id, "--web-origins", ""])).toMatchObject({
    name: "Shop",
    signUpOpen: false,
    webOrigins: [],
    facebook: null,
    firebase: null,
  });
  const rotated = await runJson(["app", "rotate-secret", "--app", id, "--overlap-seconds", "60"]);
  expect(rotated.authSecret).not.toBe(authSecret);
  expect(await runJson(["app", "show", "--app", id])).toMatchObject({
    id,
    authSecret: rotated.authSecret,
    previousSecretValidUntil: expect.any(String),
  });
});

it("sets and removes providers one by one, with secrets from a file or standard input", async () => {
  const { id } = await runJson(["app", "create", "--name", "Providers"]);
  const update = (args: string[], input?: string) =>
    runJson(["app", "update", "--app", id, ...args], input);
  const file = join(folder, "secret.txt");
  await writeFile(file, "from a file\n");
  const facebook = ["--facebook-app-id", "12", "--facebook-version", "v19.0"];
  expect(await update([...facebook, "--facebook-app-secret", `@${file}`])).toMatchObject({
    facebook: { appId: "12", appSecretSet: true, baseUrl: null, version: "v19.0" },
    twitter: null,
    firebase: null,
  });
  const twitter = ["--twitter-consumer-key", "key", "--twitter-base-url", "http://127.0.0.1:1"];
  expect(
    await update([...twitter, "--twitter-consumer-secret", "-"], "from input\n"),
  ).toMatchObject({
    facebook: { appId: "12" },
    twitter: { consumerKey: "key", consumerSecretSet: true },
  });
  expect(await update(["--facebook-version", "", "--firebase-project-id", "p"])).toMatchObject({
    facebook: { appId: "12", appSecretSet: true, version: null },
    firebase: { projectId: "p", keysUrl: null },
  });
  const [row] = await node.sql<{ settings: { facebook: { appSecret: string } } }>(
    "SELECT settings FROM applications WHERE id = $1",
    [id],
  );
  expect(row?.settings.facebook.appSecret).toMatch(/^sealed:/);
  expect(await runJson(["app", "remove-facebook", "--app", id])).toMatchObject({ facebook: null });
  await runJson(["app", "remove-twitter", "--app", id]);
  await runJson(["app", "remove-firebase", "--app", id]);
  expect(await runJson(["app", "show", "--app", id])).toMatchObject({
    facebook: null,
    twitter: null,
    firebase: null,
  });
});

it("lists users page by page, exports one as JSON, and erases one", async () => {
  const user = await newUser(node, { email: "paged-1@example.com" });
  await newUser(node, { email: "paged-2@example.com" });
  const app = ["--app", String(node.application.id)];
  const page = await signalbox(["user", "list", ...app, "--search", "paged-", "--first", "1"]);
  expect(page.out).toMatch(
    /^id .*\n\d+ .*paged-1@example.com.*\n\n1 of 2; --after \S+ shows the next/,
  );
  const after = ["--after", /--after (\S+)/.exec(page.out)?.[1] ?? ""];
  const rest = await runJson(["user", "list", ...app, "--search", "paged-", ...after]);
  expect(rest).toMatchObject({ totalCount: 2, nodes: [{ email: "paged-2@example.com" }] });
  const none = await signalbox(["user", "list", ...app, "--search", "nobody"]);
  expect(none.out).toBe("None.\n");

  const of = [...app, "--user", String(user.id)];
  expect(await runJson(["user", "sessions", ...of])).toMatchObject({
    totalCount: 1,
    nodes: [{ id: String(user.sessionId) }],
  });
  expect(await runJson(["user", "subscriptions", ...of])).toEqual({ totalCount: 0, nodes: [] });
  const exported = await signalbox(["user", "export", ...of]);
  expect(JSON.parse(exported.out)).toMatchObject({
    user: { login: user.login },
    sessions: [{ id: user.sessionId }],
  });
  const changed = ["user", "update", "--user", String(user.id), "--full-name", "Paged"];
  expect(await runJson(changed)).toMatchObject({ id: String(user.id), fullName: "Paged" });
  const end = ["user", "end-session", "--session", String(user.sessionId)];
  expect(await runJson(end)).toEqual({ destroyed: true, userId: String(user.id) });
  const erase = ["user", "erase", ...of];
  const preview = await signalbox([...erase, "--dry-run"]);
  expect(preview.out).toMatch(
    new RegExp(`^name +${user.login}\\nsessions +\\d+\\ndevices +0\\ncalls +0\\n$`),
  );
  expect(await runFailing(erase, {}, "")).toBe(
    "user erase deletes for good, and standard input is no terminal to ask on. Pass --yes; --dry-run shows what it would delete.\n",
  );
  expect(await runFailing([...erase.slice(0, -1), "999999", "--yes"])).toBe(
    "There is no such user\n",
  );
  expect((await runJson(["user", "show", ...of])).id).toBe(String(user.id));
  const erased = await signalbox([...erase, "--yes"]);
  expect(erased.out).toContain(String(user.id));
  expect(await runFailing(["user", "export", ...of])).toBe("There is no such user\n");
});

it("creates and shows a user, and deletes an application with its users", async () => {
  const { id } = await runJson(["app", "create", "--name", "Short-lived"]);
  const password = ["--password", "-"];
  const names = ["--login", "ada", "--full-name", "Ada L.", "--tags", "math", "code"];
  const user = await runJson(
    ["user", "create", "--app", id, ...names, ...password],
    "correct horse\n",
  );
  expect(user).toMatchObject({ login: "ada", fullName: "Ada L.", tags: ["math", "code"] });
  const shown = await signalbox(["user", "show", "--app", id, "--user", user.id]);
  expect(shown.out).toMatch(/^id +\d+\nlogin +ada\n.*\nisGuest +false\n/s);
  const token = await signalbox(
    ["token", "--app", id, "--login", "ada", "--password-stdin"],
    {},
    "correct horse",
  );
  expect(token.out).toMatch(/^[\w-]{40,}\n$/);
  expect(await runFailing(["user", "show", "--app", id, "--user", "999999"])).toBe(
    "Nothing was found.\n",
  );
  const short = ["user", "create", "--app", id, "--login", "bob", ...password];
  expect(await runFailing(short, {}, "short")).toMatch(/^--password is too short/);

  expect(await runJson(["app", "delete", "--app", id, "--dry-run"])).toEqual({
    name: "Short-lived",
    counts: {
      users: { count: 1, isExact: true },
      sessions: { count: 1, isExact: true },
      calls: { count: 0, isExact: true },
      conferences: { count: 0, isExact: true },
      pushes: { count: 0, isExact: true },
    },
  });
  expect(await runFailing(["app", "delete", "--app", id], {}, "")).toMatch(/Pass --yes/);
  expect((await runJson(["app", "show", "--app", id])).name).toBe("Short-lived");
  expect((await signalbox(["app", "delete", "--app", id, "--yes"])).out).toBe(
    `deletedApplicationId  ${id}\n`,
  );
  expect(await runFailing(["app", "show", "--app", id])).toBe("There is no such application\n");
  expect(await node.sql("SELECT 1 FROM users WHERE application_id = $1", [id])).toEqual([]);
});

it("asks on a terminal for the name of what it deletes", async () => {
  const { id } = await runJson(["app", "create", "--name", "Typed"]);
  /** Runs the command on a terminal of its own, by util-linux, and types an answer to its question. */
  const answerWith = async (text: string) => {
    const all = [process.execPath, ...commandLine([...NO_ENV_FILE, "app", "delete", "--app", id])];
    const words = all.map((word) => `'${word}'`).join(" ");
    const terminal = spawn("script", ["-qefc", words, "/dev/null"], {
      env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "dumb", ...ownersEnvironment(node) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = endOf(terminal);
    let output = "";
    terminal.stdout.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
    await eventually(
      () => output,
      (shown) => shown.includes("Type the name to delete it (Typed): "),
    );
    terminal.stdin.write(text);
    const { code } = await ended;
    return { code, output };
  };
  const other = await answerWith("Shop\r");
  expect([other.code, other.output]).toEqual([
    1,
    expect.stringMatching(/users +0.*Nothing was deleted: that is another name\./s),
  ]);
  expect((await answerWith("\u0003")).output).toContain("Nothing was entered.");
  expect((await runJson(["app", "show", "--app", id])).name).toBe("Typed");
  expect((await answerWith("Typed\r")).code).toBe(0);
  expect(await runFailing(["app", "show", "--app", id])).toBe("There is no such application\n");
});

it("lists and exports the audit log, in which its own commands are", async () => {
  const { id } = await runJson(["app", "create", "--name", "Audited"]);
  await runJson(["app", "update", "--app", id, "--sign-up-open", "false"]);
  const table = await signalbox(["audit", "list", "--app", id]);
  expect(table.out).toMatch(
    /^createdAt +email +apiKey +action +outcome +errorCode +applicationId +ip\n/,
  );
  expect(table.out).toMatch(
    /owner@localhost +- +updateApplication +SUCCEEDED +- +\d+ +127.0.0.1\n/,
  );
  await runJson(["app", "update", "--app", id, "--sign-up-open", "true"]);
  const page = await signalbox(["audit", "list", "--action", "updateApplication", "--first", "1"]);
  expect(page.out).toMatch(/\n\n1; --after \d+-\d+ shows the next.\n$/);
  await node.sql(
    `INSERT INTO audit_entries (account_id, member_id, email, role, action, targets, fields, ip, request_id,
        created_at)
      SELECT account_id, 1, 'a@example.com', 'owner', 'old', '[]', '[]', '127.0.0.1', 'r',
        now() - n * interval '1 hour'
      FROM applications, generate_series(1, 250) n WHERE id = $1`,
    [node.application.id],
  );
  const { code, out } = await signalbox(["audit", "export"]);
  const lines = out.trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  expect([code, entries.filter(({ action }) => action === "old").length]).toEqual([0, 250]);
  expect(entries.find(({ action }) => action === "updateApplication")).toMatchObject({
    email: "owner@localhost",
    outcome: "SUCCEEDED",
    targets: [{ name: "applicationId", id }],
    fields: [{ name: "signUpOpen", value: "true", cleared: false }],
    userAgent: "node",
  });
  const [row] = await node.sql<{ count: number }>("SELECT count(*)::int FROM audit_entries");
  expect(entries.length).toBe(row?.count);
  const until = new Date(Date.now() - 200.5 * 3_600_000).toISOString();
  const oldest = await signalbox(["audit", "export", "--until", until]);
  expect(oldest.out.trimEnd().split("\n")).toHaveLength(50);
});

it("finds the server by credentials.json, unless a port is configured", async () => {
  const DATA_DIR = node.environment.DATA_DIR ?? "";
  const list = (environment: Record<string, string>) =>
    runCommand(["app", "list"], { DATA_DIR, ...environment });
  expect((await list({})).out).toMatch(/^id +name/);
  expect((await list({ PORT: "0" })).out).toMatch(/^id +name/);
  expect((await list({ PORT: "1" })).err).toMatch(
    /^No server answers at http:\/\/127\.0\.0\.1:1\./,
  );
  expect((await list({ SIGNALBOX_URL: "http://127.0.0.1:1" })).err).toMatch(/^No server answers/);
  // The public address may not be reachable from here.
  expect((await list({ BASE_URL: node.baseUrl, HOST: "127.0.0.2" })).err).toMatch(
    /^No server answers at http:\/\/127\.0\.0\.2:4000\./,
  );
});

it("says that owner.json contains bad JSON", async () => {
  await writeFile(join(folder, "owner.json"), '{"email": "owner@localhost",');
  const err = await runFailing(["app", "list"], { DATA_DIR: folder });
  expect(err).toMatch(/\/owner\.json contains bad JSON\. /);
});

it("suggests similar commands, but none that destroys something", async () => {
  const suggestion = async (...words: string[]) =>
    /\(Did you mean (.*)\?\)/.exec(await runFailing(words))?.[1];
  expect(await suggestion("user", "lst")).toBe("list");
  expect(await suggestion("user", "shwo")).toBe("show");
  expect(await suggestion("docter")).toBe("doctor");
  for (const [group, name] of [
    ["user", "eras"],
    ["user", "delete"],
    ["app", "delet"],
    ["app", "remove"],
    ["app", "rotate-secrets"],
    ["app", "remove-facebok"],
    ["push", "cler"],
  ] as const) {
    expect([name, await suggestion(group, name)]).toEqual([name, undefined]);
  }
});

it("escapes control characters in names, and prints empty lists", async () => {
  // A stub server, for names that a real one may refuse.
  const server = createServer((request, response) => {
    request.resume();
    const applications =
      request.headers["svc-token"] === "none" ? [] : [{ id: "1", name: HOSTILE_NAME }];
    response.end(JSON.stringify({ data: { account: { applications } } }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const SIGNALBOX_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const list = (args: string[], SIGNALBOX_TOKEN: string) =>
    signalbox([...args, "app", "list"], { SIGNALBOX_URL, SIGNALBOX_TOKEN });
  try {
    expect((await list([], "none")).out).toBe("None.\n");
    expect(JSON.parse((await list(["--json"], "none")).out)).toEqual([]);
    const table = await list([], "some");
    expect(table.out).toBe("id  name\n1   a?[2J?b?c?d?é😀\n");
    const json = await list(["--json"], "some");
    expect(json.out).not.toMatch(/[\u001b\u009b\u202e\u2028]/);
    expect(JSON.parse(json.out)).toEqual([{ id: "1", name: HOSTILE_NAME }]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
const HOSTILE_NAME = "a\u001b[2J\nb\u009bc\u202ed\u2028é😀";

it("prints errors without a stack, and exits with 1", async () => {
  expect(await runFailing(["app", "show", "--app", "99"])).toBe("There is no such application\n");
  expect(await runFailing(["app", "create", "--name", ""])).toBe("--name must not be empty\n");
  expect(await runFailing(["--url", "http://127.0.0.1:1", "app", "list"])).toMatch(
    /^No server answers at http:\/\/127\.0\.0\.1:1\. Start it/,
  );
  expect(await runFailing(["--url", "nowhere", "app", "list"])).toMatch(/^--url must be a URL/);
  expect(await runFailing(["--url", `${node.baseUrl}/elsewhere`, "app", "list"])).toMatch(
    /is not Signalbox/,
  );
  expect(await runFailing(["app", "list"], { DATA_DIR: "/nonexistent" })).toMatch(
    /^\/nonexistent\/owner\.json does not exist: no server has been started/,
  );
  expect(await runFailing(["--token", "acct_wrong", "app", "list"])).toMatch(
    /^The token of --token is unknown at /,
  );
  expect(await runFailing(["app", "list"], { PORT: "http" })).toMatch(/^ {2}- PORT must be/m);
});

it("rejects invalid options without calling a server", async () => {
  const nowhere = { SIGNALBOX_URL: "http://127.0.0.1:1" };
  expect(await runFailing(["app", "creat"], nowhere)).toMatch(/unknown command 'creat'.*create/s);
  expect(await runFailing(["nonsense"], nowhere)).toMatch(/unknown command 'nonsense'/);
  expect(await runFailing(["app", "create"], nowhere)).toMatch(/'--name <text>' not specified/);
  expect(await runFailing(["app", "list", "--what"], nowhere)).toMatch(/unknown option '--what'/);
  expect(await runFailing(["app"], nowhere)).toMatch(/app rotate-secret --app <id> +Replaces/);
  const update = ["app", "update", "--app", "1"];
  expect(await runFailing([...update, "--push-senders", "all"], nowhere)).toBe(
    "--push-senders must be one of members, nobody, users.\n",
  );
  expect(await runFailing(["app", "show", "--app", "Shop"], nowhere)).toBe(
    "--app must be the id of an application, a whole number: signalbox app list shows it.\n",
  );
  expect(await runFailing(["token", "--app", "Shop"], nowhere)).toMatch(
    /^--app must be the id of an application/,
  );
  expect(await runFailing(["user", "show", "--app", "1", "--user", "ada"], nowhere)).toMatch(
    /^--user must be the id of a user, a whole number: signalbox user list shows it/,
  );
  for (const command of [
    ["audit", "list"],
    ["audit", "export"],
    ["call", "list", "--app", "1"],
  ]) {
    expect(await runFailing([...command, "--since", "yesterday"], nowhere)).toMatch(
      /^--since must be a time in ISO 8601/,
    );
  }
  expect(
    await runFailing(["call", "list", "--app", "1", "--states", "ringing", "busy"], nowhere),
  ).toMatch(/^--states must be one of .*hung-up/);
  expect(
    await runFailing(["push", "test", "--app", "1", "--user", "1", "--environment", "x"], nowhere),
  ).toMatch(/Allowed choices are development, production/);
  expect(await runFailing([...update, "--sign-up-open", "perhaps"], nowhere)).toBe(
    "--sign-up-open must be true or false.\n",
  );
  expect(await runFailing(["user", "list", "--app", "1", "--first", "all"], nowhere)).toBe(
    "--first must be a whole number.\n",
  );
  expect(await runFailing([...update, "--facebook-app-secret", "@/nonexistent"], nowhere)).toBe(
    "--facebook-app-secret: the file /nonexistent cannot be read.\n",
  );
  const both = ["--facebook-app-secret", "-", "--twitter-consumer-secret", "-"];
  expect(await runFailing([...update, ...both], nowhere, "secret")).toMatch(/cannot both be read/);
});

it("exits silently when the reader of its output is gone", async () => {
  const all = [process.execPath, ...commandLine([...NO_ENV_FILE, "--json", "app", "list"])];
  // The pipe's reader exits long before the answer arrives.
  const child = spawn("sh", ["-c", '"$@" | true', "sh", ...all], {
    env: { PATH: process.env.PATH, ...ownersEnvironment(node) },
  });
  expect(await endOf(child)).toEqual({ code: 0, out: "", err: "" });
});

it("lists every command with a description in its help", async () => {
  const { code, out } = await signalbox(["--help"]);
  expect(code).toBe(0);
  for (const command of [
    "start",
    "demo",
    "demo:call",
    "demo:conference",
    "app create",
    "app list",
    "app show",
    "app update",
    "app rotate-secret",
    "app delete",
    "user create",
    "user show",
    "user list",
    "user export",
    "user erase",
    "token",
    "migrate",
    "backup <file>",
    "restore <file>",
    "export",
    "doctor",
  ]) {
    expect(out).toMatch(new RegExp(`^ {2}${command}( --\\S+ <\\w+>)* {2,}[A-Z].*`, "m"));
  }
  const start = await signalbox(["start", "--help"]);
  expect(start.out).toMatch(/^Usage: signalbox start/);
  expect(await signalbox(["start", "now"])).toMatchObject({ code: 1, out: "" });
  expect(await signalbox(["--json", "start"])).toEqual({
    code: 1,
    out: "",
    err: "signalbox start has no options but --env-file; environment variables configure it.\n",
  });
  const update = await signalbox(["app", "update", "--help"]);
  expect(update.out).toMatch(/--facebook-app-secret <text> [^@]*standard\s+input,\s+@FILE/);
  expect(update.out).toContain("--url <url>");
  expect((await signalbox(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
