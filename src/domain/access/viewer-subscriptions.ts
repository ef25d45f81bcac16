import { Fault } from "../../core/errors";
import { KeyCounter } from "../../platform/limits/key-counter";

/** Maximum number of open subscriptions of one user, guest, member or session without a user on a node. */
export const VIEWER_SUBSCRIPTIONS_MAX = 256;

/** Counts the open subscriptions of each viewer on this node, over all of the viewer's sessions and connections. */
export class ViewerSubscriptions {
  private readonly counter = new KeyCounter();

  /** Number of open subscriptions of all viewers. */
  get total(): number {
    return this.counter.total;
  }

  /**
   * Counts a subscription, from the beginning of its start.
   * @param viewer as RequestAuth.viewerKey names it
   * @returns call at its end; idempotent
   * @throws Fault LIMITED beyond {@link VIEWER_SUBSCRIPTIONS_MAX}
   */
  open(viewer: string): () => void {
    const ended = this.counter.take(viewer, VIEWER_SUBSCRIPTIONS_MAX);
    if (ended) return ended;
    const message = `You have ${VIEWER_SUBSCRIPTIONS_MAX} open subscriptions, over all of your connections: end some first`;
    throw new Fault("LIMITED", message, undefined, 1);
  }
}
