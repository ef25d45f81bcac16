import { newId } from "../../core/random";
import { attribute } from "../element";
import type { Link } from "./link";

/** Milliseconds that the chat server may take to answer; then the link is given up. */
const ANSWER_MS = 4_000;
/** Milliseconds of silence after which it is asked for a sign of life. */
const QUIET_MS = 30_000;

/** Why a stanza may not have reached the chat server. */
export class LinkLost extends Error {
  override readonly name = "LinkLost";
}

interface Waiting {
  resolve(): void;
  reject(error: LinkLost): void;
}

/**
 * What this node writes to the chat server, and whether it has arrived. XEP-0114 knows no
 * acknowledgement, but a stream is worked off in order: whatever answers a ping that was written after
 * a stanza, be it an error, tells that the stanza was taken. One ping is under way at a time, for all
 * that was written before it.
 */
export class Outbox {
  #written: Waiting[] = [];
  #flight: { id: string; waiting: Waiting[] } | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #held = false;

  constructor(
    private readonly link: Pick<Link, "up" | "write" | "abort">,
    private readonly from: string,
    private readonly domain: string,
    private readonly node: string,
    private readonly answerMs = ANSWER_MS,
  ) {}

  /** The link is up: from here on its silence is watched. */
  opened(): void {
    this.#quiet = setInterval(() => this.#ask(), QUIET_MS);
  }

  /** Writes a stanza; resolves once the chat server has taken it. @throws LinkLost */
  send(xml: string): Promise<void> {
    if (!this.link.up) return Promise.reject(new LinkLost("not attached"));
    return new Promise((resolve, reject) => {
      this.#written.push({ resolve, reject });
      this.link.write(xml);
      this.#ask();
    });
  }

  /** Takes the id of an answer; false when it answers no ping of this node. */
  answered(id: string): boolean {
    if (!this.#flight || id !== this.#flight.id) return false;
    const { waiting } = this.#flight;
    this.#flight = undefined;
    clearTimeout(this.#deadline);
    for (const { resolve } of waiting) resolve();
    if (this.#written.length > 0) this.#ask();
    return true;
  }

  /**
   * Nothing is read from the link, or it is again: an answer that nobody reads says nothing of the chat
   * server.
   */
  hold(held: boolean): void {
    this.#held = held;
    clearTimeout(this.#deadline);
    if (this.#flight) this.#expect();
  }

  /** The link is down: of what was not answered nobody knows whether it arrived. */
  lost(): void {
    clearInterval(this.#quiet);
    clearTimeout(this.#deadline);
    const waiting = [...(this.#flight?.waiting ?? []), ...this.#written];
    this.#flight = undefined;
    this.#written = [];
    for (const { reject } of waiting) reject(new LinkLost("the link was lost"));
  }

  #ask(): void {
    if (this.#flight) return;
    const id = `${this.node}.${newId()}`;
    this.#flight = { id, waiting: this.#written };
    this.#written = [];
    const head = attribute("from", this.from) + attribute("to", this.domain) + attribute("id", id);
    this.link.write(`<iq type="get"${head}><ping xmlns="urn:xmpp:ping"/></iq>`);
    this.#expect();
  }

  #expect(): void {
    if (this.#held) return;
    this.#deadline = setTimeout(
      () => this.link.abort("the chat server does not answer"),
      this.answerMs,
    );
  }
}
