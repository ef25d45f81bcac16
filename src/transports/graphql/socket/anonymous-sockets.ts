import type { WebSocket } from "ws";
import type { Config } from "../../../core/config";
import { Fault } from "../../../core/errors";
import { PreAuthLimiter } from "../../../platform/limits/pre-auth-limiter";

/** Configuration of the limits for sockets without a session. */
export type AnonymousLimits = Pick<
  Config,
  | "GRAPHQL_ANONYMOUS_SOCKETS"
  | "GRAPHQL_ANONYMOUS_SOCKETS_PER_IP"
  | "GRAPHQL_ANONYMOUS_IDLE_SECONDS"
>;

/**
 * The sockets of /graphql without a session, which public operations do not need. Their number is limited,
 * idle ones are closed, and the oldest are evicted when there are too many.
 */
export class AnonymousSockets {
  private readonly limiter: PreAuthLimiter;

  /** @param close closes an idle or evicted socket */
  constructor(
    private readonly limits: AnonymousLimits,
    private readonly close: (socket: WebSocket) => void,
  ) {
    this.limiter = new PreAuthLimiter({
      perNetwork: limits.GRAPHQL_ANONYMOUS_SOCKETS_PER_IP,
      total: limits.GRAPHQL_ANONYMOUS_SOCKETS,
    });
  }

  /**
   * Admits a connection before its upgrade.
   * @param ip null for an address that many clients share, such as a proxy's
   * @throws Fault LIMITED if its network has too many
   */
  admit(ip: string | null): AnonymousSocket {
    const { GRAPHQL_ANONYMOUS_IDLE_SECONDS: seconds } = this.limits;
    const socket = new AnonymousSocket(seconds * 1000, this.close);
    const leave = this.limiter.admit(ip, () => socket.evict());
    if (!leave) throw new Fault("LIMITED", "Too many sockets without a session", undefined, 1);
    socket.releaseSlot = leave;
    return socket;
  }
}

/** A connection until it has a session or is closed. */
export class AnonymousSocket {
  /** Releases its slot in the limiter. */
  releaseSlot: () => void = () => undefined;
  private socket: WebSocket | undefined;
  private ended = false;
  private running = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly idleMs: number,
    private readonly close: (socket: WebSocket) => void,
  ) {}

  /** Call after the WebSocket handshake. */
  open(socket: WebSocket): void {
    this.socket = socket;
    socket.once("close", () => this.release());
    if (this.ended) this.close(socket);
    else this.startIdleTimer();
  }

  /** Call when an operation starts. */
  operationStarted(): void {
    this.running += 1;
    clearTimeout(this.timer);
  }

  /** Call when an operation has ended. */
  operationEnded(): void {
    this.running -= 1;
    if (this.running === 0) this.startIdleTimer();
  }

  /** Stops limiting it: it has a session, or is closed. */
  release(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.releaseSlot();
  }

  /** Closes it, because it is idle or others need its slot. */
  evict(): void {
    this.release();
    if (this.socket) this.close(this.socket);
  }

  private startIdleTimer(): void {
    if (!this.ended) this.timer = setTimeout(() => this.evict(), this.idleMs);
  }
}
