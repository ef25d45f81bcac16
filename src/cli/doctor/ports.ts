import { createServer } from "node:net";
import type { Config } from "../../core/config";
import { hostInUrl } from "../../core/host-in-url";
import { servesXmppOverWebSocket, servesXmppStreams } from "./chat-probe";
import { chatPortSkipped } from "./chat-server";
import { type Finding, failure, ok, skipped } from "./finding";
import { probeServer } from "./server";

/** A listening port of the server. */
interface Port {
  check: string;
  variable: "PORT" | "XMPP_WS_PORT" | "XMPP_WSS_PORT" | "XMPP_TCP_PORT" | "XMPP_TLS_PORT";
  /** Whether Signalbox answers on the port; for TCP, whether a chat server of its domain does. */
  isOwnServer(port: number, config: Config): Promise<boolean>;
}

const urlOf = (scheme: string, port: number, { HOST }: Config) =>
  `${scheme}://${hostInUrl(HOST)}:${port}`;

const PORTS: Port[] = [
  {
    check: "port",
    variable: "PORT",
    isOwnServer: (port, config) => isSignalbox(urlOf("http", port, config)),
  },
  {
    check: "chat port",
    variable: "XMPP_WS_PORT",
    isOwnServer: (port, config) => servesXmppOverWebSocket(urlOf("http", port, config)),
  },
  {
    check: "chat port: wss",
    variable: "XMPP_WSS_PORT",
    isOwnServer: (port, config) => servesXmppOverWebSocket(urlOf("https", port, config)),
  },
  {
    check: "chat port: tcp",
    variable: "XMPP_TCP_PORT",
    isOwnServer: (port, config) => servesXmppStreams(config, port, false),
  },
  {
    check: "chat port: tls",
    variable: "XMPP_TLS_PORT",
    isOwnServer: (port, config) => servesXmppStreams(config, port, true),
  },
];

/** Checks that the server's ports are free, or in use by a running Signalbox. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  if (config.CHAT_MODE === "component") {
    const own = PORTS.filter(({ variable }) => variable === "PORT");
    return [...(await Promise.all(own.map((port) => checkPort(port, config)))), chatPortSkipped()];
  }
  const names = new Map<number, string>();
  for (const { variable } of PORTS) {
    const port = config[variable];
    const other = port ? names.get(port) : undefined;
    if (other !== undefined) {
      const detail = `${other} and ${variable} are both ${port}`;
      return [failure("port", detail, "Set them to different ports.")];
    }
    if (port) names.set(port, variable);
  }
  return Promise.all(PORTS.map((port) => checkPort(port, config)));
}

async function checkPort({ check, variable, isOwnServer }: Port, config: Config): Promise<Finding> {
  const { HOST, [variable]: port } = config;
  if (port === null) return skipped(check, `${variable} is off`);
  if (port === 0) return skipped(check, `${variable} is 0: each start picks a free port`);
  const address = `${port} on ${HOST}`;
  const problem = await listenProblem(port, HOST);
  if (problem === null) return ok(check, `${address} is free`);
  switch (problem) {
    case "EADDRINUSE": {
      if (await isOwnServer(port, config)) {
        return ok(check, `${address} is in use by a running Signalbox`);
      }
      const fix = `Stop that program, or set ${variable} to another port.`;
      return failure(check, `${address} is in use by another program`, fix);
    }
    case "EACCES": {
      const fix = `Set ${variable} to 1024 or more, and put a proxy on the low port.`;
      return failure(check, `this user may not listen on ${address}`, fix);
    }
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return failure(check, `${HOST} is not an address of this machine`, "Correct HOST.");
    default:
      return failure(check, `cannot listen on ${address} (${problem})`, "Correct HOST.");
  }
}

/** @returns the error code with which listening fails, or null if it succeeds */
function listenProblem(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function isSignalbox(url: string): Promise<boolean> {
  const { state } = await probeServer(url);
  return state === "ready" || state === "not ready";
}
