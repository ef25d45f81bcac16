import type { Config } from "../../../core/config";
import { hostInUrl } from "../../../core/host-in-url";
import { equalPorts, portProblem, portVariables } from "../../../core/startup/ports";
import type { PortVariable } from "../../../core/variables/port-variables";
import {
  type CheckName,
  type Finding,
  ok,
  problem,
  skipped,
} from "../../../domain/health/checks/finding";
import { servesWebSocket, servesXmppStreams } from "./chat-probe";
import { checkMediaPorts } from "./media-ports";
import { probeServer } from "./server";

/** The check of a listening port. */
interface PortCheck {
  check: CheckName;
  variable: PortVariable;
  /** Whether Signalbox answers on the port; for TCP, whether a chat server of its domain does. */
  isOwnServer(port: number, config: Config): Promise<boolean>;
}

const urlOf = (scheme: string, port: number, { HOST }: Config) =>
  `${scheme}://${hostInUrl(HOST)}:${port}`;

const PORTS: PortCheck[] = [
  {
    check: "port",
    variable: "PORT",
    isOwnServer: (port, config) => isSignalbox(urlOf("http", port, config)),
  },
  {
    check: "chat port",
    variable: "XMPP_WS_PORT",
    isOwnServer: (port, config) => servesWebSocket(urlOf("http", port, config), "xmpp"),
  },
  {
    check: "chat port: wss",
    variable: "XMPP_WSS_PORT",
    isOwnServer: (port, config) => servesWebSocket(urlOf("https", port, config), "xmpp"),
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
  {
    check: "conference port",
    variable: "CONFERENCE_WS_PORT",
    isOwnServer: (port, config) => servesWebSocket(urlOf("http", port, config), "janus"),
  },
  {
    check: "conference port: wss",
    variable: "CONFERENCE_WSS_PORT",
    isOwnServer: (port, config) => servesWebSocket(urlOf("https", port, config), "janus"),
  },
];

/** Checks that the server's ports are free, or in use by a running Signalbox. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  const equal = equalPorts(config);
  if (equal !== null) return [problem("port", equal)];
  const variables = portVariables(config);
  const open = PORTS.filter(({ variable }) => variables.includes(variable));
  const isRunning = async () =>
    config.PORT !== 0 && (await isSignalbox(urlOf("http", config.PORT, config)));
  const findings = await Promise.all([
    ...open.map((port) => checkPort(port, config)),
    checkMediaPorts(config, isRunning),
  ]);
  return config.CHAT_MODE === "component" ? [...findings, chatPortSkipped()] : findings;
}

/** Replaces the chat port checks in component mode, where no chat port is open. */
function chatPortSkipped(): Finding {
  return skipped("chat port", "CHAT_MODE is component: chat clients connect to the chat server");
}

async function checkPort(
  { check, variable, isOwnServer }: PortCheck,
  config: Config,
): Promise<Finding> {
  const { HOST, [variable]: port } = config;
  if (port === null) return skipped(check, `${variable} is off`);
  if (port === 0) return skipped(check, `${variable} is 0: each start picks a free port`);
  const found = await portProblem(variable, config);
  if (found === null) return ok(check, `${port} on ${HOST} is free`);
  return found.code === "EADDRINUSE" && (await isOwnServer(port, config))
    ? ok(check, `${port} on ${HOST} is in use by a running Signalbox`)
    : problem(check, found);
}

async function isSignalbox(url: string): Promise<boolean> {
  const { state } = await probeServer(url);
  return state === "ready" || state === "not ready";
}
