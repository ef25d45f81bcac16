import { LRUCache } from "lru-cache";
import { Fault } from "../../core/errors";
import type { Store } from "../../store/store";
import type { Ending } from "../endings";

const FIND = {
  name: "web_origins",
  text: "SELECT coalesce(web_origins, '{}') AS web_origins FROM applications WHERE id = $1",
};

/** Milliseconds that a list is remembered, should the word of a change be lost. */
const TTL_MS = 5_000;

/**
 * Which web pages may use the sessions of an application. A browser names the page's origin (RFC 6454
 * section 7) in every request that could do harm; other clients name none and are not asked.
 */
export class WebOrigins {
  private readonly lists = new LRUCache<number, string[]>({ max: 1_000, ttl: TTL_MS });
  private epoch = 0;

  constructor(private readonly store: Store) {}

  /**
   * Lets pass an origin of the application's list; any where the list is empty.
   * @throws Fault FORBIDDEN
   */
  async check(applicationId: number, origin: string): Promise<void> {
    const list = this.lists.get(applicationId) ?? (await this.read(applicationId));
    if (list.length > 0 && !list.includes(origin)) {
      throw new Fault("FORBIDDEN", "This origin may not use this application");
    }
  }

  /** Forgets a changed list. */
  forget(ending: Ending): void {
    if (ending.kind !== "application changed") return;
    this.epoch++;
    this.lists.delete(ending.applicationId);
  }

  private async read(applicationId: number): Promise<string[]> {
    const { epoch } = this;
    const [row] = await this.store.query<{ web_origins: string[] }>(FIND, [applicationId]);
    const list = row?.web_origins ?? [];
    // A list that changed while it was read may be the old one.
    if (epoch === this.epoch) this.lists.set(applicationId, list);
    return list;
  }
}
