import { setTimeout as delay } from "node:timers/promises";
import type { Element } from "ltx";
import type { Party } from "../calls/signal";
import { type ErrorCode, toFault } from "../core/errors";
import { newId } from "../core/random";
import { bindResult, ChatDevice } from "./chat-device";
import { childOf } from "./element";
import { stanzaError } from "./error";
import { BIND, bindRequest, iqShape } from "./iq";
import { formatUser, toResource } from "./jid";
import { readPlain, SASL, type SaslCondition, type SignInThrottle, saslFailure } from "./sasl";
import type { ChatLimits, ChatServices } from "./services";
import { type Peer, Stream, type Transport } from "./stream";
import { CLIENT } from "./xml";

/** What the streams of one endpoint share. */
export interface Endpoint {
  services: ChatServices;
  limits: ChatLimits;
  throttle: SignInThrottle;
  /** When the endpoint was opened, in milliseconds since the Unix epoch. */
  openedAt: number;
}

/** Codes that say no to the credentials; with any other the attempt could not be judged. */
const DENIED: ErrorCode[] = ["UNAUTHENTICATED", "NOT_FOUND", "INVALID", "MALFORMED"];

const FOREIGN_PAGE = "This origin may not use this application";

const features = (content: string) =>
  `<stream:features xmlns:stream="http://etherx.jabber.org/streams">${content}</stream:features>`;
const MECHANISMS = `<mechanisms xmlns="${SASL}"><mechanism>PLAIN</mechanism></mechanisms>`;
const BINDING = `<bind xmlns="${BIND}"/><session xmlns="urn:ietf:params:xml:ns:xmpp-session"><optional/></session>`;

/** Serves one client from its first header: signing in, binding, then its device. */
class Client implements Peer {
  readonly stream: Stream;
  readonly #gone = new AbortController();
  #user: Party | undefined;
  #challenged = false;
  #failures = 0;
  #device: ChatDevice | undefined;
  #withdraw: (() => void) | undefined;
  #detach: (() => Promise<void>) | undefined;

  constructor(
    private readonly endpoint: Endpoint,
    transport: Transport,
  ) {
    const { services, limits } = endpoint;
    services.metrics.sockets.inc({ kind: "xmpp" });
    const { CHAT_DOMAIN } = services.config;
    this.stream = new Stream(transport, CHAT_DOMAIN, newId(), limits, services.log, this);
  }

  features(): string {
    if (this.#user) return features(BINDING);
    return features(this.stream.transport.trusted ? MECHANISMS : "");
  }

  async element(element: Element): Promise<void> {
    if (this.#device) await this.#device.stanza(element);
    else if (!this.#user && element.attrs.xmlns === SASL) await this.#sasl(element);
    else if (this.#user && element.name === "iq" && element.attrs.xmlns === CLIENT) {
      await this.#bind(element, this.#user);
    } else this.stream.fail("not-authorized", "First sign in and bind a resource");
  }

  ping(): string {
    return this.#device?.ping() ?? "";
  }

  closed(): void {
    this.endpoint.services.metrics.sockets.dec({ kind: "xmpp" });
    this.#gone.abort();
    this.#withdraw?.();
    this.#leave();
  }

  #leave(): void {
    this.#detach?.().catch((error: unknown) => {
      this.endpoint.services.log.error({ err: error }, "a chat device could not be detached");
    });
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
      if (!this.stream.closing) this.#watch(user, admission.sessionId);
      await admission.confirm();
    } catch (error) {
      this.#withdraw?.();
      return this.#failed(error, attempt.end);
    }
    attempt.end(true);
    if (this.stream.closing) return;
    this.#user = user;
    this.stream.bytes = services.config.XMPP_STANZA_LIMIT;
    this.stream.send(`<success xmlns="${SASL}"/>`);
    this.stream.restart();
  }

  #watch(user: Party, sessionId: number | null): void {
    const { origin } = this.stream.transport;
    this.#withdraw = this.endpoint.services.watch({
      ...{ ...user, sessionId, origin },
      close: () => this.stream.fail("not-authorized", "The session has ended"),
      refuse: () => this.stream.fail("policy-violation", FOREIGN_PAGE),
    });
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
    const { services, openedAt } = this.endpoint;
    const request = bindRequest(iq);
    if (!request) return this.stream.fail("not-authorized", "First bind a resource");
    if (iqShape(iq) !== "request")
      return this.stream.send(stanzaError(iq, undefined, "bad-request"));
    const asked = childOf(request, "resource")?.getText();
    const resource = asked ? toResource(asked) : newId();
    if (resource === undefined) return this.stream.send(stanzaError(iq, undefined, "bad-request"));
    const party = { ...user, resource };
    const device = new ChatDevice(services, this.stream, party, openedAt);
    try {
      this.#detach = await services.router.attach(device);
    } catch (error) {
      const fault = toFault(error);
      if (fault !== error)
        services.log.error({ err: error }, "a chat device could not be attached");
      return this.stream.send(stanzaError(iq, undefined, fault));
    }
    if (this.stream.closing) return this.#leave();
    this.#device = device;
    this.stream.established();
    this.stream.send(bindResult(iq, device));
    device.begin();
  }
}

/** Serves a client on a transport that was just connected; answers the stream to feed. */
export function acceptClient(endpoint: Endpoint, transport: Transport): Stream {
  return new Client(endpoint, transport).stream;
}
