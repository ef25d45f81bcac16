import type { AddressInfo, Server } from "node:net";

/** A port to listen on, and the variable that names it. */
export interface Place {
  host: string;
  /** 0 for a free one. */
  port: number;
  variable: string;
}

/** A port of the chat endpoint. */
export interface Listener {
  port: number;
  /** Accepts nobody any more, and ends the streams with `system-shutdown` over so many milliseconds. */
  drain(windowMs: number): Promise<void>;
  /** Ends what is still open, and cuts what does not end. */
  close(): Promise<void>;
}

const REASONS: Record<string, string> = {
  EADDRINUSE: "is in use by another program",
  EACCES: "is not for this user",
  EADDRNOTAVAIL: "is at no address of this machine",
};

/**
 * Has a server listen.
 * @returns the port
 * @throws Error, with the code that the system gave and the variable to change
 */
export function listen(server: Server, { host, port, variable }: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const { code = "" } = error;
      const reason = REASONS[code];
      if (reason === undefined) return reject(error);
      const text = `The chat endpoint cannot listen: port ${port} on ${host} ${reason}. Set ${variable} to another port, or to off.`;
      reject(Object.assign(new Error(text), { code }));
    });
    server.listen({ port, host }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}
