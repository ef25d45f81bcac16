import type { WebSocket } from "ws";
import type { Config } from "../../core/config";
import { Fault } from "../../core/errors";
import { PreAuthLimiter } from "../../limits/pre-auth-limiter";

/** What bounds sockets that have no session. */
export type AnonymousLimits = Pick<
  Config,
  | "GRAPHQL_ANONYMOUS_SOCKETS"
  | "GRAPHQL_ANONYMOUS_SOCKETS_PER_IP"
  | "GRAPHQL_ANONYMOUS_IDLE_SECONDS"
>;

/**
 * The sockets of /graphql that have no session. So many may be open, since the public operations need none,
 * but each ends that asks for nothing, and the longest open ones when there are too many.
 */
export class AnonymousSockets {
  private readonly limiter: PreAuthLimiter;

  /** @param close closes a socket that must give way to others */
  constructor(
    private readonly limits: AnonymousLimits,
    private readonly close: (socket: WebSocket) => void,
  ) {
    this.limiter = new PreAuthLimiter({
      perNetwork: limits.GRAPHQL_ANONYMOUS_SOCKETS_PER_IP,
      inAll: limits.GRAPHQL_ANONYMOUS_SOCKETS,
    });
  }

  /**
   * Takes a connection in that wants to become a socket.
   * @param ip null for an address that is shared by many, as a proxy's
   * @throws Fault LIMITED when its network has too many
   */
  enter(ip: string | null): AnonymousSocket {
    const { GRAPHQL_ANONYMOUS_IDLE_SECONDS: seconds } = this.limits;
    const socket = new AnonymousSocket(seconds * 1000, this.close);
    const leave = this.limiter.enter(ip, () => socket.end());
    if (!leave) throw new Fault("LIMITED", "Too many sockets without a session", undefined, 1);
    socket.leave = leave;
    return socket;
  }
}

/** One connection, until it has a session or is gone. */
export class AnonymousSocket {
  /** Gives its place back. */
  leave: () => void = () => undefined;
  private socket: WebSocket | undefined;
  private ended = false;
  private running = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly idleMs: number,
    private readonly close: (socket: WebSocket) => void,
  ) {}

  /** The handshake is done. */
  open(socket: WebSocket): void {
    this.socket = socket;
    socket.once("close", () => this.over());
    if (this.ended) this.close(socket);
    else this.rest();
  }

  /** An operation begins. */
  began(): void {
    this.running += 1;
    clearTimeout(this.timer);
  }

  /** An operation has ended. */
  finished(): void {
    this.running -= 1;
    if (this.running === 0) this.rest();
  }

  /** It has a session, or is gone. */
  over(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.leave();
  }

  /** Ends it, for others to come in. */
  end(): void {
    this.over();
    if (this.socket) this.close(this.socket);
  }

  private rest(): void {
    if (!this.ended) this.timer = setTimeout(() => this.end(), this.idleMs);
  }
}
