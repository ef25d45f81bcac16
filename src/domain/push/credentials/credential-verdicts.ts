import { LRUCache } from "lru-cache";
import type { Clock } from "../../../core/clock";
import type { Log } from "../../../core/log";
import type { Store } from "../../../platform/store/store";
import { type CredentialKey, type LoadedKey, writeVerdict } from "./credential-queries";

/** Maximum number of applications whose last verdicts are kept. */
const APPLICATIONS_MAX = 1_000;
/** Time after which an equal verdict is written again, in milliseconds; another node may have written. */
const REPEAT_MS = 60_000;

/** The last verdict that this node wrote. */
interface Written {
  refusal: string | null;
  at: number;
  /** When the credentials that it is about were set. */
  updatedAt: number;
}

/**
 * Records whether push services accept the credentials of applications. Sending tells with each batch; equal
 * verdicts are written once a minute, so that they cost no statement of their own.
 */
export class CredentialVerdicts {
  private readonly written = new LRUCache<number, Map<string, Written>>({ max: APPLICATIONS_MAX });

  constructor(private readonly deps: { store: Store; clock: Clock; log: Log }) {}

  /**
   * Records what a push service says. Never throws: the next batch says it again.
   * @param refusal the reason of a refusal; null if it accepts the credentials
   */
  async note(key: LoadedKey, refusal: string | null): Promise<void> {
    const known = this.written.get(key.applicationId)?.get(nameOf(key));
    const isKnown =
      known?.refusal === refusal &&
      known.updatedAt === key.updatedAt.getTime() &&
      this.deps.clock.now() - known.at < REPEAT_MS;
    if (!isKnown) await this.write(key, refusal);
  }

  /** Like {@link note}, but writes equal verdicts as well. */
  async write(key: LoadedKey, refusal: string | null): Promise<void> {
    const { store, clock, log } = this.deps;
    const now = clock.now();
    try {
      await writeVerdict(store.query, key, refusal, new Date(now));
      const entry = this.written.get(key.applicationId) ?? new Map<string, Written>();
      const written = { refusal, at: now, updatedAt: key.updatedAt.getTime() };
      this.written.set(key.applicationId, entry.set(nameOf(key), written));
    } catch (error) {
      log.warn({ err: error }, "failed to record whether push credentials are accepted");
    }
  }

  /** Forgets what was written for an application, whose credentials may have changed. */
  evict(applicationId: number): void {
    this.written.delete(applicationId);
  }
}

function nameOf({ environment, service }: CredentialKey): string {
  return `${environment} ${service}`;
}
