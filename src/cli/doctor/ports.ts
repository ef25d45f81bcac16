import { createServer } from "node:net";
import type { Config } from "../../core/config";
import { hostInUrl } from "../../core/host-in-url";
import { speaksStreams, speaksXmpp } from "./chat-probe";
import { noChatPort } from "./chat-server";
import { type Finding, ok, skipped, wrong } from "./finding";
import { findServer } from "./server";

/** A port that the server listens on. */
interface Port {
  check: string;
  variable: "PORT" | "XMPP_WS_PORT" | "XMPP_WSS_PORT" | "XMPP_TCP_PORT" | "XMPP_TLS_PORT";
  /** Whether what answers there is a Signalbox, or for TCP a chat server of its domain. */
  isOurs(port: number, config: Config): Promise<boolean>;
}

const urlOf = (scheme: string, port: number, { HOST }: Config) =>
  `${scheme}://${hostInUrl(HOST)}:${port}`;

const PORTS: Port[] = [
  {
    check: "port",
    variable: "PORT",
    isOurs: (port, config) => isSignalbox(urlOf("http", port, config)),
  },
  {
    check: "chat port",
    variable: "XMPP_WS_PORT",
    isOurs: (port, config) => speaksXmpp(urlOf("http", port, config)),
  },
  {
    check: "chat port: wss",
    variable: "XMPP_WSS_PORT",
    isOurs: (port, config) => speaksXmpp(urlOf("https", port, config)),
  },
  {
    check: "chat port: tcp",
    variable: "XMPP_TCP_PORT",
    isOurs: (port, config) => speaksStreams(config, port, false),
  },
  {
    check: "chat port: tls",
    variable: "XMPP_TLS_PORT",
    isOurs: (port, config) => speaksStreams(config, port, true),
  },
];

/** Whether the server's ports are free, or held by a Signalbox. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  if (config.CHAT_MODE === "component") {
    const own = PORTS.filter(({ variable }) => variable === "PORT");
    return [...(await Promise.all(own.map((port) => checkPort(port, config)))), noChatPort()];
  }
  const names = new Map<number, string>();
  for (const { variable } of PORTS) {
    const port = config[variable];
    const other = port ? names.get(port) : undefined;
    if (other !== undefined) {
      const detail = `${other} and ${variable} are both ${port}`;
      return [wrong("port", detail, "Give each a port of its own.")];
    }
    if (port) names.set(port, variable);
  }
  return Promise.all(PORTS.map((port) => checkPort(port, config)));
}

async function checkPort({ check, variable, isOurs }: Port, config: Config): Promise<Finding> {
  const { HOST, [variable]: port } = config;
  if (port === null) return skipped(check, `${variable} is off`);
  if (port === 0) return skipped(check, `${variable} is 0: every start takes a free one`);
  const place = `${port} on ${HOST}`;
  const problem = await listenProblem(port, HOST);
  if (problem === null) return ok(check, `${place} is free`);
  switch (problem) {
    case "EADDRINUSE": {
      if (await isOurs(port, config)) {
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
