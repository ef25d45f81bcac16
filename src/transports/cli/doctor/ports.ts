import { resolve } from "node:path";
import type { Config } from "../../../core/config";
import { hostInUrl } from "../../../core/host-in-url";
import { equalPorts, portProblem, portVariables } from "../../../core/startup/ports";
import { type RunningSignalbox, signalboxOnPort } from "../../../core/startup/running-signalbox";
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
  /** Whether a Signalbox answers on the port; for TCP, whether a chat server of its domain does. */
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

/** Checks that the server's ports are free, or in use by the running Signalbox of this configuration. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  const equal = equalPorts(config);
  if (equal !== null) return [problem("port", equal)];
  const variables = portVariables(config);
  const open = PORTS.filter(({ variable }) => variables.includes(variable));
  const isRunning = async () =>
    config.PORT !== 0 &&
    !isForeign(signalboxOnPort(config.PORT), config) &&
    (await isSignalbox(urlOf("http", config.PORT, config)));
  const findings = sayOnce(
    await Promise.all([
      ...open.map((port) => checkPort(port, config)),
      checkMediaPorts(config, isRunning),
    ]),
  );
  return config.CHAT_MODE === "component" ? [...findings, chatPortSkipped()] : findings;
}

/** Leaves a problem that all ports have, a wrong HOST, to the first of them. */
function sayOnce(findings: Finding[]): Finding[] {
  return findings.map((finding, index) => {
    const first = findings.findIndex(({ detail }) => detail === finding.detail);
    const isRepeated = finding.status === "error" && first < index;
    return isRepeated ? skipped(finding.check, `as for ${findings[first]?.check}`) : finding;
  });
}

/** Whether a Signalbox is known to have another data folder, so that it is not the one of this configuration. */
function isForeign(user: RunningSignalbox | null, { DATA_DIR }: Config): boolean {
  return user !== null && user.dataDir !== resolve(DATA_DIR);
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
  const mayBeOwn = found.code === "EADDRINUSE" && !isForeign(found.user, config);
  return mayBeOwn && (await isOwnServer(port, config))
    ? ok(check, `${port} on ${HOST} is in use by a running Signalbox`)
    : problem(check, found);
}

async function isSignalbox(url: string): Promise<boolean> {
  const { state } = await probeServer(url);
  return state === "ready" || state === "not ready";
}
