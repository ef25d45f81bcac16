import { LRUCache } from "lru-cache";
import type { PushEnvironment, PushService } from "../channels/channel";
import type { Credentials } from "../credentials/credentials";
import { openProvider } from "./open-provider";
import type { Provider } from "./port/provider";
import type { ProviderOptions } from "./port/provider-options";

/** Identifies a provider: an application has one set of credentials per environment and service. */
export interface ProviderKey {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
}

/** The current credentials. */
export interface VersionedCredentials {
  /** Changes with the credentials. */
  version: string;
  /** Decrypts the credentials; called only for a version that is not in use yet. */
  read(): Credentials;
}

/** Finds the credentials for a provider; null if none are set. */
export type LoadCredentials = (key: ProviderKey) => Promise<VersionedCredentials | null>;

/** Limits of the pool. */
export interface ProviderPoolLimits {
  /** Maximum number of open providers, each with one or a few connections. */
  max: number;
  /** Time in milliseconds after which an unused provider is closed. */
  idleMs: number;
}

const LIMITS: ProviderPoolLimits = { max: 200, idleMs: 15 * 60_000 };

interface Open {
  version: string;
  provider: Provider;
}

/**
 * Pool of open providers, which keeps connections and tokens across batches. Checks the credentials for each
 * batch, so that changes apply immediately on every node. In-flight pushes finish with the old credentials.
 */
export class ProviderPool {
  private readonly open: LRUCache<string, Open>;
  private readonly closing = new Set<Promise<void>>();
  private closed = false;

  constructor(
    private readonly load: LoadCredentials,
    private readonly options: Partial<ProviderOptions> = {},
    { max, idleMs }: ProviderPoolLimits = LIMITS,
  ) {
    this.open = new LRUCache<string, Open>({
      max,
      ttl: idleMs,
      ttlAutopurge: true,
      updateAgeOnGet: true,
      dispose: ({ provider }) => this.dispose(provider),
    });
  }

  /**
   * Returns the provider of an application for one batch.
   * @returns null if no credentials are set
   */
  async get(key: ProviderKey): Promise<Provider | null> {
    const stored = await this.load(key);
    if (this.closed) throw new Error("the provider pool is closed");
    const name = `${key.applicationId} ${key.environment} ${key.service}`;
    if (stored === null) {
      this.open.delete(name);
      return null;
    }
    const existing = this.open.get(name);
    if (existing?.version === stored.version) return existing.provider;
    const provider = openProvider(stored.read(), key.environment, this.options);
    this.open.set(name, { version: stored.version, provider });
    return provider;
  }

  /** Closes all providers after their in-flight pushes. */
  async close(): Promise<void> {
    this.closed = true;
    this.open.clear();
    await Promise.all(this.closing);
  }

  private dispose(provider: Provider): void {
    const closing = provider.close().finally(() => this.closing.delete(closing));
    this.closing.add(closing);
  }
}
