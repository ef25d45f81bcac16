import { Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";

/** Agents of node:http and node:https, by the protocol of a URL; packages take them too. */
export interface Agents {
  "https:": SecureAgent;
  "http:": PlainAgent;
}

/** Connections to one host at most; further requests wait, within their own time. */
const HOST_MAX = 64;

/** Connections that are kept without a request, and for how long. */
const IDLE_MAX = 64;
const IDLE_MS = 10_000;

/** How connections are opened. */
export interface AgentOptions {
  lookup: LookupFunction | undefined;
  /** Why a host may not be connected to, where its name is an address: Node looks those up nowhere. */
  refuse(host: string): Error | null;
  secureContext?: SecureContext;
}

/** Opens agents whose connections are guarded, and few while they are idle. */
export function guardedAgents({ lookup, refuse, secureContext }: AgentOptions): Agents {
  const kept = { keepAlive: true, timeout: IDLE_MS, maxSockets: HOST_MAX, lookup, noDelay: true };
  const agents = {
    "https:": new SecureAgent({ ...kept, secureContext }),
    "http:": new PlainAgent(kept),
  };
  for (const agent of Object.values(agents)) {
    keepFew(agent);
    refuseBy(agent, refuse);
  }
  return agents;
}

/** Has an agent open no connection to an address that is refused. */
function refuseBy(agent: PlainAgent, refuse: (host: string) => Error | null): void {
  const open = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const error = refuse(options.host ?? "");
    if (error === null) return open(options, callback);
    // Without a socket, which the agent then does not expect (nodejs.org "agent.createConnection").
    callback?.(error, undefined as never);
    return undefined as never;
  };
}

/** Has an agent keep no more idle connections than a few: by itself it knows a bound per host alone. */
function keepFew(agent: PlainAgent): void {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  // False ends the connection (nodejs.org "agent.keepSocketAlive").
  agent.keepSocketAlive = (socket: Duplex): boolean => {
    const idle = Object.values(agent.freeSockets).reduce(
      (sum, list) => sum + (list?.length ?? 0),
      0,
    );
    return idle < IDLE_MAX && keep(socket);
  };
}
