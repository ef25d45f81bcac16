import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startNode, type TestNode } from "../../support/node";
import {
  installPackedClient,
  type PackedClient,
  strictProblems,
} from "../../support/published-clients/packed-client";
import { newApiKey } from "../../support/sessions/api-keys";

/** @signalbox/client as npm packs it: its files, types, size, and use by Vite, Node.js and React 19. */

const ROOT = join(__dirname, "../../..");
/** The bundler of Vite. */
const esbuild = require(require.resolve("esbuild", { paths: [require.resolve("vite")] }));
/** The versions of browsers of January 2024, which is more than two years of them. */
const BROWSERS = ["chrome121", "edge121", "firefox122", "safari17.2", "ios17.2"];

let client: PackedClient;
beforeAll(async () => {
  client = await installPackedClient("react@19", "react-dom@19", "@types/react@19", "ws@8.23.0");
});
afterAll(() => client?.remove());

const PROGRAM = `
import { createSignalbox, openConnection, listUsers, sessionFromUrl, SignalboxError } from "@signalbox/client";
import type { Call, Conference, Participant, Signalbox } from "@signalbox/client";
import { openMemberConnection } from "@signalbox/client/admin";
import { openSessions } from "@signalbox/client/server";
import {
  SignalboxProvider, useCall, useCalls, useConference, useSession, useSignalbox, Video,
} from "@signalbox/client/react";

export const signalbox: Signalbox = createSignalbox({ url: "http://127.0.0.1", session: sessionFromUrl("/session") });
export const small = openConnection({ url: "http://127.0.0.1", session: () => "token" });
export const owner = openMemberConnection({ url: "http://127.0.0.1", source: () => "acct_token" });
export const sessions = openSessions({ url: "http://127.0.0.1", applicationId: 1, authKey: "k", authSecret: "s" });
signalbox.calls.on("incoming", (call) => call.accept());
export const names = async () => (await listUsers(signalbox.session)).nodes.map(({ fullName }) => fullName);
export const isBusy = (error: unknown) => error instanceof SignalboxError && error.code === "CONFLICT";
// @ts-expect-error there is no such code
export const isNothing = (error: SignalboxError) => error.code === "NOTHING";
// @ts-expect-error a source of sessions is required
export const missing = () => createSignalbox({ url: "http://127.0.0.1" });

function View({ call, conference }: { call: Call; conference: Conference | null }) {
  const { participants } = useCall(call);
  const others = useConference(conference)?.participants ?? [];
  const { user } = useSession();
  const { incoming } = useCalls();
  const { close } = useSignalbox();
  const first: Participant | undefined = participants[0];
  return (
    <p onClick={close}>
      {user?.fullName} {incoming?.callerId} {first?.userId} {others.length}
      <Video stream={first?.stream ?? null} muted />
    </p>
  );
}
export const page = (call: Call) => (
  <SignalboxProvider signalbox={signalbox}>
    <View call={call} conference={null} />
  </SignalboxProvider>
);
`;

/** Bundles a module for browsers. */
async function bundle(contents: string, options: object = {}): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: client.folder },
    ...{ bundle: true, minify: true, write: false, format: "esm", logLevel: "silent" },
    external: ["react"],
    ...options,
  });
  return outputFiles[0].text;
}

const CONNECTION = 'export { openConnection } from "@signalbox/client"';
const EVERYTHING = 'export { createSignalbox } from "@signalbox/client"';
const kilobytes = (text: string) => gzipSync(text, { level: 9 }).length / 1024;

test("the tarball holds each compiled module with its types, the licence and the README alone", () => {
  const modules = readdirSync(join(ROOT, "client/src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.replace(/\.ts$/, ""));
  const compiled = modules.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]);
  expect(compiled.length).toBeGreaterThan(80);
  const others = client.files.filter((file) => !file.startsWith("dist/"));
  expect(others.filter((file) => !file.startsWith("service-worker"))).toEqual([
    "LICENSE",
    "README.md",
    "package.json",
  ]);
  expect(client.files.filter((file) => file.startsWith("dist/")).sort()).toEqual(compiled.sort());
  const manifest = JSON.parse(
    readFileSync(join(client.folder, "node_modules/@signalbox/client/package.json"), "utf8"),
  );
  expect(Object.keys(manifest.dependencies)).toEqual(["graphql-ws"]);
  expect(manifest.sideEffects).toBe(false);
  const entries = Object.values<Record<string, string> | string>(manifest.exports);
  for (const path of entries.flatMap(
    (entry) =>
      Object.values(entry)
        .join("")
        .match(/\.\/dist\S+?\.(?:d\.ts|js)/g) ?? [],
  )) {
    expect(client.files).toContain(path.slice(2));
  }
});

test.each([
  "node16",
  "bundler",
] as const)("a program that uses every entry compiles in strict mode by %s resolution, with the types of React 19", async (moduleResolution) => {
  await client.write("program.tsx", PROGRAM);
  expect(strictProblems(join(client.folder, "program.tsx"), moduleResolution)).toEqual([]);
});

test("Vite builds a page with it", async () => {
  await client.write("index.html", '<script type="module" src="/page.js"></script>');
  await client.write(
    "page.js",
    `import { createSignalbox } from "@signalbox/client";
     import { SignalboxProvider } from "@signalbox/client/react";
     import { createElement } from "react";
     import { createRoot } from "react-dom/client";
     const signalbox = createSignalbox({ url: "http://127.0.0.1", session: () => "token" });
     createRoot(document.body).render(createElement(SignalboxProvider, { signalbox }));`,
  );
  await client.write(
    "build.js",
    `import { build } from ${JSON.stringify(require.resolve("vite"))};
     await build({ root: ".", logLevel: "warn", configFile: false });`,
  );
  expect(await client.node("build.js")).toBe("");
  expect(readdirSync(join(client.folder, "dist/assets"))).toEqual([
    expect.stringMatching(/^index-.+\.js$/),
  ]);
});

describe("plain Node.js", () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(() => node?.stop());

  test("a backend signs sessions, and two programs send each other a signal", async () => {
    await client.write(
      "program.js",
      `import { openConnection } from "@signalbox/client";
       import { openSessions } from "@signalbox/client/server";
       import { WebSocket } from "ws";
       const { url, apiKey } = JSON.parse(process.env.KEYS);
       const sessions = openSessions({ url, apiKey });
       const open = (login) => openConnection({ url, WebSocket, session: () => sessions.forUser({ login, tags: ["a"] }) });
       const [ann, ben] = [open("ann"), open("ben")];
       const { user } = await ben.session.current();
       const received = new Promise((resolve) => ben.signals.on("signal", resolve));
       await ann.signals.send({ userId: user.id }, { hangUp: { callId: "one" } });
       const { callId, from } = await received;
       console.log(JSON.stringify([callId, from.userId === (await ann.session.current()).userId, user.tags]));
       ann.close();
       ben.close();`,
    );
    await node.sql("UPDATE applications SET server_sessions_create_users = true");
    const keys = { url: node.baseUrl, apiKey: await newApiKey(node, ["sessions"]) };
    const output = await client.node("program.js", { KEYS: JSON.stringify(keys) });
    expect(JSON.parse(output)).toEqual(["one", true, ["a"]]);
  });
});

test("sessions and signals take at most 12 KB, compressed, and contain nothing of calls", async () => {
  const text = await bundle(CONNECTION);
  expect(kilobytes(text)).toBeLessThan(12);
  expect(text).toContain("callSignals");
  expect(text).not.toMatch(/RTCPeerConnection|getUserMedia|joinConference/);
});

test("everything takes at most 25 KB, compressed", async () => {
  const text = await bundle(EVERYTHING);
  expect(text).toMatch(
    /RTCPeerConnection[\s\S]+joinConference|joinConference[\s\S]+RTCPeerConnection/,
  );
  expect(kilobytes(text)).toBeLessThan(25);
});

test("browsers of the last two years run it as it is compiled", async () => {
  const all = `${EVERYTHING}; export * from "@signalbox/client/react"`;
  expect(await bundle(all, { target: BROWSERS })).toBe(await bundle(all, { target: "esnext" }));
  const old = await bundle(all, { target: ["chrome70"] });
  expect(old).not.toBe(await bundle(all, { target: "esnext" }));
});
