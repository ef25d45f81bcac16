import { chmod, chown, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { run, Server } from "../../../../scripts/services/binaries";
import { makeAuthority, makeServerCertificate } from "../../../../tools/stand-ins/certificates";

/** Domain of the users in the files of deploy/. */
export const CHAT_DOMAIN = "chat.example";

/** Settings of a chat server for Signalbox. */
export interface ChatServerOptions {
  /** URL of the auth endpoint. */
  signInUrl: string;
  componentSecret: string;
  signInSecret: string;
  /** Addresses that users of all applications may reach; none by default. */
  shared?: string[];
}

/** Formats a list of texts for the configuration of either server. */
export const quoted = (texts: string[] = []): string => texts.map((text) => `"${text}"`).join(", ");

/** A real chat server in its own folder, configured by the files of deploy/. */
export interface ChatServer {
  /** XMPP over WebSocket, without TLS as behind a proxy. */
  url: string;
  /** Clients over TCP, with STARTTLS. */
  clientPort: number;
  componentPort: number;
  /** Stops the server with a signal; SIGTERM by default. */
  halt(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Kills the server and removes its folder. */
  stop(): Promise<void>;
}

/** The user that the package runs its server as; undefined, for this process's own user, if it is not root. */
export async function userOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run("id", [flag, name])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

/** The folder of a server's files. */
export class ServerFolder {
  private constructor(
    readonly path: string,
    readonly user: { uid: number; gid: number } | undefined,
  ) {}

  static async make(name: string): Promise<ServerFolder> {
    const folder = new ServerFolder(
      await mkdtemp(join(tmpdir(), `signalbox-${name}-`)),
      await userOf(name),
    );
    await folder.own(folder.path);
    return folder;
  }

  /** Writes a file. Returns its path. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, text, { mode: 0o600 });
    await this.own(path);
    return path;
  }

  /** Copies a file of deploy/ and makes it executable. Returns its path. */
  async copy(from: string): Promise<string> {
    const path = join(this.path, basename(from));
    await copyFile(from, path);
    await chmod(path, 0o755);
    await this.own(path);
    return path;
  }

  /** Writes a certificate and its key for the domain, in separate files and in one. */
  async certify(): Promise<{ certificate: string; key: string; both: string }> {
    const made = makeServerCertificate(makeAuthority(), CHAT_DOMAIN);
    return {
      certificate: await this.write("certificate.crt", made.certificate),
      key: await this.write("certificate.key", made.privateKey),
      both: await this.write("certificate.pem", made.certificate + made.privateKey),
    };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  private async own(path: string): Promise<void> {
    if (this.user) await chown(path, this.user.uid, this.user.gid);
  }
}

/**
 * A configuration of deploy/ with the ports and folders of a test. Each replaced text must exist, so that a
 * test runs with what sites copy.
 */
export async function configuration(file: string, changes: [was: string, is: string][]) {
  let text = await readFile(file, "utf8");
  for (const [was, is] of changes) {
    if (!text.includes(was)) throw new Error(`${file} does not contain ${was}`);
    text = text.replaceAll(was, is);
  }
  return text;
}

/** Runs a chat server that can be stopped and started again with the same folder and ports. */
export async function runChatServer(
  folder: ServerFolder,
  command: { program: string; words: string[]; environment?: Record<string, string> },
  ports: { http: number; path: string; client: number; component: number },
  isReady: () => Promise<unknown>,
): Promise<ChatServer> {
  let server: Server | null = null;
  const start = async () => {
    const { program, words, environment } = command;
    const env = Object.entries({ HOME: folder.path, ...environment });
    // Set on the command line, since programs may read their settings from the environment.
    const given = env.map(([name, value]) => `${name}=${value}`);
    server = Server.start(
      "/usr/bin/env",
      [...given, program, ...words],
      folder.user?.uid,
      folder.user?.gid,
    );
    await server.ready(isReady);
  };
  const halt = async (signal: NodeJS.Signals = "SIGTERM") => {
    await server?.stop(signal);
    server = null;
  };
  const stop = async () => {
    await halt("SIGKILL");
    await folder.remove();
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `ws://127.0.0.1:${ports.http}${ports.path}`,
    clientPort: ports.client,
    componentPort: ports.component,
    halt,
    start,
    stop,
  };
}
