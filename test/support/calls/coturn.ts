import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, freePort, run, Server } from "../../../scripts/services/binaries";
import { makeAuthority, makeServerCertificate } from "../../../tools/stand-ins/certificates";

/** The configuration for production. */
const FILE = join(__dirname, "../../../deploy/coturn/turnserver.conf");

/** A temporary coturn on the loopback address. */
export interface Coturn {
  port: number;
  tlsPort: number;
  /** Its configuration: the one of deploy/ with other addresses, folders and secrets. */
  configuration: string;
  stop(): Promise<void>;
}

/**
 * Starts coturn with the configuration of deploy/, on free ports. Loopback peers are allowed, because a test
 * has no other network; all other rules stay.
 */
export async function startCoturn(secrets: string[]): Promise<Coturn> {
  const program = findProgram("turnserver", "coturn");
  const folder = await mkdtemp(join(tmpdir(), "signalbox-coturn-"));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const { certificate, privateKey } = makeServerCertificate(makeAuthority());
  await writeFile(join(folder, "fullchain.pem"), certificate);
  await writeFile(join(folder, "privkey.pem"), privateKey, { mode: 0o600 });
  const configuration = [
    ["static-auth-secret", ...secrets.map((secret) => `static-auth-secret=${secret}`)],
    ["listening-port", `listening-port=${port}`, "listening-ip=127.0.0.1", "relay-ip=127.0.0.1"],
    ["tls-listening-port", `tls-listening-port=${tlsPort}`],
    ["cert", `cert=${join(folder, "fullchain.pem")}`],
    ["pkey", `pkey=${join(folder, "privkey.pem")}`],
    ["userdb", `userdb=${join(folder, "turndb")}`],
    ["pidfile", `pidfile=${join(folder, "turnserver.pid")}`],
    ["syslog", "log-file=stdout"],
    ["denied-peer-ip=127.0.0.0-127.255.255.255", "allow-loopback-peers"],
  ].reduce((text, [key = "", ...lines]) => replaceLine(text, key, lines), await read());
  const path = join(folder, "turnserver.conf");
  await writeFile(path, configuration);
  const server = Server.start(program, ["-c", path]);
  const stop = async () => {
    await server.stop("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.ready(() => accepts(port));
    await server.ready(() => accepts(tlsPort));
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, tlsPort, configuration, stop };
}

/** The configuration of deploy/. */
export const read = (): Promise<string> => readFile(FILE, "utf8");

/** Replaces the line that sets a key. @throws Error if there is none */
function replaceLine(text: string, key: string, lines: string[]): string {
  const before = text.split("\n");
  const at = before.findIndex((line) => line === key || line.startsWith(`${key}=`));
  if (at < 0) throw new Error(`turnserver.conf has no ${key}`);
  return [...before.slice(0, at), ...lines, ...before.slice(at + 1)].join("\n");
}

/** Result of coturn's own client. */
export interface Allocation {
  ok: boolean;
  output: string;
}

/** Allocates a relay and sends through it, by coturn's own client. */
export async function allocate(
  port: number,
  { username, credential }: { username: string; credential: string },
  ...words: string[]
): Promise<Allocation> {
  const program = findProgram("turnutils_uclient", "coturn");
  const common = ["-v", "-n", "1", "-c", "-L", "127.0.0.1"];
  const who = ["-u", username, "-w", credential, "-p", String(port)];
  const peer = words.includes("-e") ? [] : ["-y"];
  try {
    const { stdout, stderr } = await run(
      program,
      [...common, ...who, ...peer, ...words, "127.0.0.1"],
      // It retries forever if nobody answers.
      { timeout: 15_000, killSignal: "SIGKILL" },
    );
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { ok: false, output: stdout + stderr };
  }
}

function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
