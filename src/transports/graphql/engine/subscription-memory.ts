import { networkOf } from "../../../core/client-address";
import { Fault } from "../../../core/errors";
import type { PreparedOperation } from "./prepared";

/**
 * Maximum estimated memory of open subscriptions, in bytes: per client address (IPv6: per /64 network), and
 * per node. An operation that several subscriptions share counts once.
 */
const MAX_BYTES = { network: 8 * 1024 * 1024, node: 64 * 1024 * 1024 };
/**
 * Maximum bytes per character of the message: two for text, more for variables, where `{}` becomes an object.
 */
const CHARACTER_BYTES = { document: 2, variables: 20 };
/** Bytes of a subscription that are not counted, as its socket uses more anyway. */
const FREE_BYTES = 8 * 1024;

interface OpenOperation {
  subscriptions: number;
  /** Returns the operation's bytes to the budget. */
  release: () => void;
}

/**
 * Bounds the memory that open subscriptions retain: their messages, and their operations, which the cache may
 * already have evicted.
 */
export class OpenSubscriptions {
  private bytes = 0;
  private readonly networks = new Map<string, number>();
  private readonly operations = new Map<PreparedOperation, OpenOperation>();

  /**
   * Counts a subscription as open.
   * @returns releases the subscription; idempotent
   * @throws Fault LIMITED if the memory budget is exceeded
   */
  open(prepared: PreparedOperation, variables: object, ip: string): () => void {
    const network = networkOf(ip);
    const own = messageBytes(prepared, variables);
    const known = this.operations.get(prepared);
    const shared = known ? 0 : prepared.bytes;
    this.check(network, own + shared);
    const releaseMessage = this.reserve(network, own);
    const operation = known ?? { subscriptions: 0, release: this.reserve(network, shared) };
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
    const used = this.networks.get(network) ?? 0;
    if (used + bytes <= MAX_BYTES.network && this.bytes + bytes <= MAX_BYTES.node) return;
    const message = "Open subscriptions use too much memory: end some, or send shorter documents";
    throw new Fault("LIMITED", message, undefined, 1);
  }

  private reserve(network: string, bytes: number): () => void {
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

function messageBytes({ document }: PreparedOperation, variables: object): number {
  const text = document.loc?.source.body.length ?? 0;
  const values = JSON.stringify(variables).length;
  const bytes = CHARACTER_BYTES.document * text + CHARACTER_BYTES.variables * values;
  return Math.max(0, bytes - FREE_BYTES);
}
