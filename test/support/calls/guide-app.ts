import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestNode } from "../node";
import { PRINTED_FILES } from "../printed-code";
import { newApiKey } from "../sessions/api-keys";

const ROOT = join(__dirname, "../../..");

/** The pages of a first call and a conference that docs/FRONTEND.md prints, with their running server. */
export interface GuideApp {
  /** The address that the server prints. */
  url: string;
  close(): Promise<void>;
}

/** Makes the folder that the guide describes, and runs its server. */
export async function runGuideApp(node: TestNode): Promise<GuideApp> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-guide-"));
  const packages = join(folder, "node_modules");
  const client = join(packages, "@signalbox/client");
  await mkdir(client, { recursive: true });
  for (const name of ["express", "graphql-ws"]) {
    await symlink(join(ROOT, "node_modules", name), join(packages, name));
  }
  await cp(join(ROOT, "client/package.json"), join(client, "package.json"));
  await cp(join(ROOT, "dist/client/src"), join(client, "dist"), { recursive: true });
  // As npm init writes it.
  await writeFile(join(folder, "package.json"), '{"type": "commonjs"}');
  for (const file of ["server.mjs", "page.html", "conference.html"]) {
    const code = PRINTED_FILES.get(file) ?? "";
    const { host } = new URL(node.baseUrl);
    await writeFile(join(folder, file), code.replaceAll("127.0.0.1:4000", host));
  }
  await node.sql("UPDATE applications SET server_sessions_create_users = true");
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      SIGNALBOX_API_KEY: await newApiKey(node, ["sessions"]),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("close", () => reject(new Error("server.mjs has ended")));
  });
  return {
    url,
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
