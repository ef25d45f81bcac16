import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/services/binaries";
import { type GatewayNode, graphql } from "../../tools/graphql/graphql-http";
import { closeAfterEach } from "../support/close-after-each";
import { eventually } from "../support/moving-clock";
import { FREE_PORTS } from "../support/ports";
import { type BuiltImage, buildImage, endOf, runInImage } from "../support/ship/image";
import { outputOf } from "../support/ship/installed-package";

/** The image of the Dockerfile, built by buildah, and run from its root file system. */

const ROOT = join(__dirname, "../..");
const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
const APPLICATIONS = "{ account { applications { name } } }";

let image: BuiltImage;
beforeAll(async () => {
  image = await buildImage(ROOT);
});
afterAll(() => image?.remove());

const running = closeAfterEach();
/** An empty volume, with the owner and the mode that a new one gets. */
let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "signalbox-volume-"));
  const [user = 0, group = 0] = image.config.User.split(":").map(Number);
  await chown(data, user, group);
});
afterEach(() => rm(data, { recursive: true, force: true }));

/** Starts the image's command, and waits until its health check passes, and then until it is ready. */
async function start() {
  const { Entrypoint, Cmd, Healthcheck } = image.config;
  const env = { ...FREE_PORTS, PORT: String(await freePort()) };
  const child = runInImage(image, [...Entrypoint, ...Cmd], { data, env });
  const output = outputOf(child);
  running({
    close: async () => {
      child.kill("SIGKILL");
      await endOf(child);
    },
  });
  const [, ...check] = Healthcheck.Test;
  const isHealthy = async () => {
    if (child.exitCode !== null) throw new Error(`the service ended:\n${output()}`);
    return (await endOf(runInImage(image, check, { data, env }))) === 0;
  };
  await eventually(isHealthy, Boolean);
  const url = `http://127.0.0.1:${env.PORT}`;
  await eventually(
    () => fetch(`${url}/readyz`),
    ({ ok }) => ok,
  );
  return { child, output, graphqlUrl: `${url}/graphql` };
}

/** The names of the applications, read by a member who signs in with the file of the volume. */
async function applications(service: GatewayNode): Promise<string[]> {
  const { email, password } = JSON.parse(await readFile(join(data, "owner.json"), "utf8"));
  const signedIn = await graphql(service, SIGN_IN, { input: { email, password } });
  const { token } = signedIn.data.signInMember;
  const { account } = (await graphql(service, APPLICATIONS, {}, token)).data;
  return account.applications.map(({ name }: { name: string }) => name);
}

it("has at most 350 MB, as docs/DEPLOY.md tells, and says how it is run", async () => {
  expect(image.size).toBeLessThan(350_000_000);
  const guide = await readFile(join(ROOT, "docs/DEPLOY.md"), "utf8");
  const told = /the image for amd64 by buildah, (\d+) MB/.exec(guide)?.[1];
  expect(Math.abs(image.size / 1e6 - Number(told))).toBeLessThan(5);
  const { User, Env, Entrypoint, Cmd, Volumes, Labels, StopSignal, Healthcheck } = image.config;
  expect({ User, Entrypoint, Cmd, StopSignal }).toEqual({
    User: "10001:10001",
    Entrypoint: ["signalbox"],
    Cmd: ["start"],
    StopSignal: "SIGTERM",
  });
  expect(Env).toEqual(expect.arrayContaining(["HOST=0.0.0.0", "DATA_DIR=/data"]));
  expect(Env.join()).not.toContain("NODE_EXTRA_CA_CERTS");
  expect(Object.keys(Volumes)).toEqual(["/data"]);
  expect(Labels).toMatchObject({ "org.opencontainers.image.title": "Signalbox" });
  expect(Healthcheck.Test.slice(0, 2)).toEqual(["CMD", "node"]);
});

it("runs with a read-only root, as a user without rights, and ends by SIGTERM", async () => {
  const service = await start();
  expect(await applications(service)).toHaveLength(1);
  for (const path of ["/opt/signalbox/x", "/etc/x", "/x"]) {
    expect([path, await endOf(runInImage(image, ["touch", path], { data }))]).toEqual([path, 1]);
  }
  const identity = runInImage(image, ["id", "-u"], { data });
  const shown = outputOf(identity);
  await endOf(identity);
  expect(shown().trim()).toBe("10001");
  service.child.kill("SIGTERM");
  expect(await endOf(service.child)).toBe(0);
});

it("keeps its data when it is killed", async () => {
  const killed = await start();
  const before = await applications(killed);
  killed.child.kill("SIGKILL");
  await endOf(killed.child);
  expect(await applications(await start())).toEqual(before);
});

it("has the command line", async () => {
  const version = runInImage(image, ["signalbox", "--version"], { data });
  const shown = outputOf(version);
  expect(await endOf(version)).toBe(0);
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  expect(shown().trim()).toBe(manifest.version);
});
