import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import { newId } from "../../../core/random";
import type { Bus } from "../../../platform/bus/bus";
import type { ConfirmedWriter } from "./confirmed-writer";
import type { Deduplicator } from "./deduplicator";

/** Time after which an undelivered signal fails, in milliseconds. */
const SEND_TIMEOUT_MS = 5_000;
/** Maximum number of pending signals. */
const MAX_PENDING = 1_000;
/** Maximum total length of the pending signals, in characters; a single one may be longer. */
const MAX_PENDING_LENGTH = 8_388_608;

const CHANNEL = "chat-link";

/** Messages between nodes: an offer goes to all nodes, its outcome to the node that made it. */
type ClusterMessage =
  | { kind: "up"; node: string }
  | { kind: "down"; node: string }
  | { kind: "offer"; node: string; id: string; attempt: number; xml: string }
  | { kind: "answer"; id: string }
  | { kind: "outcome"; id: string; attempt: number; delivered: boolean };

/** A stanza of this node that the chat server has not received yet. */
interface PendingStanza {
  id: string;
  xml: string;
  /** Incremented after each failed attempt. */
  attempt: number;
  offered: boolean;
  /** Whether it is in flight on this node's own connection. */
  inFlight: boolean;
  settle(delivered: boolean): void;
}

/** Dependencies of a {@link ClusterSender}. */
export interface ClusterSenderDeps {
  /** This node's own id, without a dot. */
  node: string;
  bus: Bus;
  log: Log;
  writer: ConfirmedWriter;
  deduplicator: Deduplicator;
  /** Whether this node's own connection is up. */
  isConnected(): boolean;
  /**
   * Called when another node has lost its connection: a chat server that accepts only one may accept this
   * node's now.
   */
  onOtherDisconnected(): void;
  /** Called when the chat server is reachable again, from this node or another one. */
  onReachable(): void;
  /** Time after which an undelivered stanza fails, in milliseconds. */
  sendTimeoutMs?: number;
}

/**
 * Sends stanzas to the chat server: on this node's connection or, while it has none (Prosody accepts one
 * node at a time), through the first node that claims the offer. A stanza in flight on a lost connection is
 * retried until its timeout.
 */
export class ClusterSender {
  private readonly node: string;
  private readonly pending = new Map<string, PendingStanza>();
  /** Number of pending signals. */
  private signals = 0;
  /** Total length of the pending signals, in characters. */
  private signalsLength = 0;
  private unsubscribe: (() => Promise<void>)[] = [];

  constructor(private readonly deps: ClusterSenderDeps) {
    this.node = deps.node;
  }

  /** Subscribes to the messages of the other nodes. */
  async open(): Promise<void> {
    const { bus } = this.deps;
    const receive = (text: string) => this.receive(text);
    this.unsubscribe = await Promise.all([
      bus.subscribe(CHANNEL, receive),
      bus.subscribe(`${CHANNEL}:${this.node}`, receive),
    ]);
  }

  /**
   * Sends a signal; resolves when the chat server has received it.
   * @throws Fault UNAVAILABLE on a timeout or if too many signals are pending
   */
  async sendSignal(xml: string): Promise<void> {
    const length = this.signalsLength + xml.length;
    const full = this.signals >= MAX_PENDING || length > MAX_PENDING_LENGTH;
    if (this.signals > 0 && full) throw unreachable();
    this.signals += 1;
    this.signalsLength = length;
    try {
      await this.sendUncounted(xml);
    } finally {
      this.signals -= 1;
      this.signalsLength -= xml.length;
    }
  }

  /**
   * Sends a stanza that is not a signal. It does not count against the limits; the caller bounds the number.
   * @throws Fault UNAVAILABLE on a timeout
   */
  sendUncounted(xml: string): Promise<void> {
    const id = newId();
    return new Promise((resolve, reject) => {
      const settle = (delivered: boolean) => {
        if (!this.pending.delete(id)) return;
        clearTimeout(timer);
        if (delivered) resolve();
        else reject(unreachable());
      };
      const timer = setTimeout(() => settle(false), this.deps.sendTimeoutMs ?? SEND_TIMEOUT_MS);
      const stanza = { id, xml, attempt: 0, offered: false, inFlight: false, settle };
      this.pending.set(id, stanza);
      this.dispatch(stanza);
    });
  }

  /** This node is connected: sends its pending stanzas and requests the offers of the other nodes. */
  onConnected(): void {
    for (const stanza of this.pending.values()) this.dispatch(stanza);
    this.publish(CHANNEL, { kind: "up", node: this.node });
    this.deps.onReachable();
  }

  /**
   * Handles a response of the chat server to a ping of this node or, since ejabberd distributes what it sends
   * to the component over all connected nodes, of another node.
   */
  handleResponse(id: string): void {
    const [node = "", own] = id.split(".");
    if (own === undefined || this.deps.writer.handleResponse(id) || node === this.node) return;
    this.publish(`${CHANNEL}:${node}`, { kind: "answer", id });
  }

  /** This node has lost its connection. */
  onDisconnected(): void {
    this.publish(CHANNEL, { kind: "down", node: this.node });
  }

  /** Unsubscribes and fails the pending stanzas. */
  async close(): Promise<void> {
    for (const stanza of [...this.pending.values()]) stanza.settle(false);
    for (const unsubscribe of this.unsubscribe) await unsubscribe();
  }

  private dispatch(stanza: PendingStanza): void {
    if (!this.deps.isConnected()) this.offer(stanza);
    else if (!stanza.inFlight) void this.send(stanza);
  }

  private offer(stanza: PendingStanza): void {
    stanza.offered = true;
    const { id, attempt, xml } = stanza;
    this.publish(CHANNEL, { kind: "offer", node: this.node, id, attempt, xml });
  }

  private async send(stanza: PendingStanza): Promise<void> {
    stanza.inFlight = true;
    try {
      // Another node may have claimed the offer; then this node waits for its outcome.
      if (stanza.offered && !(await this.deps.deduplicator.claim(offerKey(stanza)))) {
        stanza.inFlight = false;
        return;
      }
      await this.deps.writer.send(stanza.xml);
      stanza.settle(true);
    } catch {
      stanza.inFlight = false;
      this.retry(stanza);
    }
  }

  private retry(stanza: PendingStanza): void {
    if (!this.pending.has(stanza.id)) return;
    stanza.attempt += 1;
    this.dispatch(stanza);
  }

  private receive(text: string) {
    // The bus reports by an empty message that messages, including offers, may have been lost.
    const message = text === "" ? null : (JSON.parse(text) as ClusterMessage);
    if (message === null) return this.offerAll();
    if (message.kind === "answer") return void this.deps.writer.handleResponse(message.id);
    if (message.kind === "outcome") return this.handleOutcome(message);
    if (message.node === this.node) return;
    if (message.kind === "up") {
      this.offerAll();
      this.deps.onReachable();
    } else if (message.kind === "down") this.deps.onOtherDisconnected();
    else if (this.deps.isConnected()) void this.sendOffered(message);
  }

  private offerAll(): void {
    if (this.deps.isConnected()) return;
    for (const stanza of this.pending.values()) this.offer(stanza);
  }

  private handleOutcome({ id, attempt, delivered }: ClusterMessage & { kind: "outcome" }): void {
    const stanza = this.pending.get(id);
    if (delivered) stanza?.settle(true);
    else if (stanza?.attempt === attempt) this.retry(stanza);
  }

  /** Sends another node's stanza, unless a third node has claimed it. */
  private async sendOffered(offer: ClusterMessage & { kind: "offer" }): Promise<void> {
    const { id, attempt, xml, node } = offer;
    let delivered = true;
    try {
      if (!(await this.deps.deduplicator.claim(offerKey(offer)))) return;
      await this.deps.writer.send(xml);
    } catch {
      delivered = false;
    }
    this.publish(`${CHANNEL}:${node}`, { kind: "outcome", id, attempt, delivered });
  }

  private publish(channel: string, message: ClusterMessage): void {
    this.deps.bus.publish(channel, JSON.stringify(message)).catch((error: unknown) => {
      // Stanzas that wait for this message fail by their timeout.
      this.deps.log.debug({ err: error }, "a message about the chat server could not be published");
    });
  }
}

const offerKey = ({ id, attempt }: { id: string; attempt: number }) => `${id} ${attempt}`;

function unreachable(): Fault {
  return new Fault("UNAVAILABLE", "The chat server cannot be reached", undefined, 2);
}
