import { Fault } from "../core/errors";

/** Maximum number of open subscriptions of one user, guest, member or session without a user on a node. */
export const VIEWER_SUBSCRIPTIONS_MAX = 256;

/** Counts the open subscriptions of each viewer on this node, over all of the viewer's sessions and connections. */
export class ViewerSubscriptions {
  private readonly counts = new Map<string, number>();

  /** Number of open subscriptions of all viewers. */
  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Counts a subscription, from the beginning of its start.
   * @param viewer as RequestAuth.viewerKey names it
   * @returns call at its end; idempotent
   * @throws Fault LIMITED beyond {@link VIEWER_SUBSCRIPTIONS_MAX}
   */
  open(viewer: string): () => void {
    const count = this.counts.get(viewer) ?? 0;
    if (count >= VIEWER_SUBSCRIPTIONS_MAX) {
      const message = `You have ${VIEWER_SUBSCRIPTIONS_MAX} open subscriptions, over all of your connections: end some first`;
      throw new Fault("LIMITED", message, undefined, 1);
    }
    this.counts.set(viewer, count + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const others = (this.counts.get(viewer) ?? 1) - 1;
      if (others === 0) this.counts.delete(viewer);
      else this.counts.set(viewer, others);
    };
  }
}
