import { Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";

/** Agents of node:http and node:https, keyed by URL protocol. Third-party packages accept them, too. */
export interface Agents {
  "https:": SecureAgent;
  "http:": PlainAgent;
}

/** Maximum number of connections to one host; further requests wait, within their timeout. */
const HOST_MAX = 64;

/** Maximum number of idle connections, and their timeout in milliseconds. */
const IDLE_MAX = 64;
const IDLE_MS = 10_000;

/** Options of agents. */
export interface AgentOptions {
  lookup: LookupFunction | undefined;
  /** Rejects a host that is an IP address, for which Node does no look-up; null to allow it. */
  rejectHost(host: string): Error | null;
  secureContext?: SecureContext;
}

/** Creates agents that check every connection and bound the number of idle ones. */
export function openGuardedAgents({ lookup, rejectHost, secureContext }: AgentOptions): Agents {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    maxSockets: HOST_MAX,
    lookup,
    noDelay: true,
  };
  const agents = {
    "https:": new SecureAgent({ ...options, secureContext }),
    "http:": new PlainAgent(options),
  };
  for (const agent of Object.values(agents)) {
    boundIdle(agent);
    rejectForbidden(agent, rejectHost);
  }
  return agents;
}

/** Makes an agent reject forbidden IP addresses. */
function rejectForbidden(agent: PlainAgent, refuse: (host: string) => Error | null): void {
  const open = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const error = refuse(options.host ?? "");
    if (error === null) return open(options, callback);
    // With an error the agent expects no socket (nodejs.org "agent.createConnection").
    callback?.(error, undefined as never);
    return undefined as never;
  };
}

/** Bounds the idle connections of an agent over all hosts; Node only has a bound per host. */
function boundIdle(agent: PlainAgent): void {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  // Returning false closes the connection (nodejs.org "agent.keepSocketAlive").
  agent.keepSocketAlive = (socket: Duplex): boolean => {
    const idle = Object.values(agent.freeSockets).reduce(
      (sum, list) => sum + (list?.length ?? 0),
      0,
    );
    return idle < IDLE_MAX && keep(socket);
  };
}
