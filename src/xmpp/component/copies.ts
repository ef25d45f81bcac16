import type { Element } from "ltx";
import type { Router } from "../../calls/router";
import type { Party, Signal } from "../../calls/signal";
import type { SizeRule } from "../../calls/signal-size";
import { Fault, toFault } from "../../core/errors";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { newId } from "../../core/random";
import { childOf, elementsOf } from "../element";
import { stanzaError } from "../error";
import { parseJid, parseUser } from "../jid";
import { decodeSignal } from "../stanza";
import type { Seen } from "./seen";

/** Namespace of a forwarded stanza (XEP-0297). */
const FORWARD = "urn:xmpp:forward:0";
/** Copies that are worked on at once at most; beyond, the link is not read. */
const AT_WORK = 256;

/** What copies are taken with. */
export interface CopiesParts {
  domain: string;
  seen: Seen;
  sizes: SizeRule;
  metrics: Metrics;
  log: Log;
  /** Writes a stanza to the chat server. */
  write(xml: string): void;
  /** Stops reading from the chat server, or reads on. */
  hold(held: boolean): void;
}

/**
 * Takes the copies that the chat server makes of its users' messages: what is a call signal goes to
 * the recipient's inbox, where GraphQL devices, records and alerts find it. Chat devices have it from the
 * chat server itself.
 */
export class Copies {
  /** The last copy of each sender that is worked on: the signals of one sender stay in order. */
  readonly #senders = new Map<string, Promise<void>>();
  /** Set before anything is taken. */
  router: Router | undefined;
  #atWork = 0;
  #held = false;

  constructor(private readonly parts: CopiesParts) {}

  /** A new link is read from, or not yet: what came over the last one is still worked on. */
  linked(): void {
    if (this.#held) this.parts.hold(true);
  }

  /**
   * Takes a message of the chat server.
   * @returns false when it is no copy: only the server's own word counts, so what a user writes to the
   *   component, however it is wrapped, is none
   */
  take(message: Element): boolean {
    const { domain, metrics } = this.parts;
    if (message.attrs.from !== domain) return false;
    const forwarded = childOf(message, "forwarded", FORWARD);
    if (!forwarded) return false;
    const copy = elementsOf(forwarded).find(({ name }) => name === "message");
    const from = copy && this.#user(copy.attrs.from);
    // The addresses of a copy are the chat server's: it has stamped the sender.
    const signal = from?.resource && copy ? decodeSignal(copy, from, from) : undefined;
    if (!copy || !from || !signal) metrics.chatCopies.inc({ outcome: "other" });
    else this.#queue(copy, signal);
    return true;
  }

  #user(address: string | undefined): Party | undefined {
    const jid = address === undefined ? undefined : parseJid(address);
    if (!jid || jid.domain !== this.parts.domain) return undefined;
    const user = parseUser(jid.local);
    return user && jid.resource !== undefined ? { ...user, resource: jid.resource } : user;
  }

  #queue(copy: Element, signal: Signal): void {
    const sender = String(copy.attrs.from);
    const turn = (this.#senders.get(sender) ?? Promise.resolve())
      .then(() => this.#deliver(copy, signal))
      .catch((error: unknown) => this.#refuse(copy, error))
      .then(() => {
        this.#atWork -= 1;
        if (this.#senders.get(sender) === turn) this.#senders.delete(sender);
        if (!this.#held || this.#atWork > AT_WORK / 2) return;
        this.#held = false;
        this.parts.hold(false);
      });
    this.#senders.set(sender, turn);
    this.#atWork += 1;
    if (this.#held || this.#atWork < AT_WORK) return;
    this.#held = true;
    this.parts.hold(true);
  }

  async #deliver(copy: Element, signal: Signal): Promise<void> {
    const { seen, metrics, domain } = this.parts;
    const { to } = copy.attrs;
    const address = to === undefined ? undefined : parseJid(to);
    if (address && address.domain !== domain) {
      // Another server's user is not of this deployment.
      metrics.chatCopies.inc({ outcome: "other" });
      return;
    }
    const { applicationId, userId } = signal.from;
    const party = to === undefined ? { applicationId, userId } : this.#user(to);
    if (party) signal.to = party;
    const large = this.#tooLarge(signal);
    const { id, from, type } = signal;
    const known = large ? { id, from, to: signal.to, type, extra: [] } : signal;
    // Before anything is answered: whatever is wrong with a signal is told once.
    if (!(await seen.copied(known, to))) {
      metrics.chatCopies.inc({ outcome: "double" });
      return;
    }
    if (large) throw large;
    if (!party) throw new Fault("NOT_FOUND", "There is no such user");
    signal.id ||= newId();
    await this.router?.send("xmpp", signal);
    metrics.chatCopies.inc({ outcome: "taken" });
  }

  /**
   * What is wrong with the size of a signal. Asked before anything is made of all its content: a namespace
   * that stands in a stanza once may be that of a thousand elements.
   */
  #tooLarge(signal: Signal): unknown {
    try {
      this.parts.sizes.checkSignal(signal);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Tells the sender, as a server would: from the address that was written to. */
  #refuse(copy: Element, error: unknown): void {
    const { log, metrics, write } = this.parts;
    const fault = toFault(error);
    if (fault !== error) log.error({ err: error }, "a signal of the chat server failed");
    metrics.chatCopies.inc({ outcome: "refused" });
    write(stanzaError(copy, copy.attrs.from, fault));
  }
}
