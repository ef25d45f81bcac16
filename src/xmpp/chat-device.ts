import type { Element } from "ltx";
import type { Device, Parcel } from "../calls/device";
import type { Router } from "../calls/router";
import type { Party } from "../calls/signal";
import type { Clock } from "../core/clock";
import { toFault } from "../core/errors";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { attribute, escapeText, writeElement } from "./element";
import { type Refusal, stanzaError } from "./error";
import { answerIq, BIND, bindRequest, iqShape } from "./iq";
import { formatJid, parseJid, parseUser } from "./jid";
import { decodeSignal, encodeSignal } from "./stanza";
import type { Stream } from "./stream";
import { CLIENT } from "./xml";

/** Where a stanza goes: a user of this domain, the server, or nowhere. */
type Target = { party: Party } | { server: true } | { refusal: Refusal };

/** Parcels that may wait while a device is attached. */
const EARLY = 1_000;

/** A bound stream: one device of a user, as the router sees it, and what that device says. */
export class ChatDevice implements Device {
  readonly door = "xmpp";
  readonly jid: string;
  readonly #account: string;
  /** What arrived before the client was told its address. */
  #early: Parcel[] | undefined = [];

  constructor(
    private readonly services: { router: Router; clock: Clock; log: Log },
    private readonly stream: Stream,
    readonly party: Required<Party>,
    private readonly openedAt: number,
  ) {
    this.jid = formatJid(party, stream.domain);
    this.#account = this.jid.slice(0, this.jid.indexOf("/"));
  }

  /** Lets through what arrived while the device was attached, and from then on at once. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const parcel of early) this.receive(parcel);
  }

  receive(parcel: Parcel): void {
    if (this.#early) {
      if (this.#early.push(parcel) > EARLY) this.stream.fail("resource-constraint");
      return;
    }
    try {
      const { domain } = this.stream;
      this.stream.send(parcel.kind === "stanza" ? parcel.xml : encodeSignal(parcel.signal, domain));
    } catch (error) {
      this.services.log.error({ err: error }, "a signal could not be written as a stanza");
    }
  }

  close(reason: "replaced" | "ended" | "draining"): void {
    if (reason === "replaced") this.stream.fail("conflict", "Replaced by a new connection");
    else if (reason === "ended") this.stream.fail("not-authorized", "The session has ended");
    else this.stream.fail("system-shutdown");
  }

  /** Takes a stanza of the client. */
  async stanza(stanza: Element): Promise<void> {
    // Client state indication (XEP-0352) is accepted and changes nothing.
    if (stanza.attrs.xmlns === "urn:xmpp:csi:0") return;
    const known = stanza.attrs.xmlns === CLIENT;
    if (known && stanza.name === "message") await this.#message(stanza);
    else if (known && stanza.name === "iq") this.#iq(stanza);
    else if (!known || stanza.name !== "presence") this.stream.fail("unsupported-stanza-type");
  }

  #target(to: string | undefined): Target {
    if (to === undefined) return { party: { ...this.party, resource: undefined } };
    const jid = parseJid(to);
    if (!jid) return { refusal: "jid-malformed" };
    if (jid.domain !== this.stream.domain) return { refusal: "remote-server-not-found" };
    if (jid.local === "") return { server: true };
    const user = parseUser(jid.local);
    if (!user) return { refusal: "item-not-found" };
    return { party: jid.resource === undefined ? user : { ...user, resource: jid.resource } };
  }

  async #message(message: Element): Promise<void> {
    const { type } = message.attrs;
    const target = this.#target(message.attrs.to);
    const refusal = "refusal" in target ? target.refusal : "service-unavailable";
    if (!("party" in target) || type === "groupchat") return this.#refuse(message, refusal);
    try {
      const signal = decodeSignal(message, this.party, target.party);
      if (signal) {
        signal.id ||= newId();
        await this.services.router.send("xmpp", signal);
        return;
      }
      message.attrs.from = this.jid;
      await this.services.router.relay(this.party, target.party, writeElement(message));
    } catch (error) {
      const fault = toFault(error);
      if (fault !== error) this.services.log.error({ err: error }, "a message failed");
      // An error is never answered by an error (RFC 6120 section 8.3.1).
      if (type !== "error") this.stream.send(stanzaError(message, this.jid, fault));
    }
  }

  #refuse(stanza: Element, refusal: Refusal) {
    if (stanza.attrs.type !== "error") this.stream.send(stanzaError(stanza, this.jid, refusal));
  }

  #iq(iq: Element) {
    const shape = iqShape(iq);
    if (shape === "response") return;
    if (shape === "wrong") return this.stream.send(stanzaError(iq, this.jid, "bad-request"));
    const target = this.#target(iq.attrs.to);
    if ("refusal" in target) return this.#refuse(iq, target.refusal);
    const own = "party" in target && formatJid(target.party, this.stream.domain);
    if (own !== false && own !== this.#account && own !== this.jid) {
      return this.#refuse(iq, "service-unavailable");
    }
    if (bindRequest(iq)) return this.#refuse(iq, "not-allowed");
    const answer = answerIq(iq, own === false ? "server" : "account", {
      uptime: () => Math.floor((this.services.clock.now() - this.openedAt) / 1000),
    });
    if ("refusal" in answer) return this.#refuse(iq, answer.refusal);
    this.stream.send(iqResult(iq, this.jid, answer.content));
  }

  /** A ping of the server (XEP-0199), whose answer is a sign of life like any other input. */
  ping(): string {
    const head = attribute("from", this.stream.domain) + attribute("to", this.jid);
    return `<iq xmlns="${CLIENT}" type="get" id="${newId()}"${head}><ping xmlns="urn:xmpp:ping"/></iq>`;
  }
}

/** A result for a request, from whom it was sent to. */
export function iqResult(iq: Element, client: string, content: string): string {
  const head =
    attribute("from", iq.attrs.to) + attribute("to", client) + attribute("id", iq.attrs.id);
  return `<iq xmlns="${CLIENT}" type="result"${head}>${content}</iq>`;
}

/** The result that tells a client its full JID. */
export function bindResult(iq: Element, device: ChatDevice): string {
  const content = `<bind xmlns="${BIND}"><jid>${escapeText(device.jid)}</jid></bind>`;
  return iqResult(iq, device.jid, content);
}
