import { newId } from "../../../core/random";
import { attribute } from "../../../platform/xml/ltx-element";
import type { ComponentConnection } from "./component-connection";

/** Maximum response time of the chat server, in milliseconds; after it, the connection is closed. */
const RESPONSE_TIMEOUT_MS = 4_000;
/** Interval of liveness pings, in milliseconds. */
const PING_INTERVAL_MS = 30_000;

/** A stanza may not have reached the chat server, since the connection was lost. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

interface Waiter {
  resolve(): void;
  reject(error: ConnectionLost): void;
}

/**
 * Writes stanzas to the chat server and confirms their receipt. XEP-0114 has no acknowledgements, but a
 * server processes a stream in order: any response to a ping, even an error, confirms all stanzas written
 * before the ping. One ping is in flight at a time.
 */
export class ConfirmedWriter {
  /** Stanzas written since the last ping. */
  private written: Waiter[] = [];
  /** The ping in flight and the stanzas that it confirms. */
  private ping: { id: string; confirms: Waiter[] } | undefined;
  private deadline: NodeJS.Timeout | undefined;
  private pingInterval: NodeJS.Timeout | undefined;
  private paused = false;

  constructor(
    private readonly connection: Pick<ComponentConnection, "up" | "write" | "abort">,
    private readonly from: string,
    private readonly domain: string,
    private readonly node: string,
    private readonly responseTimeoutMs = RESPONSE_TIMEOUT_MS,
  ) {}

  /** The connection is up: starts the liveness pings. */
  onConnected(): void {
    this.pingInterval = setInterval(() => this.sendPing(), PING_INTERVAL_MS);
  }

  /** Writes a stanza; resolves when the chat server has received it. @throws ConnectionLost */
  send(xml: string): Promise<void> {
    if (!this.connection.up) return Promise.reject(new ConnectionLost("not connected"));
    return new Promise((resolve, reject) => {
      this.written.push({ resolve, reject });
      this.connection.write(xml);
      this.sendPing();
    });
  }

  /** Handles the id of a response. Returns false if it is not the response to the ping in flight. */
  handleResponse(id: string): boolean {
    if (!this.ping || id !== this.ping.id) return false;
    const { confirms } = this.ping;
    this.ping = undefined;
    clearTimeout(this.deadline);
    for (const { resolve } of confirms) resolve();
    if (this.written.length > 0) this.sendPing();
    return true;
  }

  /** Suspends the response timeout while reading is paused: a response may then be waiting unread. */
  setPaused(paused: boolean): void {
    this.paused = paused;
    clearTimeout(this.deadline);
    if (this.ping) this.startDeadline();
  }

  /** The connection is lost: rejects all unconfirmed stanzas. */
  onDisconnected(): void {
    clearInterval(this.pingInterval);
    clearTimeout(this.deadline);
    const unconfirmed = [...(this.ping?.confirms ?? []), ...this.written];
    this.ping = undefined;
    this.written = [];
    for (const { reject } of unconfirmed) reject(new ConnectionLost("the connection was lost"));
  }

  private sendPing(): void {
    if (this.ping) return;
    const id = `${this.node}.${newId()}`;
    this.ping = { id, confirms: this.written };
    this.written = [];
    const head = attribute("from", this.from) + attribute("to", this.domain) + attribute("id", id);
    this.connection.write(`<iq type="get"${head}><ping xmlns="urn:xmpp:ping"/></iq>`);
    this.startDeadline();
  }

  private startDeadline(): void {
    if (this.paused) return;
    this.deadline = setTimeout(
      () => this.connection.abort("the chat server does not respond"),
      this.responseTimeoutMs,
    );
  }
}
