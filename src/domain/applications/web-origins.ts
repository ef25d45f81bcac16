import { LRUCache } from "lru-cache";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import type { Store } from "../../platform/store/store";
import type { SessionEvent } from "../session-events/session-events";
import { findWebOrigins } from "./application-queries";

/** TTL of a cached list, in milliseconds, in case the event of a change is lost. */
const TTL_MS = 5_000;

/** Error text for a web page whose origin the application does not allow. */
export const ORIGIN_REFUSED = "This origin may not use this application";

/** A live connection of a web page to an application. */
export interface PageConnection {
  applicationId: number;
  origin: string;
  /** Closes the connection when the application no longer allows the page's origin. */
  disconnect(): void;
}

/**
 * Checks which web origins may use the sessions of an application. Browsers send the page's origin (RFC 6454
 * section 7) in every request that could do harm; requests without an origin pass.
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
   * Checks an origin against the application's list; an empty list allows any origin.
   * @throws Fault FORBIDDEN
   */
  async check(applicationId: number, origin: string | undefined): Promise<void> {
    if (origin === undefined) return;
    const list = this.lists.get(applicationId) ?? (await this.read(applicationId));
    if (list.length > 0 && !list.includes(origin)) throw new Fault("FORBIDDEN", ORIGIN_REFUSED);
  }

  /**
   * Tracks a connection and closes it when its application no longer allows the page's origin. The caller
   * checks the origin once more afterwards, in case the list changed just before.
   * @returns a function that stops tracking it
   */
  track(page: PageConnection): () => void {
    const pages = this.pages.get(page.applicationId) ?? new Set();
    this.pages.set(page.applicationId, pages.add(page));
    return () => {
      if (pages.delete(page) && pages.size === 0) this.pages.delete(page.applicationId);
    };
  }

  /** Evicts a changed list and closes the pages that the new list does not allow. */
  invalidate(event: SessionEvent): void {
    if (event.kind !== "application changed" && event.kind !== "application deleted") return;
    this.epoch++;
    this.lists.delete(event.applicationId);
    void this.recheck(event.applicationId);
  }

  /** Rechecks all pages, in case events of changed lists were lost. */
  async sweep(): Promise<void> {
    this.epoch++;
    this.lists.clear();
    for (const applicationId of [...this.pages.keys()]) await this.recheck(applicationId);
  }

  private async recheck(applicationId: number): Promise<void> {
    for (const page of [...(this.pages.get(applicationId) ?? [])]) {
      try {
        await this.check(applicationId, page.origin);
      } catch (error) {
        if (error instanceof Fault && error.code === "FORBIDDEN") page.disconnect();
        else
          this.log.warn({ err: error }, "the web origins of an application could not be checked");
      }
    }
  }

  private async read(applicationId: number): Promise<string[]> {
    const { epoch } = this;
    const list = await findWebOrigins(this.store, applicationId);
    // A list that changed during the read may be stale.
    if (epoch === this.epoch) this.lists.set(applicationId, list);
    return list;
  }
}
