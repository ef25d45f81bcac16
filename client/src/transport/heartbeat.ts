/** Interval of pings, in milliseconds. */
const PING_MS = 10_000;
/** Time in which a pong must arrive, in milliseconds. */
const PONG_MS = 5_000;
const PING = '{"type":"ping"}';

/** Notices a dead connection by pings of graphql-transport-ws. */
export class Heartbeat {
  readonly #onDead: () => void;
  #send: ((message: string) => void) | null = null;
  #ping: ReturnType<typeof setTimeout> | undefined;
  #pong: ReturnType<typeof setTimeout> | undefined;

  /** @param onDead called when a pong does not arrive in time */
  constructor(onDead: () => void) {
    this.#onDead = onDead;
  }

  /** Begins with a new connection. */
  start(send: (message: string) => void): void {
    this.stop();
    this.#send = send;
    this.#ping = setTimeout(() => this.check(), PING_MS);
  }

  /** Sends a ping now, unless one waits for its pong. */
  check(): void {
    if (!this.#send || this.#pong !== undefined) return;
    clearTimeout(this.#ping);
    this.#send(PING);
    this.#pong = setTimeout(() => {
      this.stop();
      this.#onDead();
    }, PONG_MS);
  }

  /** A pong has arrived. */
  ponged(): void {
    if (this.#send) this.start(this.#send);
  }

  /** The connection has ended. */
  stop(): void {
    this.#send = null;
    clearTimeout(this.#ping);
    clearTimeout(this.#pong);
    this.#pong = undefined;
  }
}
