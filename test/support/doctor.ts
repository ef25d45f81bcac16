import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Finding } from "../../src/cli/doctor/finding";

/** Nobody listens there. */
export const NOWHERE = "127.0.0.1:1";

/** A key that chance made. */
export const KEY = "9f1c0a7be2d4865338c1f0de5a6b7c4de8f90123a4b5c6d7e8091a2b3c4d5e6f";

/** How the checks of what others reach end where nobody beyond this machine is let in. */
export const NOT_EXPOSED = {
  ...{ encryption: "skipped", proxy: "skipped", limits: "skipped", schema: "skipped" },
  ...{ "private networks": "skipped", metrics: "skipped" },
};

/** The findings of one check. */
export function about(findings: Finding[], check: string): Finding[] {
  return findings.filter((finding) => finding.check === check);
}

/** What a check found, as one; with how to mend it where there is something to mend. */
export function only(findings: Finding[], check: string): Finding {
  const [found, ...more] = about(findings, check);
  if (!found || more.length > 0) throw new Error(`${check}: ${JSON.stringify(findings)}`);
  expect([check, found.mend !== undefined]).toEqual([
    check,
    found.status === "wrong" || found.status === "warning",
  ]);
  return found;
}

/** How each check ended. */
export function statuses(findings: Finding[]): Record<string, string> {
  return Object.fromEntries(findings.map(({ check, status }) => [check, status]));
}

const servers: Server[] = [];
const sockets = new Set<Socket>();

/** Listens on a free port, with a server that says nothing unless another is given. */
export async function listen(server = createServer()): Promise<number> {
  servers.push(server);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Ends what {@link listen} began, and who is connected with it. */
export function endListening(): void {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) server.close();
}
