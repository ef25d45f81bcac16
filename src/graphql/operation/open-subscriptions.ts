import { networkOf } from "../../core/client-address";
import { Fault } from "../../core/errors";
import type { Prepared } from "./prepared";

/**
 * Bytes that open subscriptions may keep, by estimate: of one address (an IPv6 network of 64 bits), and of a
 * node. An operation that is used by many counts once.
 */
const MAX_BYTES = { network: 8 * 1024 * 1024, node: 64 * 1024 * 1024 };
/** What a character of the message keeps, at most: text twice, and `{}` in variables an object. */
const CHARACTER_BYTES = { document: 2, variables: 20 };
/** What a subscription may keep without being counted, since its socket keeps more. */
const FREE_BYTES = 8 * 1024;

interface OpenOperation {
  subscriptions: number;
  /** Gives back what the operation counts for. */
  release: () => void;
}

/**
 * What open subscriptions keep for as long as they are open: their operations, which the cache may have
 * evicted long before, and their messages.
 */
export class OpenSubscriptions {
  private bytes = 0;
  private readonly networks = new Map<string, number>();
  private readonly operations = new Map<Prepared, OpenOperation>();

  /**
   * Counts a subscription as open.
   * @returns how to count it as ended; it may be called more than once
   * @throws Fault LIMITED when too much would be kept
   */
  open(prepared: Prepared, variables: object, ip: string): () => void {
    const network = networkOf(ip);
    const own = messageBytes(prepared, variables);
    const known = this.operations.get(prepared);
    const shared = known ? 0 : prepared.bytes;
    this.check(network, own + shared);
    const releaseMessage = this.take(network, own);
    const operation = known ?? { subscriptions: 0, release: this.take(network, shared) };
    operation.subscriptions += 1;
    this.operations.set(prepared, operation);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      releaseMessage();
      operation.subscriptions -= 1;
      if (operation.subscriptions > 0) return;
      operation.release();
      this.operations.delete(prepared);
    };
  }

  private check(network: string, bytes: number): void {
    const kept = this.networks.get(network) ?? 0;
    if (kept + bytes <= MAX_BYTES.network && this.bytes + bytes <= MAX_BYTES.node) return;
    const message = "Open subscriptions keep too much memory: end some, or send shorter documents";
    throw new Fault("LIMITED", message, undefined, 1);
  }

  private take(network: string, bytes: number): () => void {
    this.add(network, bytes);
    return () => this.add(network, -bytes);
  }

  private add(network: string, bytes: number): void {
    this.bytes += bytes;
    const own = (this.networks.get(network) ?? 0) + bytes;
    if (own === 0) this.networks.delete(network);
    else this.networks.set(network, own);
  }
}

function messageBytes({ document }: Prepared, variables: object): number {
  const text = document.loc?.source.body.length ?? 0;
  const values = JSON.stringify(variables).length;
  const bytes = CHARACTER_BYTES.document * text + CHARACTER_BYTES.variables * values;
  return Math.max(0, bytes - FREE_BYTES);
}
