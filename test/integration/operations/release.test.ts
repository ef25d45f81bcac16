import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { release } from "../../../scripts/release";
import { run } from "../../../scripts/services/binaries";

/** `npm run release` in repositories of the test's own. */

const ROOT = join(__dirname, "../../..");
const DATE = "2026-02-02";

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** The files that a release reads or writes, as short as can be. What is not of the repository has the version 0.1.0. */
function filesOf(version: string): Record<string, string> {
  const other = { other: "0.1.0" };
  const client = { name: "@signalbox/client", version };
  const page = { version, devDependencies: { "@signalbox/client": version, ...other } };
  const example = { name: "example", version, dependencies: { "@signalbox/client": version } };
  return {
    "package.json": json({
      name: "signalbox",
      version,
      workspaces: ["client", "page", "example"],
      dependencies: other,
    }),
    "client/package.json": json(client),
    "page/package.json": json({ name: "page", ...page }),
    "example/package.json": json(example),
    "package-lock.json": json({
      name: "signalbox",
      version,
      packages: {
        "": { name: "signalbox", version, dependencies: other },
        client,
        page,
        example,
        "node_modules/other": { version: "0.1.0" },
      },
    }),
    "schema/openapi.json": json({ info: { version }, paths: {} }),
    "README.md": `npm install ./signalbox-client-${version}.tgz\nother-0.1.0.tgz\n`,
  };
}

const FILES: Record<string, string> = {
  ...filesOf("0.1.0"),
  "schema/schema.graphql": "type Query { a: Int }\n",
  "schema/xmpp/call.xml": "<message/>\n",
  ".env.example": "# About PORT.\n# PORT=4000\n",
  "docs/METRICS.md": "| `a_total` | counter | number | none | All. |\n",
  "docs/COMMANDS.md": "## user list\n",
  "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- All.\n",
};

/** Of each repository, whatever the machine has. */
const CONFIGURATION = `
[user]
  name = Tester
  email = tester@example.com
[commit]
  gpgSign = false
[tag]
  gpgSign = false
[core]
  hooksPath = /dev/null
`;

let folder: string;
const git = async (...args: string[]) => (await run("git", args, { cwd: folder })).stdout.trim();
const read = (name: string) => readFile(join(folder, name), "utf8");

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function commit(files: Record<string, string>): Promise<void> {
  await write(files);
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "a change");
}

/** Replaces the entries of the next release. */
async function entries(text: string): Promise<Record<string, string>> {
  const changelog = await read("CHANGELOG.md");
  return {
    "CHANGELOG.md": changelog.replace(/(?<=## \[Unreleased\]\n).*?(?=## |$)/s, `\n${text}\n\n`),
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-release-"));
  await git("init", "--quiet");
  await appendFile(join(folder, ".git/config"), CONFIGURATION);
  await commit(FILES);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Expects that a release is refused and leaves the repository as it is. */
async function expectRefusal(version: string, message: string | RegExp): Promise<void> {
  const state = async () =>
    Promise.all([git("rev-parse", "HEAD"), git("status", "--porcelain"), git("tag")]);
  const before = await state();
  await expect(release(folder, version, DATE)).rejects.toThrow(message);
  expect(await state()).toEqual(before);
}

test("the first release compares with nothing and may have the version of the packages", async () => {
  expect(await release(folder, "0.1.0", DATE)).toContain("v0.1.0");
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("log", "-1", "--format=%s")).toBe("release: 0.1.0");
  expect(await git("rev-parse", "v0.1.0^{commit}")).toBe(await git("rev-parse", "HEAD"));
  expect(await git("cat-file", "-t", "v0.1.0")).toBe("tag");
  expect(await read("CHANGELOG.md")).toBe(
    "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-02-02\n\n### Added\n\n- All.\n",
  );
  expect(await read("package.json")).toBe(FILES["package.json"]);
});

test("a release sets the version everywhere, and nowhere else", async () => {
  await release(folder, "0.1.0", DATE);
  await commit(await entries("- Corrected."));
  await release(folder, "0.1.1", DATE);
  expect(await git("status", "--porcelain")).toBe("");
  const expected = filesOf("0.1.1");
  for (const [name, text] of Object.entries(expected)) {
    expect([name, await read(name)]).toEqual([name, text]);
  }
  expect(await git("show", "--name-only", "--format=", "HEAD")).toBe(
    ["CHANGELOG.md", ...Object.keys(expected)].sort().join("\n"),
  );
});

test("a text that is no version is refused", () =>
  expectRefusal("1.0", "1.0 is not a version.\nUsage: npm run release -- MAJOR.MINOR.PATCH"));

test("changes that are not committed are refused", async () => {
  await write({ "new.txt": "" });
  await expectRefusal("0.1.0", "Commit or remove them.");
});

test("a version that is not later than the last one is refused", async () => {
  await expectRefusal("0.0.9", "0.0.9 is not later than 0.1.0.");
  await release(folder, "0.1.0", DATE);
  await commit(await entries("- Corrected."));
  await expectRefusal("0.1.0", "0.1.0 is not later than 0.1.0.");
});

test("a changelog without entries, or without a part for them, is refused", async () => {
  await commit(await entries(""));
  await expectRefusal("0.1.0", 'has no entries below "Unreleased"');
  await commit({ "CHANGELOG.md": "# Changelog\n" });
  await expectRefusal("0.1.0", 'has no heading "## [Unreleased]"');
});

test("a change of the public interface needs an entry that names it, and a version that may have it", async () => {
  await release(folder, "0.1.0", DATE);
  await commit({
    ...(await entries("- Better.")),
    "schema/schema.graphql": "type Query { b: Int }\n",
    ".env.example": "# About PORT.\n# PORT=4001\n# About HOST.\n# HOST=\n",
  });
  await expectRefusal(
    "0.2.0",
    `CHANGELOG.md does not name these changes since v0.1.0:
- GraphQL: removed Query.a (name it as \`a\`)
- GraphQL: added Query.b (name it as \`b\`)
- settings: added HOST (name it as \`HOST\`)
- settings: changed PORT (name it as \`PORT\`)
Add entries below "Unreleased".`,
  );
  await commit(await entries("- `a` is `b`. `HOST` is new, and `PORT=4001` the default."));
  await expectRefusal(
    "0.1.1",
    "need version 0.2.0 or later. Clients or operators must follow:\n- GraphQL: Query.a was removed.",
  );
  await release(folder, "0.2.0", DATE);
  expect(await git("tag")).toBe("v0.1.0\nv0.2.0");
});

test("from 1.0 on, an addition needs a minor version and a breaking change a major one", async () => {
  await release(folder, "1.0.0", DATE);
  await commit({ ...(await entries("- `HOST`.")), ".env.example": "# PORT=4000\n# HOST=\n" });
  await expectRefusal("1.0.1", "need version 1.1.0 or later. The interface grows by:\n- settings");
  await release(folder, "1.1.0", DATE);
  await commit({ ...(await entries("- No `HOST`.")), ".env.example": "# PORT=4000\n" });
  await expectRefusal("1.2.0", "need version 2.0.0 or later.");
  await release(folder, "2.0.0", DATE);
});

test("a later release of another branch, and other tags, do not count", async () => {
  await release(folder, "0.1.0", DATE);
  const first = await git("rev-parse", "HEAD");
  await commit(await entries("- Later."));
  await release(folder, "0.5.0", DATE);
  await git("checkout", "--quiet", "-b", "maintenance", first);
  await git("tag", "vendor-import");
  await commit(await entries("- Corrected."));
  await release(folder, "0.1.1", DATE);
  expect(await git("describe", "--abbrev=0")).toBe("v0.1.1");
});

test("a version is refused that another branch has, or that is later than a release of another branch", async () => {
  const first = await git("rev-parse", "HEAD");
  await release(folder, "0.1.0", DATE);
  await commit(await entries("- Later."));
  await release(folder, "0.2.0", DATE);
  const main = await git("rev-parse", "HEAD");
  await git("checkout", "--quiet", "-b", "other", "v0.1.0");
  await commit(await entries("- Corrected."));
  for (const version of ["0.2.0", "0.3.0"]) {
    await expectRefusal(version, "v0.2.0 is the tag of a commit that this one does not contain.");
  }
  await release(folder, "0.1.1", DATE);
  // A correction of an earlier version does not hold back the next one.
  await git("checkout", "--quiet", "-b", "next", main);
  await commit(await entries("- More."));
  await release(folder, "0.2.1", DATE);
  await git("checkout", "--quiet", "-b", "before", first);
  await expectRefusal("0.1.0", "v0.1.0 is the tag of a commit that this one does not contain.");
});

test("the program works on the repository that it runs in, and exits with 1 if it refuses", async () => {
  const loader = join(ROOT, "tools/run-typescript.js");
  const program = (...args: string[]) =>
    new Promise<[code: number, output: string]>((resolve) => {
      const command = ["-r", loader, join(ROOT, "scripts/release.ts"), ...args];
      execFile(process.execPath, command, { cwd: folder }, (error, stdout, stderr) =>
        resolve([error === null ? 0 : Number(error.code), stdout + stderr]),
      );
    });
  expect(await program()).toEqual([1, "Usage: npm run release -- MAJOR.MINOR.PATCH\n"]);
  expect(await program("0.1.0")).toEqual([
    0,
    "v0.1.0 is committed and tagged. Push both to publish it.\n",
  ]);
  expect(await program("0.1.0")).toEqual([1, expect.stringContaining("is not later than")]);
});
