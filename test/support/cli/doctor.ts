import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Finding } from "../../../src/domain/health/checks/finding";

/** An address that nothing listens on. */
export const NOWHERE = "127.0.0.1:1";

/** A random key. */
export const KEY = "9f1c0a7be2d4865338c1f0de5a6b7c4de8f90123a4b5c6d7e8091a2b3c4d5e6f";

/** Statuses of the exposure checks for a server that is local only. */
export const NOT_EXPOSED = {
  encryption: "skipped",
  proxy: "skipped",
  limits: "skipped",
  schema: "skipped",
  "private networks": "skipped",
  metrics: "skipped",
};

/** The findings of one check. */
export function about(findings: Finding[], check: string): Finding[] {
  return findings.filter((finding) => finding.check === check);
}

/** The only finding of a check. Expects a fix exactly if there is a problem. */
export function only(findings: Finding[], check: string): Finding {
  const [found, ...more] = about(findings, check);
  if (!found || more.length > 0) throw new Error(`${check}: ${JSON.stringify(findings)}`);
  expect([check, found.fix !== undefined]).toEqual([
    check,
    found.status === "error" || found.status === "warning",
  ]);
  return found;
}

/** The status of each check, by name. */
export function statuses(findings: Finding[]): Record<string, string> {
  return Object.fromEntries(findings.map(({ check, status }) => [check, status]));
}

const servers: Server[] = [];
const sockets = new Set<Socket>();

/** Listens on a free port; the default server accepts connections and stays silent. */
export async function listen(server = createServer()): Promise<number> {
  servers.push(server);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Closes the servers of {@link listen}, and their connections. */
export function endListening(): void {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) server.close();
}
