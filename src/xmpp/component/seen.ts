import type { Budget, Limiter } from "../../bus/limiter";
import type { Party, Signal } from "../../calls/signal";
import { hashToken } from "../../core/random";

const once = (name: string, seconds: number): Budget => ({ name, limit: 1, seconds });

/**
 * ejabberd copies a stanza when it is sent, and again for every stream that receives it, one of which may
 * be slow. Word for word the same signal under the same id says nothing new meanwhile.
 */
const COPY = once("chat-copy", 30);
/**
 * Without an id the same words may be a repeat, as of a `call` every five seconds. The copies of a stanza
 * come within moments of each other, but for those of a slow stream, which then count as one more.
 */
const NAMELESS = once("chat-nameless", 3);
/** As long as anything that was sent may come back. */
const SENT = once("chat-sent", 60);
const OFFER = once("chat-offer", 60);

/** Resources of GraphQL devices. A client may bind one too, so it only says where to look. */
const GRAPHQL = "graphql-";

const keyOf = (...parts: unknown[]) => hashToken(JSON.stringify(parts)).toString("base64url");

/**
 * What the nodes of a deployment have met already: copies that come twice, copies of what they sent
 * themselves, and signals that one of them passes on for another. It is kept where limits are counted,
 * for all nodes together, and bounded as those are.
 */
export class Seen {
  constructor(private readonly limiter: Limiter) {}

  /**
   * Notes a signal that is about to be written to the chat server.
   * @param to its address
   * @param read the signal as a copy of it would be read, where its name alone does not do
   */
  async sending(signal: Signal, to: string, read: () => Signal): Promise<void> {
    await this.#first(isOwn(signal) ? signal : read(), to);
  }

  /**
   * Whether a copied signal is a new one: neither met before nor sent from here.
   * @param to the address that it was sent to, as both copies have it
   */
  copied(copy: Signal, to: string | undefined): Promise<boolean> {
    return this.#first(copy, to);
  }

  /** Whether this node is the first to take what another node offers. */
  async claim(offer: string): Promise<boolean> {
    return (await this.limiter.take(OFFER, keyOf(offer))) === 0;
  }

  async #first(copy: Signal, to: string | undefined): Promise<boolean> {
    const key = [nameOf(copy.from), to, copy.id];
    if (isOwn(copy)) return (await this.limiter.take(SENT, keyOf(...key))) === 0;
    const budget = copy.id === "" ? NAMELESS : COPY;
    return (await this.limiter.take(budget, keyOf(...key, contentOf(copy)))) === 0;
  }
}

/**
 * Whether it may come from here: nothing that a client of the chat server sends is without a device, and
 * nothing that is sent from here without an id.
 */
const isOwn = ({ id, from }: Signal) => id !== "" && (from.resource ?? GRAPHQL).startsWith(GRAPHQL);

const nameOf = ({ applicationId, userId, resource }: Party) => [applicationId, userId, resource];

/** What both copies of a stanza have in common: a server may add to a message what is its own. */
function contentOf({ id, from, to, siblings, lead, lang, ...content }: Signal): unknown {
  return content;
}
