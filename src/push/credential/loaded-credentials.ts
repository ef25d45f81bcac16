import { LRUCache } from "lru-cache";
import { hashToken } from "../../core/random";
import type { Identity } from "../../identity/identity";
import type { PushEnvironment, PushService } from "../channel";
import type { Credentials } from "./credentials";
import { openCredentials, type ShownCredentials } from "./stored-credentials";

/** Credentials in clear, for whoever sends. */
export interface Loaded {
  credentials: Credentials;
  /** Differs when the credentials do: a connection made with another version is out of date. */
  version: string;
}

const FIND = {
  name: "push_credentials",
  text: `SELECT settings, secret FROM push_credentials WHERE application_id = $1
    AND environment = $2::push_environment AND service = $3::push_service`,
};

/** Applications that are remembered at most. */
const APPLICATIONS_MAX = 1_000;
/** Milliseconds that credentials are remembered, should the word of a change be lost. */
const TTL_MS = 5_000;

type Kept = Map<string, Promise<Loaded | null>>;

/** Credentials of applications as those who send need them, in memory for seconds. */
export class LoadedCredentials {
  private readonly kept = new LRUCache<number, Kept>({ max: APPLICATIONS_MAX, ttl: TTL_MS });

  constructor(private readonly identity: Pick<Identity, "store" | "sealer">) {}

  /**
   * Credentials of an application for a service; null where none are set. Many who ask at once wait
   * for one read.
   * @throws Fault UNAVAILABLE, Error when no key opens the secret
   */
  load(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Loaded | null> {
    let kept = this.kept.get(applicationId);
    if (!kept) {
      kept = new Map();
      this.kept.set(applicationId, kept);
    }
    const key = `${environment} ${service}`;
    let reading = kept.get(key);
    if (!reading) {
      reading = this.read(applicationId, environment, service);
      kept.set(key, reading);
      // What failed is not remembered.
      reading.catch(() => kept.delete(key));
    }
    return reading;
  }

  /** Forgets what is remembered of an application, also what is just being read. */
  forget(applicationId: number): void {
    this.kept.delete(applicationId);
  }

  private async read(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Loaded | null> {
    const { store, sealer } = this.identity;
    const [row] = await store.query<{ settings: ShownCredentials; secret: string }>(FIND, [
      applicationId,
      environment,
      service,
    ]);
    if (!row) return null;
    const credentials = openCredentials(service, row, sealer);
    const version = hashToken(JSON.stringify(credentials)).toString("base64url");
    return { credentials, version };
  }
}
