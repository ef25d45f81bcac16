import { LRUCache } from "lru-cache";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import type { Store } from "../../store/store";
import type { Ending } from "../endings";

const FIND = {
  name: "web_origins",
  text: "SELECT coalesce(web_origins, '{}') AS web_origins FROM applications WHERE id = $1",
};

/** Milliseconds that a list is remembered, should the word of a change be lost. */
const TTL_MS = 5_000;

/** What a page is told that an application does not admit. */
export const ORIGIN_REFUSED = "This origin may not use this application";

/** A live connection of a web page to an application. */
export interface PageConnection {
  applicationId: number;
  origin: string;
  /** Closes it, because the application does not admit the page any more. */
  refuse(): void;
}

/**
 * Which web pages may use the sessions of an application. A browser names the page's origin (RFC 6454
 * section 7) in every request that could do harm; other clients name none and are not asked.
 */
export class WebOrigins {
  private readonly lists = new LRUCache<number, string[]>({ max: 1_000, ttl: TTL_MS });
  private readonly pages = new Map<number, Set<PageConnection>>();
  private epoch = 0;

  constructor(
    private readonly store: Store,
    private readonly log: Log,
  ) {}

  /**
   * Lets pass an origin of the application's list; any where the list is empty, and none at all.
   * @throws Fault FORBIDDEN
   */
  async check(applicationId: number, origin: string | undefined): Promise<void> {
    if (origin === undefined) return;
    const list = this.lists.get(applicationId) ?? (await this.read(applicationId));
    if (list.length > 0 && !list.includes(origin)) throw new Fault("FORBIDDEN", ORIGIN_REFUSED);
  }

  /**
   * Adds a connection, which is refused once its application does not admit the page any more; answers
   * how to withdraw it. A list that changed just before is the caller's to check.
   */
  watch(page: PageConnection): () => void {
    const pages = this.pages.get(page.applicationId) ?? new Set();
    this.pages.set(page.applicationId, pages.add(page));
    return () => {
      if (pages.delete(page) && pages.size === 0) this.pages.delete(page.applicationId);
    };
  }

  /** Forgets a changed list, and refuses the pages that the new one does not hold. */
  forget(ending: Ending): void {
    if (ending.kind !== "application changed") return;
    this.epoch++;
    this.lists.delete(ending.applicationId);
    void this.review(ending.applicationId);
  }

  /** Refuses the pages that lists do not hold any more whose change was not heard of. */
  async sweep(): Promise<void> {
    this.epoch++;
    this.lists.clear();
    for (const applicationId of [...this.pages.keys()]) await this.review(applicationId);
  }

  private async review(applicationId: number): Promise<void> {
    for (const page of [...(this.pages.get(applicationId) ?? [])]) {
      try {
        await this.check(applicationId, page.origin);
      } catch (error) {
        if (error instanceof Fault && error.code === "FORBIDDEN") page.refuse();
        else this.log.warn({ err: error }, "the web pages of an application could not be checked");
      }
    }
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
