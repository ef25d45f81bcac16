import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withEnvFile } from "../../src/core/env-file";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-env-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (text: string | Buffer, name = ".env") => writeFileSync(join(folder, name), text);
const read = (environment: Record<string, string> = {}, ...args: string[]) =>
  withEnvFile(environment, args, folder).environment;

test("a folder without .env adds nothing", () => {
  expect(read({ PORT: "1" })).toEqual({ PORT: "1" });
});

test(".env is read as Node.js reads such files, and the environment wins, also with an empty variable", () => {
  write(
    '# comment\n\nexport PORT=5000\nHOST=\'::1\'\r\nMAIL_FROM="Shop <a@b.example>" # who\nREDIS_URL=redis://x\nKEY="one\ntwo"\n',
  );
  expect(read({ PORT: "1", REDIS_URL: "" })).toEqual({
    PORT: "1",
    HOST: "::1",
    MAIL_FROM: "Shop <a@b.example>",
    REDIS_URL: "",
    KEY: "one\ntwo",
  });
});

test("what .env adds is from the folder; what a named file adds is not", () => {
  write("PORT=5000\nHOST=::1");
  const given = { HOST: "127.0.0.1" };
  expect(withEnvFile(given, [], folder).fromFolder).toEqual(["PORT"]);
  expect(withEnvFile(given, ["--env-file", ".env"], folder).fromFolder).toEqual([]);
});

test("the process's own environment does not change", () => {
  write("SIGNALBOX_TEST_OF_ENV=1");
  expect(withEnvFile(process.env, [], folder).environment.SIGNALBOX_TEST_OF_ENV).toBe("1");
  expect(process.env.SIGNALBOX_TEST_OF_ENV).toBeUndefined();
});

test.each([
  ["before a command", ["--env-file", "other.env", "--json", "app", "list"]],
  ["after a command", ["app", "list", "--env-file", "other.env"]],
  ["with =", ["--env-file=other.env"]],
  ["several times, the last one", ["--env-file", "none.env", "--env-file", "other.env"]],
])("--env-file %s names another file, relative to the folder", (_where, args) => {
  write("PORT=1");
  write("PORT=2", "other.env");
  expect(read({}, ...args)).toEqual({ PORT: "2" });
});

test.each([
  ["a missing one", "none.env", "it cannot be read (ENOENT)"],
  ["a folder", ".", "it cannot be read (EISDIR)"],
  ["one that is too large", "large.env", "it is larger than 65536 bytes"],
  ["one that is not UTF-8", "latin.env", "it is not UTF-8 text"],
  ["a binary one", "binary.env", "it is not a text file"],
  ["one with a line that is no variable", "lines.env", "line 3 is not NAME=value"],
])("%s is an error with the path, which does not repeat the content", (_what, name, reason) => {
  write("A=".padEnd(65_537, "x"), "large.env");
  write(Buffer.from([0x41, 0x3d, 0xe9]), "latin.env");
  write("A=hunter2\0", "binary.env");
  write("A=1\n\nhunter2\nB=2\n", "lines.env");
  expect(() => read({}, "--env-file", name)).toThrow(
    new Error(`${join(folder, name)} cannot be used as the environment file: ${reason}`),
  );
});

test("--env-file needs a path, and .env must be valid too", () => {
  expect(() => read({}, "--env-file")).toThrow("--env-file needs the path of a file");
  write("PORT 4000");
  expect(() => read()).toThrow(`${join(folder, ".env")} cannot be used`);
});

test("a file of the largest size is read", () => {
  write("A=".padEnd(65_536, "x"));
  expect(read().A).toHaveLength(65_534);
});
