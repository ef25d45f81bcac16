import type { JWTVerifyGetKey } from "jose" with { "resolution-mode": "import" };
import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock";
import { requestProvider } from "./provider-request";
import {
  type ProviderRequestOptions,
  ProviderUnavailable,
  RETRY_AFTER_S,
  TokenRejected,
} from "./verified-identity";

/** Maximum number of cached key sets; all applications that sign in by Firebase without their own URL share one. */
const SETS_MAX = 100;

/**
 * Caches the public keys that sign ID tokens of Firebase and JWTs of backends (RFC 7517), by URL. A key set is read again
 * after ten minutes. An unknown key triggers at most one read in 30 seconds, and a read that failed is repeated after ten
 * seconds at the earliest, so forged tokens cannot make this node send requests in a loop.
 */
export class KeySets {
  private readonly sets = new LRUCache<string, JWTVerifyGetKey>({ max: SETS_MAX });
  /** The last read of a URL, if it failed: when, in ms, and why. */
  private readonly failures = new LRUCache<string, { at: number; reason: string }>({
    max: SETS_MAX,
  });

  constructor(
    private readonly options: ProviderRequestOptions,
    private readonly clock: Clock,
  ) {}

  /** The look-up of keys in the key set at a URL. @throws ProviderUnavailable for an invalid URL */
  async keySet(url: string): Promise<JWTVerifyGetKey> {
    const known = this.sets.get(url);
    if (known) return known;
    if (!URL.canParse(url)) throw new ProviderUnavailable("the URL of the keys is invalid");
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const set = createRemoteJWKSet(new URL(url), {
      timeoutDuration: this.options.timeoutMs,
      [customFetch]: () => this.read(url),
    });
    this.sets.set(url, set);
    return set;
  }

  private async read(url: string): Promise<Response> {
    const failure = this.failures.get(url);
    if (failure && this.clock.now() < failure.at + RETRY_AFTER_S * 1000) {
      throw new ProviderUnavailable(failure.reason);
    }
    try {
      const body = await requestProvider(url, this.options);
      if (!Array.isArray(body.keys)) throw new ProviderUnavailable("no key set");
      this.failures.delete(url);
      return Response.json(body);
    } catch (error) {
      // The request carried no user's token, so a 4xx status does not mean that a token was rejected.
      if (!(error instanceof TokenRejected || error instanceof ProviderUnavailable)) throw error;
      this.failures.set(url, { at: this.clock.now(), reason: error.reason });
      throw new ProviderUnavailable(error.reason);
    }
  }
}
