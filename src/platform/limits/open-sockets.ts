import { networkOf } from "../../core/client-address";
import { KeyCounter } from "./key-counter";

/**
 * Maximum number of open sockets of one viewer on a node, over all protocols: far more than the tabs and devices of a
 * person, and as many as may be attached to the inbox of a user.
 */
export const SOCKETS_PER_VIEWER = 256;

/** An authenticated socket, stream or polling session, which counts until it is released. */
export interface OpenSocket {
  /** Counts it for another viewer instead. @returns false if that has too many: it must be closed */
  moveTo(viewer: string): boolean;
  /** Call when it has ended; idempotent. */
  release(): void;
}

/**
 * Bounds the authenticated sockets of a node, over all protocols, by viewer and by network (IPv6: /64). Those that have
 * not authenticated have a limit of their own (PreAuthLimiter).
 */
export class OpenSockets {
  private readonly viewers = new KeyCounter();
  private readonly networks = new KeyCounter();

  /**
   * @param perNetwork maximum number of one network
   * @param isProxy whether an address is that of a trusted proxy, which many clients share
   */
  constructor(
    private readonly perNetwork: number,
    private readonly isProxy: (address: string) => boolean,
  ) {}

  /**
   * Admits a socket once its viewer is known.
   * @param viewer a key of one of the functions below
   * @param ip address of the client; null if it is unknown
   * @returns null if the viewer or the network has too many
   */
  admit(viewer: string, ip: string | null): OpenSocket | null {
    let ofViewer: (() => void) | null = this.viewers.take(viewer, SOCKETS_PER_VIEWER);
    if (!ofViewer) return null;
    const shared = ip === null || this.isProxy(ip);
    const ofNetwork = shared ? () => undefined : this.networks.take(networkOf(ip), this.perNetwork);
    if (!ofNetwork) {
      ofViewer();
      return null;
    }
    return {
      moveTo: (other) => {
        const moved = this.viewers.take(other, SOCKETS_PER_VIEWER);
        if (!moved) return false;
        ofViewer?.();
        ofViewer = moved;
        return true;
      },
      release() {
        ofViewer?.();
        ofNetwork();
      },
    };
  }
}

/** Key of a session's viewer: its user, or the session itself while it has none. */
export function sessionViewer({ id, userId }: { id: number; userId: number | null }): string {
  return userId === null ? `session ${id}` : userViewer(userId);
}

/** Key of a user or guest. */
export function userViewer(userId: number): string {
  return `user ${userId}`;
}

/** Key of a member of an account. */
export function memberViewer(memberId: number): string {
  return `member ${memberId}`;
}

/** Key of a guest by link, who has exactly one token. @param tokenHash text, as the token itself is a secret */
export function linkGuestViewer(tokenHash: string): string {
  return `link guest ${tokenHash}`;
}
