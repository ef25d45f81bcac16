import { newId } from "../../../../../core/random";
import { mediaServerUnavailable } from "./janus-faults";
import { type JanusMessage, janusErrorIn } from "./janus-messages";

/** Maximum duration of a transaction, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** Maximum number of transactions at a time. */
const PENDING_MAX = 5_000;

interface Pending {
  /** Whether the acknowledgement is the response; otherwise an event follows it. */
  acknowledged: boolean;
  timer: NodeJS.Timeout;
  resolve(message: JanusMessage): void;
  reject(error: Error): void;
}

/** The requests to Janus that have no response yet. */
export class JanusTransactions {
  private readonly pending = new Map<string, Pending>();

  /**
   * Opens a transaction.
   * @param send sends the request with the id of the transaction
   * @throws VideoRoomError for an error response, Fault UNAVAILABLE without a response within 5 s
   */
  open(send: (transaction: string) => void, acknowledged: boolean): Promise<JanusMessage> {
    if (this.pending.size >= PENDING_MAX) return Promise.reject(mediaServerUnavailable());
    const transaction = newId();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(transaction);
        reject(mediaServerUnavailable());
      }, TIMEOUT_MS);
      this.pending.set(transaction, { acknowledged, timer, resolve, reject });
      send(transaction);
    });
  }

  /** Takes a message. @returns whether it belongs to a transaction, or to one that has timed out */
  settle(message: JanusMessage): boolean {
    const { transaction } = message;
    if (transaction === undefined) return false;
    const pending = this.pending.get(transaction);
    if (!pending) return true;
    if (message.janus === "ack" && !pending.acknowledged) return true;
    this.pending.delete(transaction);
    clearTimeout(pending.timer);
    const error = janusErrorIn(message);
    if (error) pending.reject(error);
    else pending.resolve(message);
    return true;
  }

  /** Fails all transactions, because the connection is lost. */
  fail(): void {
    for (const { timer, reject } of this.pending.values()) {
      clearTimeout(timer);
      reject(mediaServerUnavailable());
    }
    this.pending.clear();
  }
}
