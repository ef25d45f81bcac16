import { connect } from "node:net";
import type { MeasuredProcess } from "../measured-process";
import type { Account } from "./job";

/** The compared servers in table order. */
export const SERVERS = ["Signalbox", "Prosody", "ejabberd"] as const;
export type ServerName = (typeof SERVERS)[number];

/** A measured server and its endpoints on the loopback address. */
export interface ChatServer extends MeasuredProcess {
  websocketUrl: string;
  tlsPort: number;
  /** Only Signalbox has this endpoint. */
  graphqlUrl?: string;
}

/** A server to compare: how to start it, and its accounts. */
export interface ComparedServer {
  /** The accounts, with the secret that this server accepts. */
  accounts: Account[];
  /** Starts it on the server's core. */
  start(): Promise<ChatServer>;
}

/** The certificate of this run and its key, in PEM. */
export interface Certificate {
  certFile: string;
  keyFile: string;
  /** Both in one file. */
  bothFile: string;
}

/** Resolves if a server listens on the port, rejects otherwise. */
export function probe(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
