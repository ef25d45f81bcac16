import { setTimeout as delay } from "node:timers/promises";
import type { Element } from "ltx";
import { type ErrorCode, toFault } from "../../../core/errors";
import { hasTokenForm, newId } from "../../../core/random";
import { inServerSpan } from "../../../core/tracing";
import type { Party } from "../../../domain/calls/signals/signal";
import { userViewer } from "../../../platform/limits/open-sockets";
import type { PreAuthLimiter } from "../../../platform/limits/pre-auth-limiter";
import { childOf, isElement } from "../../../platform/xml/ltx-element";
import { CLIENT_NS } from "../../../platform/xml/strict-reader";
import { type StreamCondition, stanzaError } from "../stanza/error";
import { BIND_NS, bindRequest, bindResult, classifyIq } from "../stanza/iq";
import { formatUser, toResource } from "../stanza/jid";
import { Stream, type StreamHandler } from "../stream/stream";
import type { Transport } from "../stream/transport";
import { failed, readCount, resourceOf, STREAM_MANAGEMENT_NS } from "../stream-management/elements";
import type { ResumableStreams } from "../stream-management/resumable-streams";
import { ChatDevice } from "./chat-device";
import { readPlain, SASL_NS, type SaslCondition, type SignInThrottle, saslFailure } from "./sasl";
import type { ChatLimits, ChatServices, SuccessfulSignIn } from "./services";

/** State that all streams of one endpoint share. */
export interface Endpoint {
  services: ChatServices;
  limits: ChatLimits;
  throttle: SignInThrottle;
  /** Bounds the unauthenticated connections of all transports together. */
  preAuthLimiter: PreAuthLimiter;
  /** Whether the address is that of a trusted proxy (TRUST_PROXY), not of the client. */
  isProxy(address: string): boolean;
  /** The streams that can be resumed, of all transports. */
  resumableStreams: ResumableStreams<ChatDevice>;
  /** When the endpoint was opened, in milliseconds since the Unix epoch. */
  openedAt: number;
}

/** Codes that mean wrong credentials. After any other code the outcome of the attempt is unknown. */
const DENIED: ErrorCode[] = ["UNAUTHENTICATED", "NOT_FOUND", "INVALID", "MALFORMED"];

/** An attempt that {@link SignInThrottle} does not count. */
const UNTHROTTLED: ReturnType<SignInThrottle["begin"]> = { wait: 0, end: () => undefined };

const ORIGIN_REFUSED = "This origin may not use this application";

const features = (content: string) =>
  `<stream:features xmlns:stream="http://etherx.jabber.org/streams">${content}</stream:features>`;
const MECHANISMS = `<mechanisms xmlns="${SASL_NS}"><mechanism>PLAIN</mechanism></mechanisms>`;
const TLS = "urn:ietf:params:xml:ns:xmpp-tls";
const STARTTLS = `<starttls xmlns="${TLS}"><required/></starttls>`;
const BINDING = `<bind xmlns="${BIND_NS}"/><session xmlns="urn:ietf:params:xml:ns:xmpp-session"><optional/></session><sm xmlns="${STREAM_MANAGEMENT_NS}"/>`;

/** Serves one client: negotiation (SASL, then bind or resume), after which its device handles the stanzas. */
class Client implements StreamHandler {
  readonly stream: Stream;
  private readonly abort = new AbortController();
  private user: Party | undefined;
  private challenged = false;
  private failures = 0;
  private device: ChatDevice | undefined;
  private unwatch: (() => void) | undefined;
  private uncount: (() => void) | undefined;
  /** The resource of an earlier stream that this node could not resume. */
  private previousResource: string | undefined;

  constructor(
    private readonly endpoint: Endpoint,
    transport: Transport,
  ) {
    const { services, limits } = endpoint;
    services.metrics.sockets.inc({ protocol: "xmpp" });
    const { CHAT_DOMAIN } = services.config;
    this.stream = new Stream(transport, CHAT_DOMAIN, limits, services.log, this);
  }

  features(): string {
    const { startTls, trusted } = this.stream.transport;
    if (!this.user && !this.isAdmitted()) return "";
    if (startTls) return features(STARTTLS);
    if (this.user) return features(BINDING);
    return features(trusted ? MECHANISMS : "");
  }

  /** Whether the node accepts new streams. If not, the stream ends with `resource-constraint`. */
  private isAdmitted(): boolean {
    try {
      this.endpoint.services.admitConnection();
      return true;
    } catch (error) {
      this.stream.fail("resource-constraint", toFault(error).message);
      return false;
    }
  }

  async handleElement(element: Element): Promise<void> {
    if (this.device) await this.device.handleElement(element);
    else if (isElement(element, "starttls", TLS) && this.stream.transport.startTls) {
      this.stream.send(`<proceed xmlns="${TLS}"/>`);
      this.stream.startTls();
    } else if (!this.user && element.attrs.xmlns === SASL_NS) await this.sasl(element);
    else if (this.user && element.name === "iq" && element.attrs.xmlns === CLIENT_NS) {
      await this.bind(element, this.user);
    } else if (this.user && element.attrs.xmlns === STREAM_MANAGEMENT_NS) {
      await this.resume(element, this.user);
    } else this.stream.fail("not-authorized", "Authenticate and bind a resource first");
  }

  ping(): string {
    return this.device?.ping() ?? "";
  }

  closed(lost: boolean): void {
    this.endpoint.services.metrics.sockets.dec({ protocol: "xmpp" });
    this.uncount?.();
    this.abort.abort();
    const device = this.device;
    // A device that was resumed on another stream belongs to that stream's client.
    const own = device?.managedStream.usesStream(this.stream) ? device : undefined;
    // The session or user may end while the device is disconnected, so the watch continues.
    if (lost && own?.keepForResumption(() => this.unwatch?.())) return;
    own?.leave();
    this.unwatch?.();
  }

  private async sasl(element: Element): Promise<void> {
    const isResponse = element.name === "response" && this.challenged;
    this.challenged = false;
    if (element.name === "abort") return this.refuse("aborted");
    if (element.name !== "auth" && !isResponse) return this.refuse("malformed-request");
    if (!this.stream.transport.trusted) return this.refuse("encryption-required");
    if (!isResponse && element.attrs.mechanism !== "PLAIN") {
      return this.refuse("invalid-mechanism");
    }
    const message = element.getText();
    if (message === "" && !isResponse) {
      this.challenged = true;
      return this.stream.send(`<challenge xmlns="${SASL_NS}"/>`);
    }
    const credentials = readPlain(message, this.stream.domain);
    if (typeof credentials === "string") return this.refuse(credentials);
    await this.signIn(credentials.user, credentials.secret);
  }

  private refuse(condition: SaslCondition): void {
    this.failures += 1;
    this.stream.send(saslFailure(condition));
    if (this.failures < this.endpoint.limits.maxFailures) return;
    this.stream.fail("policy-violation", "Too many failed attempts");
  }

  private async signIn(user: Party, secret: string): Promise<void> {
    const { services, throttle } = this.endpoint;
    const { ip, origin } = this.stream.transport;
    const account = formatUser(user);
    // A token is no guess at a password, also one that has ended: it slows down neither the account nor the address.
    const attempt = hasTokenForm(secret) ? UNTHROTTLED : throttle.begin(ip, account);
    const wait = Math.max(attempt.wait, throttle.wait(this.failures));
    if (wait > 0) {
      await delay(wait, undefined, { signal: this.abort.signal }).catch(() => undefined);
    }
    if (this.stream.closing) return attempt.end(false);
    try {
      await inServerSpan("xmpp sign-in", {}, undefined, async () => {
        const signIn = await services.authenticate({ ...user, secret, ip, origin });
        if (!this.stream.closing) this.watch(user, signIn);
        await signIn.confirm();
      });
    } catch (error) {
      this.unwatch?.();
      return this.failed(error, attempt.end);
    }
    attempt.end(true);
    if (this.stream.closing) return;
    const open = services.openSockets.admit(userViewer(user.userId), ip);
    if (!open) {
      this.unwatch?.();
      return this.refuse("temporary-auth-failure");
    }
    this.user = user;
    const uncount = services.counters.socketOpened(user.applicationId, "xmpp");
    this.uncount = () => {
      uncount();
      open.release();
    };
    this.stream.setAuthenticated(services.config.XMPP_STANZA_LIMIT);
    this.stream.send(`<success xmlns="${SASL_NS}"/>`);
    this.stream.restart();
  }

  private watch({ applicationId, userId }: Party, signIn: SuccessfulSignIn): void {
    this.unwatch = this.endpoint.services.watch({
      applicationId,
      userId,
      sessionId: signIn.sessionId,
      passwordFingerprint: signIn.passwordFingerprint,
      origin: this.stream.transport.origin,
      close: () => this.end("not-authorized", "The session has ended"),
      refuse: () => this.end("policy-violation", ORIGIN_REFUSED),
    });
  }

  /** Ends the stream and, if its device is disconnected and waits to be resumed, the device. */
  private end(condition: StreamCondition, text: string): void {
    this.stream.fail(condition, text);
    if (this.device) this.endpoint.resumableStreams.endIfDisconnected(this.device);
  }

  private failed(error: unknown, end: (success: boolean | null) => void): void {
    const fault = toFault(error);
    const denied = DENIED.includes(fault.code);
    end(denied ? false : null);
    if (fault.code === "FORBIDDEN") {
      this.stream.send(saslFailure("not-authorized"));
      this.stream.fail("policy-violation", ORIGIN_REFUSED);
      return;
    }
    if (fault !== error) this.endpoint.services.log.error({ err: error }, "chat sign-in failed");
    this.refuse(denied ? "not-authorized" : "temporary-auth-failure");
  }

  private async bind(iq: Element, user: Party): Promise<void> {
    const { services } = this.endpoint;
    const request = bindRequest(iq);
    if (!request) return this.stream.fail("not-authorized", "Bind a resource first");
    if (classifyIq(iq) !== "request")
      return this.stream.send(stanzaError(iq, undefined, "bad-request"));
    const requested = childOf(request, "resource")?.getText();
    // A client that does not name a resource keeps its previous one, which other users know.
    const resource = requested ? toResource(requested) : (this.previousResource ?? newId());
    if (resource === undefined) return this.stream.send(stanzaError(iq, undefined, "bad-request"));
    const party = { ...user, resource };
    const device = new ChatDevice(this.endpoint, this.stream, party);
    try {
      await device.attach(this.previousResource);
    } catch (error) {
      const fault = toFault(error);
      if (fault !== error)
        services.log.error({ err: error }, "a chat device could not be attached to the router");
      return this.stream.send(stanzaError(iq, undefined, fault));
    }
    if (this.stream.closing) return device.leave();
    this.device = device;
    this.stream.established();
    this.stream.send(bindResult(iq, device.jid, device.mayHaveMissedCalls));
    device.startDelivery(this.previousResource !== undefined);
  }

  /**
   * Resumes an earlier stream of the same user instead of binding (XEP-0198 section 5). If this node does
   * not know the stream, its node may have gone down: the client gets the missed signals after the bind. A client
   * forgets its stream when it is told that this has failed, so it is told only while it can bind.
   */
  private async resume(element: Element, user: Party): Promise<void> {
    const { resumableStreams } = this.endpoint;
    const { previd, h } = element.attrs;
    const count = readCount(h);
    if (element.name !== "resume") return this.stream.send(failed("unexpected-request"));
    if (previd === undefined || count === undefined) return this.stream.send(failed("bad-request"));
    const device = resumableStreams.find(previd, user);
    if (!device) {
      try {
        await this.endpoint.services.router.checkReachable(user);
      } catch (error) {
        const fault = toFault(error);
        if (fault !== error)
          this.endpoint.services.log.error({ err: error }, "a resumption failed");
        return this.stream.fail("internal-server-error", fault.message);
      }
      if (this.stream.closing) return;
      this.previousResource = resourceOf(previd);
      return this.stream.send(
        failed("item-not-found", resumableStreams.handledCount(previd, user)),
      );
    }
    this.device = device;
    device.managedStream.moveTo(this.stream);
    resumableStreams.markConnected(device);
    // Stanzas of the previous stream are handled first, so that the count in <resumed/> includes them.
    await device.whenHandled();
    if (this.stream.closing || !device.managedStream.usesStream(this.stream)) return;
    this.stream.established();
    device.managedStream.resume(previd, count);
  }
}

/** Starts serving a client on a newly connected transport. Returns the stream that takes its input. */
export function acceptClient(endpoint: Endpoint, transport: Transport): Stream {
  return new Client(endpoint, transport).stream;
}
