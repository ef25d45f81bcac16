import { LRUCache } from "lru-cache";
import type { PushEnvironment, PushService } from "../channel";
import type { Credentials } from "../credential/credentials";
import { openProvider } from "./open-provider";
import type { Provider } from "./provider";
import type { ProviderOptions } from "./provider-options";

/** Whose credentials: an application has some for each environment and service at most. */
export interface ProviderKey {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
}

/** Credentials as they stand now. */
export interface StoredCredentials {
  /** Changes whenever they do. */
  version: string;
  /** Reads them in clear, which is only asked for where this version is not in use yet. */
  read(): Credentials;
}

/** Finds the credentials of an application; null without any. */
export type LoadCredentials = (key: ProviderKey) => Promise<StoredCredentials | null>;

/** Bounds of what is kept open. */
export interface ProvidersBounds {
  /** Providers, each with a connection or a few. */
  max: number;
  /** Milliseconds after the last use that one is closed. */
  idleMs: number;
}

const BOUNDS: ProvidersBounds = { max: 200, idleMs: 15 * 60_000 };

interface Open {
  version: string;
  provider: Provider;
}

/**
 * The providers that are open, so that connections and tokens serve many batches. Credentials are
 * looked at with each batch, so that changed ones are used at once, on every node; what was under way
 * with the old ones ends first.
 */
export class Providers {
  private readonly open: LRUCache<string, Open>;
  private readonly closing = new Set<Promise<void>>();
  private closed = false;

  constructor(
    private readonly load: LoadCredentials,
    private readonly options: Partial<ProviderOptions> = {},
    { max, idleMs }: ProvidersBounds = BOUNDS,
  ) {
    this.open = new LRUCache<string, Open>({
      max,
      ttl: idleMs,
      ttlAutopurge: true,
      updateAgeOnGet: true,
      dispose: ({ provider }) => this.end(provider),
    });
  }

  /**
   * The provider of an application, for one batch.
   * @returns null where it has no credentials for the service
   */
  async get(key: ProviderKey): Promise<Provider | null> {
    const stored = await this.load(key);
    if (this.closed) throw new Error("the providers are closed");
    const name = `${key.applicationId} ${key.environment} ${key.service}`;
    if (stored === null) {
      this.open.delete(name);
      return null;
    }
    const known = this.open.get(name);
    if (known?.version === stored.version) return known.provider;
    const provider = openProvider(stored.read(), key.environment, this.options);
    this.open.set(name, { version: stored.version, provider });
    return provider;
  }

  /** Closes all of them, after what is under way. */
  async close(): Promise<void> {
    this.closed = true;
    this.open.clear();
    await Promise.all(this.closing);
  }

  private end(provider: Provider): void {
    const end = provider.close().finally(() => this.closing.delete(end));
    this.closing.add(end);
  }
}
