import { LRUCache } from "lru-cache";
import { hashToken } from "../../../core/random";
import type { Sealer } from "../../../core/sealer";
import type { Store } from "../../../platform/store/store";
import type { PushEnvironment, PushService } from "../channels/channel";
import { findStoredCredentials } from "./credential-queries";
import type { Credentials } from "./credentials";
import { openCredentials } from "./sealed-credentials";

/** Decrypted credentials for sending. */
export interface LoadedCredentials {
  credentials: Credentials;
  /** Hash of the credentials. A connection opened with another version is out of date. */
  version: string;
  /** When they were set. */
  updatedAt: Date;
}

/** Maximum number of cached applications. */
const CACHED_APPLICATIONS_MAX = 1_000;
/** TTL of cached credentials in milliseconds, in case a change notification is lost. */
const TTL_MS = 5_000;

/** Cached credentials of one application, by environment and service. */
type Entry = Map<string, Promise<LoadedCredentials | null>>;

/** Short-lived cache of decrypted credentials for sending. */
export class CredentialCache {
  private readonly entries = new LRUCache<number, Entry>({
    max: CACHED_APPLICATIONS_MAX,
    ttl: TTL_MS,
  });

  constructor(private readonly deps: { store: Store; sealer: Sealer }) {}

  /**
   * Loads the credentials of an application for a service. Concurrent calls share one read.
   * @returns null if none are set
   * @throws Fault UNAVAILABLE, Error if no key decrypts the secret
   */
  load(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<LoadedCredentials | null> {
    let entry = this.entries.get(applicationId);
    if (!entry) {
      entry = new Map();
      this.entries.set(applicationId, entry);
    }
    const key = `${environment} ${service}`;
    let loading = entry.get(key);
    if (!loading) {
      loading = this.read(applicationId, environment, service);
      entry.set(key, loading);
      // Failures are not cached.
      loading.catch(() => entry.delete(key));
    }
    return loading;
  }

  /** Evicts an application's credentials, including a read in progress. */
  evict(applicationId: number): void {
    this.entries.delete(applicationId);
  }

  private async read(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<LoadedCredentials | null> {
    const { store, sealer } = this.deps;
    const key = { applicationId, environment, service };
    const row = await findStoredCredentials(store.query, key);
    if (!row) return null;
    const credentials = openCredentials(service, row, sealer);
    const version = hashToken(JSON.stringify(credentials)).toString("base64url");
    return { credentials, version, updatedAt: row.updatedAt };
  }
}
