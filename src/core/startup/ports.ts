import { createServer } from "node:net";
import { resolve } from "node:path";
import type { Config } from "../config";
import { PORT_VARIABLES, type PortVariable } from "../variables/port-variables";
import { type RunningSignalbox, signalboxOnPort } from "./running-signalbox";
import type { Problem } from "./start-error";

/** Variables of the ports on which this configuration listens: with an external chat server no chat ports. */
export function portVariables({ CHAT_MODE }: Pick<Config, "CHAT_MODE">): readonly PortVariable[] {
  return CHAT_MODE === "component"
    ? PORT_VARIABLES.filter((variable) => !variable.startsWith("XMPP_"))
    : PORT_VARIABLES;
}

/** Two variables that name the same port; null if there are none. */
export function equalPorts(config: Config): Problem | null {
  const names = new Map<number, string>();
  for (const variable of portVariables(config)) {
    const port = config[variable];
    if (!port) continue;
    const other = names.get(port);
    if (other !== undefined) {
      return {
        detail: `${other} and ${variable} are both ${port}`,
        fix: "set them to different ports",
      };
    }
    names.set(port, variable);
  }
  return null;
}

/** The problem of a port that cannot be opened. */
export interface PortProblem extends Problem {
  /** The code of the system. */
  code: string;
  /** The Signalbox that uses the port; null if that is another program, or not known. */
  user: RunningSignalbox | null;
}

/** Tries to listen on the port of a variable. @returns null if it is free, off, or chosen at the start */
export async function portProblem(
  variable: PortVariable,
  config: Config,
): Promise<PortProblem | null> {
  const { HOST, [variable]: port } = config;
  if (!port) return null;
  const code = await listenError(port, HOST);
  if (code === null) return null;
  const user = code === "EADDRINUSE" ? signalboxOnPort(port) : null;
  const name = `Port ${port} on ${HOST} (${variable})`;
  const problem =
    user === null
      ? explain(code, variable, name, HOST)
      : explainUser(user, variable, name, config.DATA_DIR);
  return { code, user, ...problem };
}

/** The problems of all ports: one for a wrong HOST, and one for all ports that the same Signalbox uses. */
export async function portProblems(config: Config): Promise<Problem[]> {
  const found = await Promise.all(
    portVariables(config).map((variable) => portProblem(variable, config)),
  );
  const distinct = new Map<unknown, Problem>();
  for (const problem of found) {
    if (problem === null) continue;
    const key = problem.user?.pid ?? problem.detail;
    if (!distinct.has(key)) distinct.set(key, problem);
  }
  return [...distinct.values()];
}

function explainUser(
  { pid, dataDir }: RunningSignalbox,
  variable: PortVariable,
  port: string,
  folder: string,
): Problem {
  const another = dataDir === resolve(folder) ? ", and another DATA_DIR," : "";
  return {
    detail: `${port} is in use by another Signalbox (PID ${pid}, data folder ${dataDir})`,
    fix: `stop it, or set ${variable} or PORT_BASE${another} to run this one beside it`,
  };
}

function explain(code: string, variable: PortVariable, port: string, host: string): Problem {
  switch (code) {
    case "EADDRINUSE":
      return {
        detail: `${port} is in use by another program`,
        fix: `stop that program, or set ${variable} to another port (PORT_BASE moves all ports)`,
      };
    case "EACCES":
      return {
        detail: `${port} may not be opened by this user`,
        fix: `set ${variable} to 1024 or more, and put a proxy on the low port`,
      };
    case "EADDRNOTAVAIL":
    case "EAI_AGAIN":
    case "ENOTFOUND":
      return { detail: `HOST (${host}) is not an address of this machine`, fix: "correct it" };
    default:
      return { detail: `${port} cannot be opened (${code})`, fix: "correct HOST" };
  }
}

/** @returns the error code with which listening fails, or null if it succeeds */
function listenError(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
