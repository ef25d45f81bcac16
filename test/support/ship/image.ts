import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../../../scripts/services/binaries";

const run = promisify(execFile);

const DEBIAN = "docker.io/library/debian:bookworm-slim";
const NODE = "docker.io/library/node:22-bookworm-slim";
const NODE_VERSION = "22.23.5";
const NPM_VERSION = "10.9.4";
const NAME = "localhost/signalbox";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
/** What Debian's slim images leave out of its base system. */
const NOT_SLIM = ["cache/apt", "lib/apt/lists", "log"]
  .map((name) => `var/${name}`)
  .concat(["doc", "info", "locale", "man"].map((name) => `usr/share/${name}`));

/** Runs buildah. @returns what it prints */
type Buildah = (...args: string[]) => Promise<string>;

/** buildah with a storage of its own in a folder, so that it neither uses nor replaces images of the machine. */
function buildahIn(folder: string): Buildah {
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  // Tests of the command line set it to a place that cannot have files, which buildah refuses.
  const env = { ...process.env, XDG_CONFIG_HOME: undefined };
  return async (...args) => {
    const { stdout } = await run("buildah", [...storage, ...args], { env, maxBuffer: 2 ** 26 });
    return stdout.trim();
  };
}

/** @throws Error that says what the build of the image needs of the machine */
function requireBuilder(): void {
  for (const name of ["buildah", "debootstrap"]) findProgram(name, "buildah debootstrap");
  if (process.getuid?.() !== 0) throw new Error("Only root can build and run the image.");
}

/** The configuration of an image, as `docker image inspect` shows it. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Volumes: Record<string, object>;
  Labels: Record<string, string>;
  StopSignal: string;
  Healthcheck: { Test: string[] };
}

/** An image with its root file system on this machine. */
export interface BuiltImage {
  config: ImageConfig;
  /** Size of its layers, in bytes. */
  size: number;
  /** Where its root file system is mounted. */
  root: string;
  /** Unmounts and deletes it, with all that the build has made. */
  remove(): Promise<void>;
}

/**
 * Makes the two images that the Dockerfile begins with: Debian's base system by debootstrap, and Node.js with npm by the
 * packages that carry them. No registry of images is needed. Requests of the build trust the machine's certificates.
 */
async function makeBaseImages(folder: string, buildah: Buildah): Promise<void> {
  const root = join(folder, "debian");
  await mkdir(folder);
  await run("debootstrap", ["--variant=minbase", "--include=ca-certificates", "bookworm", root]);
  for (const path of NOT_SLIM) await rm(join(root, path), { recursive: true, force: true });
  const debian = await buildah("from", "scratch");
  await buildah("add", "--quiet", debian, root, "/");
  await buildah("commit", "--quiet", debian, DEBIAN);

  const program = `node-${process.platform}-${process.arch}`;
  const packages = [`${program}@${NODE_VERSION}`, `npm@${NPM_VERSION}`];
  await run("npm", ["install", "--prefix", folder, "--ignore-scripts", ...packages]);
  const modules = join(folder, "node_modules");
  const node = await buildah("from", DEBIAN);
  await buildah("add", "--quiet", node, join(modules, program, "bin/node"), "/usr/local/bin/node");
  await buildah("add", "--quiet", node, join(modules, "npm"), "/usr/local/lib/node_modules/npm");
  await buildah("add", "--quiet", node, CERTIFICATES, CERTIFICATES);
  const inNode = (...command: string[]) =>
    buildah("run", "--isolation", "chroot", node, "--", ...command);
  await inNode("ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm");
  await buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, node);
  await buildah("commit", "--quiet", node, NODE);
}

/** Builds the Dockerfile of a folder. @throws Error if the machine cannot build images, or the build fails */
export async function buildImage(context: string): Promise<BuiltImage> {
  requireBuilder();
  const folder = await mkdtemp(join(tmpdir(), "signalbox-image-"));
  const buildah = buildahIn(folder);
  const remove = async () => {
    await buildah("umount", "--all");
    await buildah("rm", "--all");
    await buildah("rmi", "--all", "--force");
    // buildah mounts this folder on itself, and leaves it so.
    await run("umount", [join(folder, "storage/overlay")]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await makeBaseImages(join(folder, "bases"), buildah);
    const options = ["--quiet", "--isolation", "chroot", "--format", "docker", "--pull-never"];
    await buildah("bud", ...options, "--tag", NAME, context);
    const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", NAME));
    const root = await buildah("mount", await buildah("from", NAME));
    const size = await run("du", ["--summarize", "--bytes", "--one-file-system", root]);
    return { config: Docker.config, size: Number.parseInt(size.stdout, 10), root, remove };
  } catch (error) {
    // The first error says why.
    await remove().catch(() => undefined);
    throw error;
  }
}

/** Runs a command in a container's place: on the image's root file system, read-only, as its user, with its environment. */
export function runInImage(
  { root, config }: BuiltImage,
  command: readonly string[],
  { data, env = {} }: { data: string; env?: Record<string, string> },
): ChildProcess {
  const script = [
    'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"',
    'mount --bind "$2" "$1/data"',
    'mount -t tmpfs tmpfs "$1/tmp" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"',
    'user=$3 && root=$1 && shift 3 && exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"',
  ].join("\n");
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const inside = [...config.Env, ...variables, ...command];
  return spawn(
    "unshare",
    ["--mount", "sh", "-ec", script, "sh", root, data, config.User, ...inside],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
}

/** Waits until a process ends. @returns its exit code, or null after a signal */
export async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = await once(child, "exit");
  return code;
}
