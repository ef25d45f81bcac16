import type { JWTVerifyGetKey } from "jose" with { "resolution-mode": "import" };
import { LRUCache } from "lru-cache";
import { askProvider } from "./provider-request";
import { type Asking, Refused, Unreachable } from "./verified";

/** Addresses of key sets that are remembered at most; all applications without their own share one. */
const SETS_MAX = 100;

/**
 * The public keys that Firebase signs with, by the address that they are published at. A set is read
 * again after ten minutes, and for an unknown key at most every 30 seconds, so that forged tokens
 * cannot make this node ask in a loop.
 */
export class FirebaseKeys {
  private readonly sets = new LRUCache<string, JWTVerifyGetKey>({ max: SETS_MAX });

  constructor(private readonly asking: Asking) {}

  /** Finds the key that a token names. @throws Unreachable when the address is no URL */
  async at(url: string): Promise<JWTVerifyGetKey> {
    const known = this.sets.get(url);
    if (known) return known;
    if (!URL.canParse(url)) throw new Unreachable("the address of the keys is no URL");
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const set = createRemoteJWKSet(new URL(url), {
      timeoutDuration: this.asking.timeoutMs,
      [customFetch]: () => this.read(url),
    });
    this.sets.set(url, set);
    return set;
  }

  private async read(url: string): Promise<Response> {
    try {
      const body = await askProvider(url, this.asking);
      if (!Array.isArray(body.keys)) throw new Unreachable("no key set");
      return Response.json(body);
    } catch (error) {
      // Nobody's token was shown to this address, so no status of it speaks of one.
      throw error instanceof Refused ? new Unreachable(error.reason) : error;
    }
  }
}
