import type { Element } from "ltx";
import { toFault } from "../../../core/errors";
import { newId } from "../../../core/random";
import { type ActiveSpan, failSpan, inServerSpan, isTracingOn } from "../../../core/tracing";
import type {
  Attachment,
  CloseReason,
  SignalSubscriber,
  SubscriberMessage,
} from "../../../domain/calls/inbox/subscriber";
import type { Party } from "../../../domain/calls/signals/signal";
import { attribute, writeElement } from "../../../platform/xml/ltx-element";
import { CLIENT_NS } from "../../../platform/xml/strict-reader";
import { type StanzaErrorCondition, stanzaError } from "../stanza/error";
import { bindRequest, classifyIq, iqResult, respondToIq } from "../stanza/iq";
import { formatJid, resolveTarget } from "../stanza/jid";
import { answeredElsewhereHangUp, decodeSignal, encodeSignal } from "../stanza/stanza";
import type { Stream } from "../stream/stream";
import type { StreamManagementLimits } from "../stream-management/acknowledgements";
import { failed, readCount, STREAM_MANAGEMENT_NS } from "../stream-management/elements";
import { ManagedStream } from "../stream-management/managed-stream";
import type { Resumable, ResumableStreams } from "../stream-management/resumable-streams";
import type { ChatServices } from "./services";

/** Dependencies that all devices of one endpoint share. */
export interface DeviceDeps {
  services: Pick<ChatServices, "router" | "clock" | "log" | "counters" | "messageCounter">;
  limits: StreamManagementLimits;
  resumableStreams: ResumableStreams<ChatDevice>;
  /** When the endpoint was opened, in milliseconds since the Unix epoch. */
  openedAt: number;
}

/** Maximum number of messages that are buffered while a device attaches to the router. */
const MAX_EARLY = 1_000;

/** A user's device on an XMPP stream: delivers messages from the router and handles the client's stanzas. */
export class ChatDevice implements SignalSubscriber, Resumable {
  readonly protocol = "xmpp";
  readonly jid: string;
  readonly managedStream: ManagedStream;
  /** Whether the device may have missed calls that are still ringing. */
  mayHaveMissedCalls = false;
  private readonly account: string;
  private readonly count: (ip: string | null) => void;
  private readonly domain: string;
  /** Messages that arrived before delivery started; undefined once it has. */
  private early: SubscriberMessage[] | undefined = [];
  private deliveryStarted = () => {};
  private startTimer: NodeJS.Timeout | undefined;
  private attachment: Attachment | undefined;
  /** Settles when the client's latest stanza is handled. */
  private handling: Promise<void> | undefined;

  constructor(
    private readonly deps: DeviceDeps,
    stream: Stream,
    readonly party: Required<Party>,
  ) {
    this.domain = stream.domain;
    this.jid = formatJid(party, stream.domain);
    this.count = deps.services.messageCounter(party);
    this.account = this.jid.slice(0, this.jid.indexOf("/"));
    this.managedStream = new ManagedStream(stream, deps.limits, {
      acknowledged: (cursor) => this.attachment?.acknowledge(cursor),
      queued: () => deps.resumableStreams.updateSize(this),
      overflowed: () => this.end("resource-constraint", "Too many unacknowledged stanzas"),
    });
  }

  /**
   * Attaches the device to the router.
   * @param resumed the resource of an earlier stream; its unacknowledged signals are delivered first
   * @throws Fault as Router.attach
   */
  async attach(resumed: string | undefined): Promise<void> {
    const { router } = this.deps.services;
    this.attachment = await router.attach(this, resumed === undefined ? undefined : { resumed });
  }

  /**
   * Starts delivery with the buffered messages. If there was an earlier stream, waits up to `enableWaitMs`
   * for the client to enable stream management: what is sent before that counts as received.
   */
  startDelivery(resumed: boolean): void {
    if (resumed) this.startTimer = setTimeout(() => this.deliver(), this.deps.limits.enableWaitMs);
    else this.deliver();
  }

  private deliver(): void {
    clearTimeout(this.startTimer);
    const early = this.early ?? [];
    this.early = undefined;
    for (const message of early) this.receive(message);
    this.deliveryStarted();
  }

  onPossibleGap(): void {
    this.mayHaveMissedCalls = true;
  }

  receive(message: SubscriberMessage): void {
    if (this.early) {
      if (this.early.push(message) > MAX_EARLY) this.end("resource-constraint");
      return;
    }
    try {
      if (message.kind === "stanza") this.managedStream.send(message.xml);
      else if (message.kind === "signal" || message.hangUp) {
        const signal =
          message.kind === "signal" ? message.signal : answeredElsewhereHangUp(message, this.party);
        this.managedStream.send(encodeSignal(signal, this.domain), message.cursor);
      }
    } catch (error) {
      this.deps.services.log.error({ err: error }, "a signal could not be written as a stanza");
    }
  }

  whenDrained(): Promise<void> | undefined {
    if (!this.early) return this.managedStream.whenDrained();
    return new Promise((resolve) => {
      this.deliveryStarted = resolve;
    });
  }

  close(reason: CloseReason): void {
    if (reason === "replaced") this.end("conflict", "Replaced by a new connection");
    else this.end("resource-constraint");
  }

  private end(...error: Parameters<ManagedStream["fail"]>): void {
    if (!this.managedStream.fail(...error)) this.leave();
  }

  /**
   * Keeps the device, which has lost its connection, until it is resumed on another stream.
   * @param onEnd called when it is resumed or has left
   * @returns false if the device cannot be resumed
   */
  keepForResumption(onEnd: () => void): boolean {
    this.managedStream.markDisconnected();
    return this.deps.resumableStreams.keep(this, onEnd);
  }

  /** Detaches the device from the router for good. */
  leave(): void {
    this.deps.resumableStreams.remove(this);
    clearTimeout(this.startTimer);
    this.deliveryStarted();
    this.managedStream.end();
    const attachment = this.attachment;
    this.attachment = undefined;
    attachment?.detach().catch((error: unknown) => {
      this.deps.services.log.error(
        { err: error },
        "a chat device could not be detached from the router",
      );
    });
  }

  /** Resolves once the client's latest stanza is handled and counted. */
  async whenHandled(): Promise<void> {
    await this.handling?.catch(() => undefined);
  }

  /** Handles an element of the client; resolves once that is done. */
  handleElement(stanza: Element): Promise<void> | undefined {
    const { xmlns } = stanza.attrs;
    // Client state indication (XEP-0352) is accepted and ignored.
    if (xmlns === "urn:xmpp:csi:0") return undefined;
    if (xmlns === STREAM_MANAGEMENT_NS) {
      this.manage(stanza);
      return undefined;
    }
    this.handling = this.handle(stanza);
    return this.handling;
  }

  private async handle(stanza: Element): Promise<void> {
    const isStanza = stanza.attrs.xmlns === CLIENT_NS;
    if (isStanza && stanza.name === "message") await this.message(stanza);
    else if (isStanza && stanza.name === "iq") this.iq(stanza);
    else if (!isStanza || stanza.name !== "presence") {
      this.managedStream.fail("unsupported-stanza-type");
      return;
    }
    this.managedStream.countHandled();
  }

  /** Stream management of a bound stream (XEP-0198 sections 3 and 4). */
  private manage(element: Element): void {
    const { managedStream } = this;
    if (element.name === "enable" && !managedStream.managementEnabled) {
      const { resume } = element.attrs;
      const resumable = resume === "true" || resume === "1";
      managedStream.enable(resumable ? this.deps.resumableStreams.register(this) : undefined);
      this.attachment?.acknowledge("");
      if (this.early) this.deliver();
    } else if (element.name === "r" && managedStream.managementEnabled) managedStream.sendAck();
    else if (element.name === "a" && managedStream.managementEnabled) {
      const h = readCount(element.attrs.h);
      if (h === undefined) managedStream.sendUncounted(failed("bad-request"));
      else managedStream.handleAck(h);
    } else managedStream.sendUncounted(failed("unexpected-request"));
  }

  private message(message: Element): Promise<void> {
    if (!isTracingOn()) return this.handleMessage(message, undefined);
    return inServerSpan("xmpp message", {}, undefined, (span) => this.handleMessage(message, span));
  }

  private async handleMessage(message: Element, span: ActiveSpan): Promise<void> {
    const { type } = message.attrs;
    const target = resolveTarget(message.attrs.to, this.party, this.domain);
    const condition = "condition" in target ? target.condition : "service-unavailable";
    if (!("party" in target) || type === "groupchat") return this.refuse(message, condition);
    try {
      this.count(this.managedStream.ip);
      const signal = decodeSignal(message, this.party, target.party);
      if (signal) {
        signal.id ||= newId();
        await this.deps.services.router.send("xmpp", signal);
        return;
      }
      message.attrs.from = this.jid;
      await this.deps.services.router.relay(this.party, target.party, writeElement(message));
    } catch (error) {
      const fault = toFault(error);
      failSpan(span, fault);
      if (fault !== error) {
        this.deps.services.log.error({ err: error }, "a chat message could not be handled");
      }
      this.deps.services.counters.countError(this.party.applicationId, fault.code);
      // An error stanza is never answered with an error (RFC 6120 section 8.3.1).
      if (type !== "error") this.managedStream.send(stanzaError(message, this.jid, fault));
    }
  }

  private refuse(stanza: Element, condition: StanzaErrorCondition) {
    if (stanza.attrs.type !== "error")
      this.managedStream.send(stanzaError(stanza, this.jid, condition));
  }

  private iq(iq: Element) {
    const shape = classifyIq(iq);
    if (shape === "response") return;
    if (shape === "invalid")
      return this.managedStream.send(stanzaError(iq, this.jid, "bad-request"));
    const target = resolveTarget(iq.attrs.to, this.party, this.domain);
    if ("condition" in target) return this.refuse(iq, target.condition);
    const to = "party" in target && formatJid(target.party, this.domain);
    if (to !== false && to !== this.account && to !== this.jid) {
      return this.refuse(iq, "service-unavailable");
    }
    if (bindRequest(iq)) return this.refuse(iq, "not-allowed");
    const response = respondToIq(iq, to === false ? "server" : "account", {
      uptime: () => Math.floor((this.deps.services.clock.now() - this.deps.openedAt) / 1000),
    });
    if ("condition" in response) return this.refuse(iq, response.condition);
    this.managedStream.send(iqResult(iq, this.jid, response.content));
  }

  /**
   * A liveness probe: a request for an acknowledgement if stream management is on, otherwise a ping
   * (XEP-0199). Any input from the client counts as its response.
   */
  ping(): string {
    const request = this.managedStream.ackRequest();
    if (request !== undefined) return request;
    const head = attribute("from", this.domain) + attribute("to", this.jid);
    return `<iq xmlns="${CLIENT_NS}" type="get" id="${newId()}"${head}><ping xmlns="urn:xmpp:ping"/></iq>`;
  }
}
