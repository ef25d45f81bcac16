/**
 * Makes a release of the commit that is checked out: `npm run release -- VERSION`. Checks that the changelog names what
 * changed in the public interface, sets the version everywhere, commits and tags. It publishes and pushes nothing.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mentions, readChangelog, releaseEntries } from "./release/changelog";
import { type Differences, findDifferences, type ReadFiles } from "./release/public-interface";
import { isLater, nextVersion, readVersion, type Version } from "./release/versions";
import { run } from "./services/binaries";

const USAGE = "Usage: npm run release -- MAJOR.MINOR.PATCH";
const CHANGELOG = "CHANGELOG.md";
/** Larger than any file of the public interface. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Why no release was made. Nothing has changed. */
class Refusal extends Error {}

/**
 * Makes a release.
 * @param root folder of the repository
 * @param date of the release, as YYYY-MM-DD
 * @returns a message for the user
 * @throws Refusal with what to do
 */
export async function release(root: string, text: string, date: string): Promise<string> {
  const git = async (...args: string[]) =>
    (await run("git", args, { cwd: root, maxBuffer: OUTPUT_BYTES_MAX })).stdout;
  const version = readVersion(text);
  if (version === null) throw new Refusal(`${text} is not a version.\n${USAGE}`);
  if ((await git("status", "--porcelain")) !== "") {
    throw new Refusal("There are changes that are not committed. Commit or remove them.");
  }
  const manifest: Manifest = await readJson(join(root, "package.json"));
  const last = latest(await releases(git, "--merged", "HEAD"));
  checkOrder(version, last, manifest.version);
  checkOtherBranches(version, last, await releases(git, "--no-merged", "HEAD"));
  const changelog = readChangelog(await readFile(join(root, CHANGELOG), "utf8"));
  if (changelog === null) throw new Refusal(`${CHANGELOG} has no heading "## [Unreleased]".`);
  if (changelog.unreleased === "") {
    throw new Refusal(`${CHANGELOG} has no entries below "Unreleased". Describe what users see.`);
  }
  if (last !== null) {
    const found = await findDifferences(filesAt(git, tagOf(last)), filesAt(git, "HEAD"));
    checkEntries(found, changelog.unreleased, last);
    checkSize(version, last, found);
  }
  await writeFile(join(root, CHANGELOG), releaseEntries(changelog, text, date));
  await setVersions(root, git, manifest, text);
  await git("commit", "--quiet", "--all", "--message", `release: ${text}`);
  await git("tag", "--annotate", tagOf(version), "--message", `Signalbox ${text}`);
  return `${tagOf(version)} is committed and tagged. Push both to publish it.`;
}

/** Runs Git in the repository. @returns its standard output */
type Git = (...args: string[]) => Promise<string>;

interface Manifest {
  name?: string;
  version: string;
  workspaces: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const tagOf = (version: Version) => `v${version.join(".")}`;

/** The releases whose tags meet a condition of `git tag`. */
async function releases(git: Git, ...condition: string[]): Promise<Version[]> {
  const tags = (await git("tag", "--list", "v*", ...condition)).split("\n");
  return tags.map((tag) => readVersion(tag.slice(1))).filter((each) => each !== null);
}

/** The latest of some versions; null if there is none. */
function latest(versions: readonly Version[]): Version | null {
  return versions.reduce<Version | null>(
    (last, each) => (last === null || isLater(each, last) ? each : last),
    null,
  );
}

/** The first release may have the version that the package has already. */
function checkOrder(version: Version, last: Version | null, current: string): void {
  const packaged = readVersion(current);
  const isLate = last === null || isLater(version, last);
  if (isLate && (packaged === null || !isLater(packaged, version))) return;
  throw new Refusal(
    `${version.join(".")} is not later than ${last?.join(".") ?? current}. Choose a later version.`,
  );
}

/**
 * Refuses a version that another branch has, and one after it: users of that release would lose what only it contains. An
 * earlier one may be released from a branch of its own.
 */
function checkOtherBranches(
  version: Version,
  last: Version | null,
  others: readonly Version[],
): void {
  const missing = latest(
    others.filter((each) => !isLater(each, version) && (last === null || isLater(each, last))),
  );
  if (missing === null) return;
  throw new Refusal(
    `${tagOf(missing)} is the tag of a commit that this one does not contain. Merge it, or choose an earlier version.`,
  );
}

function checkEntries({ changes }: Differences, entries: string, last: Version): void {
  const missing = changes.filter(({ mention }) => !mentions(entries, mention));
  if (missing.length === 0) return;
  const lines = missing.map(({ text, mention }) => `- ${text} (name it as \`${mention}\`)`);
  throw new Refusal(
    `${CHANGELOG} does not name these changes since ${tagOf(last)}:\n${lines.join("\n")}\nAdd entries below "Unreleased".`,
  );
}

function checkSize(version: Version, last: Version, { changes, breaking }: Differences): void {
  const kind = breaking.length > 0 ? "breaking" : changes.length > 0 ? "added" : "none";
  const least = nextVersion(last, kind);
  if (!isLater(least, version)) return;
  const lines = (breaking.length > 0 ? breaking : changes.map(({ text }) => text)).map(
    (text) => `- ${text}`,
  );
  const what = breaking.length > 0 ? "Clients or operators must follow" : "The interface grows by";
  throw new Refusal(
    `These changes need version ${least.join(".")} or later. ${what}:\n${lines.join("\n")}`,
  );
}

/** Reads the files of a revision. */
function filesAt(git: Git, revision: string): ReadFiles {
  return async (path) => {
    const listed = await git("ls-tree", "-r", "--name-only", revision, "--", path);
    const names = listed.split("\n").filter((name) => name !== "");
    const files = new Map<string, string>();
    for (const name of names) files.set(name, await git("show", `${revision}:${name}`));
    return files;
  };
}

/** Sets the version in the packages and their lock file, in the REST API's description, and in documents. */
async function setVersions(
  root: string,
  git: Git,
  { version: current, workspaces }: Manifest,
  version: string,
): Promise<void> {
  const folders = ["", ...workspaces];
  const names = new Set<string | undefined>();
  for (const folder of folders) {
    const { name } = await readJson<Manifest>(join(root, folder, "package.json"));
    names.add(name);
  }
  const setIn = (manifest: Manifest) => {
    manifest.version = version;
    for (const packages of [manifest.dependencies ?? {}, manifest.devDependencies ?? {}]) {
      for (const name of Object.keys(packages)) if (names.has(name)) packages[name] = version;
    }
  };
  for (const folder of folders) await editJson(join(root, folder, "package.json"), setIn);
  await editJson<Manifest & { packages: Record<string, Manifest> }>(
    join(root, "package-lock.json"),
    (lock) => {
      lock.version = version;
      for (const folder of folders) setIn(lock.packages[folder] as Manifest);
    },
  );
  await editJson<{ info: { version: string } }>(join(root, "schema/openapi.json"), ({ info }) => {
    info.version = version;
  });
  const archive = (of: string) => `signalbox-client-${of}.tgz`;
  for (const name of (await git("ls-files", "*.md")).split("\n")) {
    if (name === "") continue;
    const text = await readFile(join(root, name), "utf8");
    const replaced = text.replaceAll(archive(current), archive(version));
    if (replaced !== text) await writeFile(join(root, name), replaced);
  }
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8")) as T;
}

async function editJson<T>(path: string, edit: (value: T) => void): Promise<void> {
  const value = await readJson<T>(path);
  edit(value);
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function main(args: string[]): Promise<string> {
  const [version] = args;
  if (version === undefined || args.length > 1) throw new Refusal(USAGE);
  return release(process.cwd(), version, new Date().toISOString().slice(0, 10));
}

if (require.main === module) {
  main(process.argv.slice(2)).then(
    (text) => process.stdout.write(`${text}\n`),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Refusal ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
