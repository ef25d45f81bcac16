/** The connection of a raw client. */
export interface RawSocket {
  /** Bytes that are not sent yet. */
  readonly bufferedAmount: number;
  /** 1 while it is open, as for a WebSocket. */
  readonly readyState: number;
  pause(): void;
  terminate(): void;
}

/**
 * A client that sends and receives frames unchanged. Over TCP it uses the frames of RFC 7395 too; only the
 * start and end of a stream are translated.
 */
export interface RawClient<S extends RawSocket = RawSocket> {
  socket: S;
  /** Everything received so far. */
  received: string[];
  send(frame: string | Buffer): void;
  /** The next frame. Rejects if the socket closes first. */
  next(): Promise<string>;
  /** All further frames until the socket closes, and its close code. */
  rest(): Promise<{ frames: string[]; code: number }>;
}
