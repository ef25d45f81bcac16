import type { OperationResult } from "../engine/engine";

/**
 * Maximum length of an operation's id in characters, since every result repeats it. Clients use counters or UUIDs.
 */
export const OPERATION_ID_MAX = 1_024;

/** The start of a message about an operation as graphql-ws writes it, with an id of {@link SocketOperations}. */
const ABOUT_OPERATION = /^\{"id":"(\d+)","type":"(next|error|complete)"/;

/** One `subscribe` message, from its arrival until nothing of it runs any more. */
export interface SocketOperation {
  /** Its identity on this socket, which no other operation has had. */
  readonly id: string;
  /** The id that the client chose, which it may use again once the operation is complete. */
  readonly clientId: string;
  /** Whether the client wants no more results: it has completed the operation or is gone. */
  cancelled: boolean;
  /** The results of a subscription, to be closed when the operation ends. */
  results: AsyncIterator<unknown> | null;
  /** Called when the operation has ended. */
  onEnd: () => void;
}

/** A message to the client. */
interface AddressedMessage {
  text: string;
  /** Whether graphql-ws sends another one of the operation before it waits for anything: `complete` after a single result. */
  followed: boolean;
}

/**
 * Hands the results of a subscription to graphql-ws. They are closed with the operation, whether or not graphql-ws
 * has begun to read them.
 * @returns an empty result, which graphql-ws does not send, if the client has already cancelled the operation
 */
export function handOver(operation: SocketOperation, results: OperationResult): OperationResult {
  if (!(Symbol.asyncIterator in results)) return results;
  operation.results = results[Symbol.asyncIterator]();
  return operation.cancelled ? {} : results;
}

/**
 * The operations of one socket. A client may use an id again as soon as it has completed the operation (graphql-ws's
 * PROTOCOL.md, "Subscribe"), while that operation still ends. Operations are therefore counted and ended by ids of
 * their own, and ids of the client only name those that it has not completed.
 */
export class SocketOperations {
  /** By id. */
  private readonly running = new Map<string, SocketOperation>();
  /** The operations that are not complete for the client, by the client's id. */
  private readonly active = new Map<string, SocketOperation>();
  private lastId = 0;

  /** Number of operations that have not ended, completed by the client or not. */
  get size(): number {
    return this.running.size;
  }

  /** Starts an operation. @returns null if another one with this id is not complete */
  start(clientId: string): SocketOperation | null {
    if (this.active.has(clientId)) return null;
    this.lastId += 1;
    const operation: SocketOperation = {
      id: String(this.lastId),
      clientId,
      cancelled: false,
      results: null,
      onEnd: () => undefined,
    };
    this.running.set(operation.id, operation);
    this.active.set(clientId, operation);
    return operation;
  }

  /** The operation of an id of this class. @throws Error if it has ended */
  get(id: string): SocketOperation {
    const operation = this.running.get(id);
    if (!operation) throw new Error("the operation of a socket has ended");
    return operation;
  }

  /** The client completes an operation. @returns the operation, or undefined if none is active */
  cancel(clientId: string): SocketOperation | undefined {
    const operation = this.active.get(clientId);
    if (operation) this.cancelOperation(operation);
    return operation;
  }

  /** The client is gone. */
  cancelAll(): void {
    for (const operation of [...this.active.values()]) this.cancelOperation(operation);
  }

  /**
   * Ends an operation, with its results.
   * @throws what closing the results throws
   */
  async end(operation: SocketOperation): Promise<void> {
    this.release(operation);
    try {
      await operation.results?.return?.();
    } finally {
      this.running.delete(operation.id);
      operation.onEnd();
    }
  }

  /**
   * Addresses a message of graphql-ws to the client: replaces the operation's id by the client's.
   * @returns null for a result that the client does not want any more
   */
  address(message: string): AddressedMessage | null {
    const [start, id = "", type] = ABOUT_OPERATION.exec(message) ?? [];
    if (start === undefined) return { text: message, followed: false };
    const operation = this.running.get(id);
    if (!operation || operation.cancelled) return null;
    // The client may use its id again as soon as it reads this.
    if (type !== "next") this.release(operation);
    const { clientId, results } = operation;
    return {
      text: `{"id":${JSON.stringify(clientId)},"type":"${type}"${message.slice(start.length)}`,
      followed: type === "next" && results === null,
    };
  }

  private cancelOperation(operation: SocketOperation): void {
    operation.cancelled = true;
    this.release(operation);
  }

  private release(operation: SocketOperation): void {
    if (this.active.get(operation.clientId) === operation) this.active.delete(operation.clientId);
  }
}
