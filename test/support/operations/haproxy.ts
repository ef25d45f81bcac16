import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, freePort, Server } from "../../../scripts/services/binaries";
import { makeAuthority, makeServerCertificate } from "../../../tools/stand-ins/certificates";

/** The configuration for production. */
const FILE = join(__dirname, "../../../deploy/haproxy/haproxy.cfg");

/** Ports of a node, by the port that the configuration names. */
export type NodePorts = Readonly<Record<4000 | 5291 | 8989, number>>;

/** A temporary HAProxy on the loopback address. */
export interface Haproxy {
  /** Port for HTTPS. */
  port: number;
  /** Runs a command on the socket for statistics, and returns the reply. */
  command(text: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts HAProxy with the configuration of deploy/ in front of one node, on free ports and with a limit of file
 * descriptors. Nothing listens at the addresses of the other nodes.
 */
export async function startHaproxy(node: NodePorts, descriptors: number): Promise<Haproxy> {
  const program = findProgram("haproxy", "haproxy");
  const folder = await mkdtemp(join(tmpdir(), "signalbox-haproxy-"));
  const { certificate, privateKey } = makeServerCertificate(makeAuthority());
  await mkdir(join(folder, "certs"));
  await writeFile(join(folder, "certs/api.example.pem"), certificate + privateKey, { mode: 0o600 });
  const path = join(folder, "haproxy.cfg");
  const socket = join(folder, "admin.sock");
  const [port, starttlsPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
  const replacements: Array<[RegExp, string]> = [
    // HAProxy keeps the user who runs the tests.
    [/^ {2}(user|group) haproxy\n/gm, ""],
    [/\/run\/haproxy\/admin\.sock/, socket],
    [/\/etc\/haproxy\/certs$/m, join(folder, "certs")],
    [/bind :443/, `bind 127.0.0.1:${port}`],
    [/bind :5222/, `bind 127.0.0.1:${starttlsPort}`],
    [/bind :5223/, `bind 127.0.0.1:${tlsPort}`],
    [/check port 4000/, `check port ${node[4000]}`],
    [/10\.0\.0\.11:4000/g, `127.0.0.1:${node[4000]}`],
    [/10\.0\.0\.11:5291/g, `127.0.0.1:${node[5291]}`],
    [/10\.0\.0\.11:8989/g, `127.0.0.1:${node[8989]}`],
    [/ {2}server [bc] 10\.0\.0\.1[23]:\d+/g, "$& disabled"],
  ];
  const original = await readFile(FILE, "utf8");
  await writeFile(path, replacements.reduce(replaceKnown, original));
  const limited = `ulimit -n ${descriptors} && exec "$0" -db -f "$1"`;
  const server = Server.start("/bin/sh", ["-c", limited, program, path]);
  const stop = async () => {
    await server.stop("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  const command = (text: string) => ask(socket, text);
  try {
    await server.ready(() => command("show info"));
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, command, stop };
}

/** @throws Error if the configuration has no such line any more */
function replaceKnown(text: string, [pattern, replacement]: [RegExp, string]): string {
  const replaced = text.replace(pattern, replacement);
  if (replaced === text) throw new Error(`haproxy.cfg has no ${pattern}`);
  return replaced;
}

function ask(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(path, () => socket.write(`${text}\n`));
    socket.setEncoding("utf8").on("data", (part) => {
      reply += part;
    });
    socket.once("error", reject);
    socket.once("end", () => resolve(reply));
  });
}
