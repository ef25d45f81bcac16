import type { Element } from "ltx";
import type { Attachment, CloseReason, Device, Parcel } from "../calls/device";
import type { Party } from "../calls/signal";
import { toFault } from "../core/errors";
import { newId } from "../core/random";
import { answeredElsewhere } from "./answered-elsewhere";
import { attribute, writeElement } from "./element";
import { type Refusal, stanzaError } from "./error";
import { answerIq, bindRequest, iqResult, iqShape } from "./iq";
import { formatJid } from "./jid";
import type { ManagementLimits } from "./management/acknowledgements";
import { failed, readCount, SM } from "./management/elements";
import type { Hibernation, Resumable } from "./management/hibernation";
import { Line } from "./management/line";
import type { ChatServices } from "./services";
import { decodeSignal, encodeSignal } from "./stanza";
import type { Stream } from "./stream";
import { targetOf } from "./target";
import { CLIENT } from "./xml";

/** What the devices of one endpoint share. */
export interface DeviceParts {
  services: Pick<ChatServices, "router" | "clock" | "log" | "messageCounter">;
  limits: ManagementLimits;
  hibernation: Hibernation<ChatDevice>;
  /** When the endpoint was opened, in milliseconds since the Unix epoch. */
  openedAt: number;
}

/** Parcels that may wait while a device is attached. */
const EARLY = 1_000;

/** One device of a user, as the router sees it, and what that device says. */
export class ChatDevice implements Device, Resumable {
  readonly door = "xmpp";
  readonly jid: string;
  readonly line: Line;
  /** Whether calls may ring that it is not told of. */
  hasMissed = false;
  readonly #account: string;
  readonly #count: (ip: string | null) => void;
  readonly #domain: string;
  /** What arrived before the client was ready for it. */
  #early: Parcel[] | undefined = [];
  #ready = () => {};
  #hold: NodeJS.Timeout | undefined;
  #attachment: Attachment | undefined;
  /** What the client said last, while it is handled. */
  #handling: Promise<void> | undefined;

  constructor(
    private readonly parts: DeviceParts,
    stream: Stream,
    readonly party: Required<Party>,
  ) {
    this.#domain = stream.domain;
    this.jid = formatJid(party, stream.domain);
    this.#count = parts.services.messageCounter(party);
    this.#account = this.jid.slice(0, this.jid.indexOf("/"));
    this.line = new Line(stream, parts.limits, {
      acknowledged: (cursor) => this.#attachment?.acknowledge(cursor),
      grown: () => parts.hibernation.grown(this),
      overflowed: () => this.#end("resource-constraint", "Too much waits to be acknowledged"),
    });
  }

  /**
   * Connects the device to the router.
   * @param resumed the resource of an earlier stream, whose unacknowledged signals come first
   * @throws Fault as Router.attach
   */
  async attach(resumed: string | undefined): Promise<void> {
    const { router } = this.parts.services;
    this.#attachment = await router.attach(this, resumed === undefined ? undefined : { resumed });
  }

  /**
   * Lets through what arrived while the device was attached, and from then on at once; after an
   * earlier stream only with stream management on, since what goes before counts as received.
   */
  begin(resumed: boolean): void {
    if (resumed) this.#hold = setTimeout(() => this.#release(), this.parts.limits.holdMs);
    else this.#release();
  }

  #release(): void {
    clearTimeout(this.#hold);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const parcel of early) this.receive(parcel);
    this.#ready();
  }

  missed(): void {
    this.hasMissed = true;
  }

  receive(parcel: Parcel): void {
    if (this.#early) {
      if (this.#early.push(parcel) > EARLY) this.#end("resource-constraint");
      return;
    }
    try {
      if (parcel.kind === "stanza") this.line.send(parcel.xml);
      else if (parcel.kind === "signal" || parcel.hangUp) {
        const signal =
          parcel.kind === "signal" ? parcel.signal : answeredElsewhere(parcel, this.party);
        this.line.send(encodeSignal(signal, this.#domain), parcel.cursor);
      }
    } catch (error) {
      this.parts.services.log.error({ err: error }, "a signal could not be written as a stanza");
    }
  }

  drained(): Promise<void> | undefined {
    if (!this.#early) return this.line.drained();
    return new Promise((resolve) => {
      this.#ready = resolve;
    });
  }

  close(reason: CloseReason): void {
    if (reason === "replaced") this.#end("conflict", "Replaced by a new connection");
    else if (reason === "ended") this.#end("not-authorized", "The session has ended");
    else if (reason === "behind") this.#end("resource-constraint");
    else this.#end("system-shutdown");
  }

  #end(...error: Parameters<Line["fail"]>): void {
    if (!this.line.fail(...error)) this.leave();
  }

  /**
   * Waits to be resumed over another stream; false when it cannot be.
   * @param over is called once it is resumed or has left
   */
  hibernate(over: () => void): boolean {
    this.line.hibernate();
    return this.parts.hibernation.keep(this, over);
  }

  /** Leaves the router for good, with or without a stream. */
  leave(): void {
    this.parts.hibernation.forget(this);
    clearTimeout(this.#hold);
    this.#ready();
    this.line.end();
    const attachment = this.#attachment;
    this.#attachment = undefined;
    attachment?.detach().catch((error: unknown) => {
      this.parts.services.log.error({ err: error }, "a chat device could not be detached");
    });
  }

  /** Resolves once what the client said is handled, and counted. */
  async settled(): Promise<void> {
    await this.#handling?.catch(() => undefined);
  }

  /** Takes what the client says; resolves once it is handled. */
  stanza(stanza: Element): Promise<void> | undefined {
    const { xmlns } = stanza.attrs;
    // Client state indication (XEP-0352) is accepted and changes nothing.
    if (xmlns === "urn:xmpp:csi:0") return undefined;
    if (xmlns === SM) {
      this.#manage(stanza);
      return undefined;
    }
    this.#handling = this.#handle(stanza);
    return this.#handling;
  }

  async #handle(stanza: Element): Promise<void> {
    const known = stanza.attrs.xmlns === CLIENT;
    if (known && stanza.name === "message") await this.#message(stanza);
    else if (known && stanza.name === "iq") this.#iq(stanza);
    else if (!known || stanza.name !== "presence") {
      this.line.fail("unsupported-stanza-type");
      return;
    }
    this.line.count();
  }

  /** Stream management of a bound stream (XEP-0198 sections 3 and 4). */
  #manage(element: Element): void {
    const { line } = this;
    if (element.name === "enable" && !line.managed) {
      const { resume } = element.attrs;
      const resumable = resume === "true" || resume === "1";
      line.enable(resumable ? this.parts.hibernation.admit(this) : undefined);
      this.#attachment?.acknowledge("");
      if (this.#early) this.#release();
    } else if (element.name === "r" && line.managed) line.acknowledge();
    else if (element.name === "a" && line.managed) {
      const h = readCount(element.attrs.h);
      if (h === undefined) line.write(failed("bad-request"));
      else line.answered(h);
    } else line.write(failed("unexpected-request"));
  }

  async #message(message: Element): Promise<void> {
    const { type } = message.attrs;
    const target = targetOf(message.attrs.to, this.party, this.#domain);
    const refusal = "refusal" in target ? target.refusal : "service-unavailable";
    if (!("party" in target) || type === "groupchat") return this.#refuse(message, refusal);
    try {
      this.#count(this.line.ip);
      const signal = decodeSignal(message, this.party, target.party);
      if (signal) {
        signal.id ||= newId();
        await this.parts.services.router.send("xmpp", signal);
        return;
      }
      message.attrs.from = this.jid;
      await this.parts.services.router.relay(this.party, target.party, writeElement(message));
    } catch (error) {
      const fault = toFault(error);
      if (fault !== error) this.parts.services.log.error({ err: error }, "a message failed");
      // An error is never answered by an error (RFC 6120 section 8.3.1).
      if (type !== "error") this.line.send(stanzaError(message, this.jid, fault));
    }
  }

  #refuse(stanza: Element, refusal: Refusal) {
    if (stanza.attrs.type !== "error") this.line.send(stanzaError(stanza, this.jid, refusal));
  }

  #iq(iq: Element) {
    const shape = iqShape(iq);
    if (shape === "response") return;
    if (shape === "wrong") return this.line.send(stanzaError(iq, this.jid, "bad-request"));
    const target = targetOf(iq.attrs.to, this.party, this.#domain);
    if ("refusal" in target) return this.#refuse(iq, target.refusal);
    const own = "party" in target && formatJid(target.party, this.#domain);
    if (own !== false && own !== this.#account && own !== this.jid) {
      return this.#refuse(iq, "service-unavailable");
    }
    if (bindRequest(iq)) return this.#refuse(iq, "not-allowed");
    const answer = answerIq(iq, own === false ? "server" : "account", {
      uptime: () => Math.floor((this.parts.services.clock.now() - this.parts.openedAt) / 1000),
    });
    if ("refusal" in answer) return this.#refuse(iq, answer.refusal);
    this.line.send(iqResult(iq, this.jid, answer.content));
  }

  /**
   * What asks for a sign of life: a ping of the server (XEP-0199) or, where stream management is on,
   * its question. Whatever is answered counts.
   */
  ping(): string {
    const question = this.line.question();
    if (question !== undefined) return question;
    const head = attribute("from", this.#domain) + attribute("to", this.jid);
    return `<iq xmlns="${CLIENT}" type="get" id="${newId()}"${head}><ping xmlns="urn:xmpp:ping"/></iq>`;
  }
}
