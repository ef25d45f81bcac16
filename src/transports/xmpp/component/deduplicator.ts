import { hashToken } from "../../../core/random";
import type { Party, SignalHeader, StanzaSignal } from "../../../domain/calls/signals/signal";
import type { Limiter, RateLimit } from "../../../platform/limits/limiter";

const once = (name: string, seconds: number): RateLimit => ({ name, limit: 1, seconds });

/**
 * ejabberd copies a stanza when it is sent, and again for each stream that receives it, some of which may be
 * slow. An identical signal with the same id within this time is a duplicate.
 */
const COPY = once("chat-copy", 30);
/**
 * Without an id, an identical signal may be a deliberate repeat, as of a `call` every five seconds. Copies
 * arrive within moments of each other, except those of a slow stream, which then count as a repeat.
 */
const COPY_WITHOUT_ID = once("chat-nameless", 3);
/** The time in which a copy of a sent signal may arrive. */
const SENT = once("chat-sent", 60);
const OFFER = once("chat-offer", 60);

/** Resource prefix of GraphQL devices; only a hint, since a chat client may bind such a resource too. */
const GRAPHQL_PREFIX = "graphql-";

const keyOf = (...parts: unknown[]) => hashToken(JSON.stringify(parts)).toString("base64url");

/**
 * Deduplicates across all nodes: repeated copies of a stanza, copies of signals that the nodes sent
 * themselves, and stanzas that one node offers to the others. The shared limiter keeps and bounds the keys.
 */
export class Deduplicator {
  constructor(private readonly limiter: Limiter) {}

  /**
   * Records a signal of a GraphQL or REST client before it is sent to the chat server.
   * @param to its JID
   */
  async recordSent({ id, from }: SignalHeader, to: string): Promise<void> {
    await this.limiter.take(SENT, keyOf(senderOf(from), to, id));
  }

  /**
   * Whether a copied signal is new: neither copied before nor sent by a node.
   * @param to the `to` attribute of the stanza, which is the same in all copies
   */
  async isNewCopy(copy: StanzaSignal, to: string | undefined): Promise<boolean> {
    const key = [senderOf(copy.from), to, copy.id];
    if (mayBeOwn(copy)) return (await this.limiter.take(SENT, keyOf(...key))) === 0;
    const limit = copy.id === "" ? COPY_WITHOUT_ID : COPY;
    // A server may add elements beside extraParams, which differ between copies.
    return (await this.limiter.take(limit, keyOf(...key, copy.stanza.params))) === 0;
  }

  /** Claims an offer of another node. Returns false if another node was first. */
  async claim(offer: string): Promise<boolean> {
    return (await this.limiter.take(OFFER, keyOf(offer))) === 0;
  }
}

/**
 * Whether a node may have sent the signal: clients of the chat server always have a resource, and signals of
 * the nodes always have an id.
 */
const mayBeOwn = ({ id, from }: SignalHeader) =>
  id !== "" && (from.resource ?? GRAPHQL_PREFIX).startsWith(GRAPHQL_PREFIX);

const senderOf = ({ applicationId, userId, resource }: Party) => [applicationId, userId, resource];
