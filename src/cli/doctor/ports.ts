import { createServer } from "node:net";
import type { Config } from "../../core/config";
import { hostInUrl } from "../../core/host-in-url";
import { type Finding, ok, skipped, wrong } from "./finding";
import { findServer } from "./server";

const ANSWER_MS = 3_000;

/** A port that the server listens on. */
interface Port {
  check: string;
  variable: "PORT" | "XMPP_WS_PORT";
  /** Whether what answers at the address is a Signalbox. */
  isOurs(address: string): Promise<boolean>;
}

const PORTS: Port[] = [
  { check: "port", variable: "PORT", isOurs: isSignalbox },
  { check: "chat port", variable: "XMPP_WS_PORT", isOurs: speaksXmpp },
];

/** Whether the server's ports are free, or held by a Signalbox. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  if (config.PORT === config.XMPP_WS_PORT && config.PORT !== 0) {
    const detail = `PORT and XMPP_WS_PORT are both ${config.PORT}`;
    return [wrong("port", detail, "Give each a port of its own.")];
  }
  return Promise.all(PORTS.map((port) => checkPort(port, config)));
}

async function checkPort({ check, variable, isOurs }: Port, config: Config): Promise<Finding> {
  const { HOST, [variable]: port } = config;
  if (port === 0) return skipped(check, `${variable} is 0: every start takes a free one`);
  const place = `${port} on ${HOST}`;
  const problem = await listenProblem(port, HOST);
  if (problem === null) return ok(check, `${place} is free`);
  switch (problem) {
    case "EADDRINUSE": {
      if (await isOurs(`http://${hostInUrl(HOST)}:${port}`)) {
        return ok(check, `${place} is held by a Signalbox that runs`);
      }
      const mend = `End that program, or set ${variable} to another port.`;
      return wrong(check, `${place} is taken by another program`, mend);
    }
    case "EACCES": {
      const mend = `Set ${variable} to 1024 or more, and let a proxy take the port.`;
      return wrong(check, `${place} is not for this user`, mend);
    }
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return wrong(check, `${HOST} is no address of this machine`, "Correct HOST.");
    default:
      return wrong(check, `${place} cannot be listened on (${problem})`, "Correct HOST.");
  }
}

/** The code of the error with which listening fails; null when it does not. */
function listenProblem(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function isSignalbox(url: string): Promise<boolean> {
  const { state } = await findServer(url);
  return state === "ready" || state === "not ready";
}

async function speaksXmpp(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return response.status === 426 && (await response.text()).includes("RFC 7395");
  } catch {
    return false;
  }
}
