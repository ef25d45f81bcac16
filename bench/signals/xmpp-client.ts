import { type Account, DOMAIN } from "./job";
import type { Client } from "./signal-client";
import { SIGNAL_BYTES, type SignalType, stanzaOf } from "./signal-text";
import type { XmppTransport } from "./wire";

/** Timeout of a response, in milliseconds. */
const TIMEOUT_MS = 20_000;

/**
 * A low-cost client, which searches received text for keywords and parses nothing. It knows only the
 * responses that occur in this benchmark.
 */
export class XmppClient implements Client {
  onSignal: () => void = () => undefined;
  failure: Error | null = null;
  private count = 0;
  private received = "";
  private checkResponse: () => void = () => undefined;

  private constructor(private readonly wire: XmppTransport) {
    wire.onText = (text) => this.read(text);
    wire.onEnd = (reason) => this.fail(new Error(reason));
  }

  /** Signs in, binds a resource and becomes available. @throws Error with the server's response */
  static async begin(wire: XmppTransport, account: Account): Promise<XmppClient> {
    const client = new XmppClient(wire);
    try {
      await client.negotiate(account);
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  }

  sender(type: SignalType, to: Account): (callId: string) => void {
    const stanza = stanzaOf(type, this.account, to, this.wire.xmlns);
    return (callId) => this.wire.send(stanza(`m${++this.count}`, callId));
  }

  /** Pings the server (XEP-0199); an error response counts too. */
  async ping(): Promise<void> {
    await this.ask(
      `<iq${this.wire.xmlns} type="get" id="alive" to="${DOMAIN}"><ping xmlns="urn:xmpp:ping"/></iq>`,
      /id=["']alive["']/,
    );
  }

  close(): void {
    this.wire.onEnd = () => undefined;
    this.wire.close();
  }

  private account!: Account;

  private async negotiate(account: Account): Promise<void> {
    this.account = account;
    const { xmlns, header } = this.wire;
    const name = `${account.userId}-${account.applicationId}`;
    const initial = Buffer.from(`\0${name}\0${account.secret}`).toString("base64");
    await this.ask(header, /features>/);
    await this.ask(
      `<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">${initial}</auth>`,
      /<success/,
    );
    await this.ask(header, /features>/);
    await this.ask(
      `<iq${xmlns} type="set" id="bind"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>`,
      /<jid>/,
    );
    // Headlines are delivered to available resources; the ping response confirms that presence was processed.
    this.wire.send(`<presence${xmlns}/>`);
    await this.ping();
  }

  /** Sends text. Resolves once the expected response has arrived. */
  private ask(text: string, response: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error) => {
        clearTimeout(timer);
        this.checkResponse = () => undefined;
        this.received = "";
        if (error) reject(error);
        else resolve();
      };
      const timer = setTimeout(() => end(new Error(`no response to ${text}`)), TIMEOUT_MS);
      this.received = "";
      this.checkResponse = () => {
        if (this.failure) end(this.failure);
        else if (response.test(this.received)) end();
      };
      this.wire.send(text);
    });
  }

  private read(text: string): void {
    const at = text.indexOf("<message");
    if (at < 0) {
      if (/<failure|<stream:error|not-authorized/.test(text)) this.fail(new Error(text));
      this.received += text;
      this.checkResponse();
      return;
    }
    const head = text.slice(at, text.indexOf(">", at));
    if (!head.includes("headline") || text.length < SIGNAL_BYTES) this.fail(new Error(text));
    else this.onSignal();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.checkResponse();
  }
}
