import { LRUCache } from "lru-cache";
import type { Store } from "../../platform/store/store";
import type { SessionEvent } from "../session-events/session-events";
import { userExists } from "./user-queries";

/**
 * Caches which users exist, since every signal checks it. An entry has a TTL of one minute and is evicted
 * when the user is deleted. Missing users are not cached.
 */
export class UserExistenceCache {
  /** The application of each user, by the user's id. */
  private readonly users = new LRUCache<number, number>({ max: 50_000, ttl: 60_000 });
  /** Detects evictions during a read, whose result may then be stale. */
  private epoch = 0;

  constructor(private readonly store: Store) {}

  /** Returns whether this user of this application exists; a cache miss costs one indexed read. */
  async has(applicationId: number, userId: number): Promise<boolean> {
    if (this.users.get(userId) === applicationId) return true;
    const { epoch } = this;
    const exists = await userExists(this.store, applicationId, userId);
    if (exists && epoch === this.epoch) this.users.set(userId, applicationId);
    return exists;
  }

  /** Evicts a deleted user, or all users when an application was deleted. */
  invalidate(event: SessionEvent): void {
    if (event.kind === "application deleted") this.users.clear();
    else if (event.kind === "user") this.users.delete(event.userId);
    else return;
    this.epoch++;
  }
}
