import { connect } from "node:net";
import type { MeasuredProcess } from "../measured-process";
import type { Account } from "./job";

/** The servers that are compared, in the order of the rows. */
export const SERVERS = ["Signalbox", "Prosody", "ejabberd"] as const;
export type ServerName = (typeof SERVERS)[number];

/** A server under measurement, and where its doors are on the loopback address. */
export interface ChatServer extends MeasuredProcess {
  websocketUrl: string;
  tlsPort: number;
  /** Ours alone. */
  graphqlUrl?: string;
}

/** How a server is started, and how its users sign in. */
export interface Subject {
  /** Who can sign in, with what each server keeps of them. */
  accounts: Account[];
  /** Starts it on the server's core. */
  start(): Promise<ChatServer>;
}

/** A certificate of this run and its key, in PEM. */
export interface Certificate {
  certFile: string;
  keyFile: string;
  /** Both in one file. */
  bothFile: string;
}

/** Succeeds when something listens on the port. */
export function probe(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
