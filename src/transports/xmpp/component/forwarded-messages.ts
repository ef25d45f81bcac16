import type { Element } from "ltx";
import { Fault, toFault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import { newId } from "../../../core/random";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import { inServerSpan } from "../../../core/tracing";
import type { Router } from "../../../domain/calls/router";
import type { Party, Signal, StanzaSignal } from "../../../domain/calls/signals/signal";
import type { SignalSizeLimit } from "../../../domain/calls/signals/signal-size";
import { childOf, elementsOf } from "../../../platform/xml/ltx-element";
import { stanzaError } from "../stanza/error";
import { parseJid, parseUser } from "../stanza/jid";
import { decodeSignal } from "../stanza/stanza";
import type { Deduplicator } from "./deduplicator";

/** Namespace of a forwarded stanza (XEP-0297). */
const FORWARD = "urn:xmpp:forward:0";
/** Maximum number of messages in flight; above it, reading from the chat server is paused. */
const MAX_IN_FLIGHT = 256;

/** Dependencies of {@link ForwardedMessages}. */
export interface ForwardedMessagesDeps {
  domain: string;
  deduplicator: Deduplicator;
  sizes: SignalSizeLimit;
  metrics: Metrics;
  counters: ApplicationCounters;
  log: Log;
  /** Writes a stanza to the chat server. */
  write(xml: string): void;
  /** Pauses or resumes reading from the chat server. */
  setPaused(paused: boolean): void;
}

/**
 * Handles the copies of its users' messages that the chat server forwards (XEP-0297). Call signals go to the
 * router, for GraphQL devices, call records and alerts; chat devices get them from the chat server itself.
 */
export class ForwardedMessages {
  /** The latest message in flight of each sender: the signals of one sender stay in order. */
  private readonly senders = new Map<string, Promise<void>>();
  /** Must be set before the first message. */
  router: Router | undefined;
  private inFlight = 0;
  private paused = false;

  constructor(private readonly deps: ForwardedMessagesDeps) {}

  /** The component is connected. Pauses reading if too many messages of the last connection are in flight. */
  onConnected(): void {
    if (this.paused) this.deps.setPaused(true);
  }

  /**
   * Handles a message of the chat server.
   * @returns false if it is not a forwarded copy: only the server's own address may send copies, so a user
   *   cannot forge one
   */
  handle(message: Element): boolean {
    const { domain, metrics } = this.deps;
    if (message.attrs.from !== domain) return false;
    const forwarded = childOf(message, "forwarded", FORWARD);
    if (!forwarded) return false;
    const copy = elementsOf(forwarded).find(({ name }) => name === "message");
    const from = copy && this.user(copy.attrs.from);
    // The sender of a copy can be trusted: the chat server has stamped it.
    const signal = from?.resource && copy ? decodeSignal(copy, from, from) : undefined;
    if (!copy || !from || !signal) metrics.chatServerForwardedMessages.inc({ outcome: "ignored" });
    else this.queue(copy, signal);
    return true;
  }

  private user(address: string | undefined): Party | undefined {
    const jid = address === undefined ? undefined : parseJid(address);
    if (!jid || jid.domain !== this.deps.domain) return undefined;
    const user = parseUser(jid.local);
    return user && jid.resource !== undefined ? { ...user, resource: jid.resource } : user;
  }

  private queue(copy: Element, signal: StanzaSignal): void {
    const sender = String(copy.attrs.from);
    const handled = (this.senders.get(sender) ?? Promise.resolve())
      .then(() =>
        inServerSpan("xmpp forwarded message", {}, undefined, () => this.deliver(copy, signal)),
      )
      .catch((error: unknown) => this.refuse(copy, signal, error))
      .then(() => {
        this.inFlight -= 1;
        if (this.senders.get(sender) === handled) this.senders.delete(sender);
        if (!this.paused || this.inFlight > MAX_IN_FLIGHT / 2) return;
        this.paused = false;
        this.deps.setPaused(false);
      });
    this.senders.set(sender, handled);
    this.inFlight += 1;
    if (this.paused || this.inFlight < MAX_IN_FLIGHT) return;
    this.paused = true;
    this.deps.setPaused(true);
  }

  private async deliver(copy: Element, signal: StanzaSignal): Promise<void> {
    const { deduplicator, metrics, domain } = this.deps;
    const { to } = copy.attrs;
    const address = to === undefined ? undefined : parseJid(to);
    if (address && address.domain !== domain) {
      // The recipient is a user of another server.
      metrics.chatServerForwardedMessages.inc({ outcome: "ignored" });
      return;
    }
    const { applicationId, userId } = signal.from;
    const party = to === undefined ? { applicationId, userId } : this.user(to);
    if (party) signal.to = party;
    const sizeError = this.checkSize(signal);
    // Deduplicated before any error is sent, so that the sender gets an error only once.
    if (!(await deduplicator.isNewCopy(signal, to))) {
      metrics.chatServerForwardedMessages.inc({ outcome: "duplicate" });
      return;
    }
    if (sizeError) throw sizeError;
    if (!party) throw new Fault("NOT_FOUND", "There is no such user");
    signal.id ||= newId();
    await this.router?.send("xmpp", signal);
    metrics.chatServerForwardedMessages.inc({ outcome: "delivered" });
  }

  /** The error for a signal that is too large; undefined for any other. */
  private checkSize(signal: Signal): unknown {
    try {
      this.deps.sizes.checkSignal(signal);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Sends an error to the sender, from the address that the message was sent to, as a server does. */
  private refuse(copy: Element, { from }: StanzaSignal, error: unknown): void {
    const { log, metrics, counters, write } = this.deps;
    const fault = toFault(error);
    if (fault !== error)
      log.error({ err: error }, "a signal from the chat server could not be handled");
    metrics.chatServerForwardedMessages.inc({ outcome: "rejected" });
    counters.countError(from.applicationId, fault.code);
    write(stanzaError(copy, copy.attrs.from, fault));
  }
}
