import { setTimeout as delay } from "node:timers/promises";
import type { Element } from "ltx";
import type { Party } from "../calls/signal";
import { type ErrorCode, toFault } from "../core/errors";
import { newId } from "../core/random";
import type { PreAuthLimiter } from "../limits/pre-auth-limiter";
import { ChatDevice } from "./chat-device";
import { childOf, isElement } from "./element";
import { type StreamCondition, stanzaError } from "./error";
import { BIND, bindRequest, bindResult, iqShape } from "./iq";
import { formatUser, toResource } from "./jid";
import { failed, readCount, resourceOf, SM } from "./management/elements";
import type { Hibernation } from "./management/hibernation";
import { readPlain, SASL, type SaslCondition, type SignInThrottle, saslFailure } from "./sasl";
import type { Admission, ChatLimits, ChatServices } from "./services";
import { type Peer, Stream } from "./stream";
import type { Transport } from "./transport/transport";
import { CLIENT } from "./xml";

/** What the streams of one endpoint share. */
export interface Endpoint {
  services: ChatServices;
  limits: ChatLimits;
  throttle: SignInThrottle;
  /** Connections that have not signed in, over any of the endpoint's transports. */
  doorstep: PreAuthLimiter;
  /** Whether an address is a proxy's (TRUST_PROXY), and says nothing of the client. */
  isProxy(address: string): boolean;
  /** Streams that can be resumed, over any of the endpoint's transports. */
  hibernation: Hibernation<ChatDevice>;
  /** When the endpoint was opened, in milliseconds since the Unix epoch. */
  openedAt: number;
}

/** Codes that say no to the credentials; with any other the attempt could not be judged. */
const DENIED: ErrorCode[] = ["UNAUTHENTICATED", "NOT_FOUND", "INVALID", "MALFORMED"];

const FOREIGN_PAGE = "This origin may not use this application";

const features = (content: string) =>
  `<stream:features xmlns:stream="http://etherx.jabber.org/streams">${content}</stream:features>`;
const MECHANISMS = `<mechanisms xmlns="${SASL}"><mechanism>PLAIN</mechanism></mechanisms>`;
const TLS = "urn:ietf:params:xml:ns:xmpp-tls";
const STARTTLS = `<starttls xmlns="${TLS}"><required/></starttls>`;
const BINDING = `<bind xmlns="${BIND}"/><session xmlns="urn:ietf:params:xml:ns:xmpp-session"><optional/></session><sm xmlns="${SM}"/>`;

/** Serves one client from its first header: signing in, binding, then its device. */
class Client implements Peer {
  readonly stream: Stream;
  readonly #gone = new AbortController();
  #user: Party | undefined;
  #challenged = false;
  #failures = 0;
  #device: ChatDevice | undefined;
  #withdraw: (() => void) | undefined;
  /** The resource of an earlier stream that could not be resumed here. */
  #missed: string | undefined;

  constructor(
    private readonly endpoint: Endpoint,
    transport: Transport,
  ) {
    const { services, limits } = endpoint;
    services.metrics.sockets.inc({ kind: "xmpp" });
    const { CHAT_DOMAIN } = services.config;
    this.stream = new Stream(transport, CHAT_DOMAIN, limits, services.log, this);
  }

  features(): string {
    const { startTls, trusted } = this.stream.transport;
    if (!this.#user && !this.#isAdmitted()) return "";
    if (startTls) return features(STARTTLS);
    if (this.#user) return features(BINDING);
    return features(trusted ? MECHANISMS : "");
  }

  /** Whether the node takes new streams; where it does not, the stream ends and says so. */
  #isAdmitted(): boolean {
    try {
      this.endpoint.services.admitConnection();
      return true;
    } catch (error) {
      this.stream.fail("resource-constraint", toFault(error).message);
      return false;
    }
  }

  async element(element: Element): Promise<void> {
    if (this.#device) await this.#device.stanza(element);
    else if (isElement(element, "starttls", TLS) && this.stream.transport.startTls) {
      this.stream.send(`<proceed xmlns="${TLS}"/>`);
      this.stream.secure();
    } else if (!this.#user && element.attrs.xmlns === SASL) await this.#sasl(element);
    else if (this.#user && element.name === "iq" && element.attrs.xmlns === CLIENT) {
      await this.#bind(element, this.#user);
    } else if (this.#user && element.attrs.xmlns === SM) {
      await this.#resume(element, this.#user);
    } else this.stream.fail("not-authorized", "First sign in and bind a resource");
  }

  ping(): string {
    return this.#device?.ping() ?? "";
  }

  closed(lost: boolean): void {
    this.endpoint.services.metrics.sockets.dec({ kind: "xmpp" });
    this.#gone.abort();
    const device = this.#device;
    // A device that has moved to another stream is that one's to look after.
    const own = device?.line.isOn(this.stream) ? device : undefined;
    // Its session or user may end while nobody is connected, so the watch goes on.
    if (lost && own?.hibernate(() => this.#withdraw?.())) return;
    own?.leave();
    this.#withdraw?.();
  }

  async #sasl(element: Element): Promise<void> {
    const answers = element.name === "response" && this.#challenged;
    this.#challenged = false;
    if (element.name === "abort") return this.#refuse("aborted");
    if (element.name !== "auth" && !answers) return this.#refuse("malformed-request");
    if (!this.stream.transport.trusted) return this.#refuse("encryption-required");
    if (!answers && element.attrs.mechanism !== "PLAIN") return this.#refuse("invalid-mechanism");
    const message = element.getText();
    if (message === "" && !answers) {
      this.#challenged = true;
      return this.stream.send(`<challenge xmlns="${SASL}"/>`);
    }
    const read = readPlain(message, this.stream.domain);
    if (typeof read === "string") return this.#refuse(read);
    await this.#signIn(read.user, read.secret);
  }

  #refuse(condition: SaslCondition): void {
    this.#failures += 1;
    this.stream.send(saslFailure(condition));
    if (this.#failures < this.endpoint.limits.failures) return;
    this.stream.fail("policy-violation", "Too many failed attempts");
  }

  async #signIn(user: Party, secret: string): Promise<void> {
    const { services, throttle } = this.endpoint;
    const { ip, origin } = this.stream.transport;
    const account = formatUser(user);
    const attempt = throttle.begin(ip, account);
    const wait = Math.max(attempt.wait, throttle.wait(this.#failures));
    if (wait > 0) {
      await delay(wait, undefined, { signal: this.#gone.signal }).catch(() => undefined);
    }
    if (this.stream.closing) return attempt.end(false);
    try {
      const admission = await services.authenticate({ ...user, secret, ip, origin });
      if (!this.stream.closing) this.#watch(user, admission);
      await admission.confirm();
    } catch (error) {
      this.#withdraw?.();
      return this.#failed(error, attempt.end);
    }
    attempt.end(true);
    if (this.stream.closing) return;
    this.#user = user;
    this.stream.admit(services.config.XMPP_STANZA_LIMIT);
    this.stream.send(`<success xmlns="${SASL}"/>`);
    this.stream.restart();
  }

  #watch(user: Party, { sessionId, password }: Admission): void {
    const { origin } = this.stream.transport;
    this.#withdraw = this.endpoint.services.watch({
      ...{ ...user, sessionId, password, origin },
      close: () => this.#end("not-authorized", "The session has ended"),
      refuse: () => this.#end("policy-violation", FOREIGN_PAGE),
    });
  }

  /** Ends the stream, or the device that waits to be resumed after it. */
  #end(condition: StreamCondition, text: string): void {
    this.stream.fail(condition, text);
    if (this.#device) this.endpoint.hibernation.drop(this.#device);
  }

  #failed(error: unknown, end: (success: boolean | null) => void): void {
    const fault = toFault(error);
    const denied = DENIED.includes(fault.code);
    end(denied ? false : null);
    if (fault.code === "FORBIDDEN") {
      this.stream.send(saslFailure("not-authorized"));
      this.stream.fail("policy-violation", FOREIGN_PAGE);
      return;
    }
    const known = fault === error;
    if (!known) this.endpoint.services.log.error({ err: error }, "a chat sign-in failed");
    this.#refuse(denied ? "not-authorized" : "temporary-auth-failure");
  }

  async #bind(iq: Element, user: Party): Promise<void> {
    const { services } = this.endpoint;
    const request = bindRequest(iq);
    if (!request) return this.stream.fail("not-authorized", "First bind a resource");
    if (iqShape(iq) !== "request")
      return this.stream.send(stanzaError(iq, undefined, "bad-request"));
    const asked = childOf(request, "resource")?.getText();
    // A client that leaves its address to the service keeps the one that others know.
    const resource = asked ? toResource(asked) : (this.#missed ?? newId());
    if (resource === undefined) return this.stream.send(stanzaError(iq, undefined, "bad-request"));
    const party = { ...user, resource };
    const device = new ChatDevice(this.endpoint, this.stream, party);
    try {
      await device.attach(this.#missed);
    } catch (error) {
      const fault = toFault(error);
      if (fault !== error)
        services.log.error({ err: error }, "a chat device could not be attached");
      return this.stream.send(stanzaError(iq, undefined, fault));
    }
    if (this.stream.closing) return device.leave();
    this.#device = device;
    this.stream.established();
    this.stream.send(bindResult(iq, device.jid, device.hasMissed));
    device.begin(this.#missed !== undefined);
  }

  /**
   * Goes on with an earlier stream of the same user in place of binding (XEP-0198 section 5). Where
   * nothing is known of it, its node may have ended: what it had not received comes after the bind.
   */
  async #resume(element: Element, user: Party): Promise<void> {
    const { hibernation } = this.endpoint;
    const { previd, h } = element.attrs;
    const count = readCount(h);
    if (element.name !== "resume") return this.stream.send(failed("unexpected-request"));
    if (previd === undefined || count === undefined) return this.stream.send(failed("bad-request"));
    const device = hibernation.find(previd, user);
    if (!device) {
      this.#missed = resourceOf(previd);
      return this.stream.send(failed("item-not-found", hibernation.handledBy(previd, user)));
    }
    this.#device = device;
    device.line.moveTo(this.stream);
    hibernation.wake(device);
    // What the client said on the stream before is handled first, so that it is counted.
    await device.settled();
    if (this.stream.closing || !device.line.isOn(this.stream)) return;
    this.stream.established();
    device.line.resume(previd, count);
  }
}

/** Serves a client on a transport that was just connected; answers the stream to feed. */
export function acceptClient(endpoint: Endpoint, transport: Transport): Stream {
  return new Client(endpoint, transport).stream;
}
