import type { AddressInfo, Server } from "node:net";

/** An address to listen on. */
export interface ListenAddress {
  host: string;
  /** 0 for a free port. */
  port: number;
  /** The environment variable that configures the port. */
  variable: string;
  /** What listens, for the error message: `chat endpoint`. */
  endpoint: string;
}

/** An open port of an endpoint. */
export interface ListeningPort {
  port: number;
  /** Stops accepting connections and ends the open ones, spread over `windowMs`. */
  drain(windowMs: number): Promise<void>;
  /** Ends the remaining connections, by force where a client does not cooperate. */
  close(): Promise<void>;
}

const REASONS: Record<string, string> = {
  EADDRINUSE: "is in use by another program",
  EACCES: "needs privileges that this process does not have",
  EADDRNOTAVAIL: "cannot be opened: the address is not assigned to this machine",
};

/**
 * Starts a server.
 * @returns the port
 * @throws Error with the system's error code; its message names the variable to change
 */
export function listen(
  server: Server,
  { host, port, variable, endpoint }: ListenAddress,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const { code = "" } = error;
      const reason = REASONS[code];
      if (reason === undefined) return reject(error);
      const text = `The ${endpoint} cannot listen: port ${port} on ${host} ${reason}. Set ${variable} to another port, or to off.`;
      reject(Object.assign(new Error(text), { code }));
    });
    server.listen({ port, host }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}
