import { LRUCache } from "lru-cache";
import type { Store } from "../../store/store";
import type { Ending } from "../endings";

const EXISTS = {
  name: "user_exists",
  text: "SELECT 1 AS one FROM users WHERE id = $1 AND application_id = $2",
};

/**
 * Which users exist, asked for every signal. A user seen is remembered for a minute at most, and
 * forgotten at once when it is deleted; one not found is asked for again each time.
 */
export class UserExistence {
  private readonly known = new LRUCache<number, number>({ max: 50_000, ttl: 60_000 });
  private epoch = 0;

  constructor(private readonly store: Store) {}

  /** Whether this user of this application exists; one indexed read when it is not remembered. */
  async has(applicationId: number, userId: number): Promise<boolean> {
    if (this.known.get(userId) === applicationId) return true;
    const { epoch } = this;
    const rows = await this.store.query(EXISTS, [userId, applicationId]);
    if (rows.length > 0 && epoch === this.epoch) this.known.set(userId, applicationId);
    return rows.length > 0;
  }

  /** Forgets a deleted user. */
  forget(ending: Ending): void {
    if (ending.kind !== "user") return;
    this.epoch++;
    this.known.delete(ending.userId);
  }
}
