import { Extensions } from "type-graphql";
import { networkOf } from "../../core/client-address";
import type { Config } from "../../core/config";
import { Fault } from "../../core/errors";
import { addressCounters, failureCounters, type PasswordAttempt } from "./failure-counters";
import type { AttemptCounters, Limiter, RateLimit } from "./limiter";
import type { LocalLimiter } from "./local-limiter";
import type { ManagedLimiters } from "./open-limiter";

/**
 * The classes that operations count as. Every operation belongs to a request, which counts when it arrives.
 * A sign-in counts once its user name is known, in sign-in/sign-in.ts and sessions/stream-sign-in.ts.
 */
export type LimitClass = "request" | OperationLimit;

/** The classes that an operation may count as in addition to its request. */
export type OperationLimit = "session" | "sign-in" | "sign-up" | "reset";

/** Declares the class of an operation, next to `@Allow`. Without it only the request counts. */
export function Limited(limit: OperationLimit): MethodDecorator & PropertyDecorator {
  return Extensions({ limit });
}

/** The configuration variables that set the limits of a class. */
const VARIABLES = {
  request: ["RATE_REQUESTS_PER_IP", "RATE_REQUESTS_PER_APPLICATION"],
  session: ["RATE_SESSIONS_PER_IP", "RATE_SESSIONS_PER_APPLICATION"],
  "sign-in": ["RATE_SIGN_INS_PER_IP", "RATE_SIGN_INS_PER_APPLICATION"],
  "sign-up": ["RATE_SIGN_UPS_PER_IP", "RATE_SIGN_UPS_PER_APPLICATION"],
  reset: ["RATE_RESETS_PER_IP", "RATE_RESETS_PER_APPLICATION"],
} as const satisfies Record<LimitClass, readonly [keyof Config, keyof Config]>;

/** Classes counted on this node only: a round trip to Redis would cost more than their cheap operations. */
const LOCAL: readonly string[] = ["request", "session"];

/** A user of a chat stream. */
export interface ChatUser {
  applicationId: number;
  userId: number;
}

const WINDOW_SECONDS = 60;
const TOO_MANY_FAILED = "Too many failed attempts";
/**
 * How many passwords in the form of a session's token are hashed over chat for each sign-in that one address may
 * attempt: the phones of an office whose tokens have ended reconnect several times in a minute.
 */
const TOKEN_FORM_CHECKS = 10;
/** The user or account whose password is changed. */
export interface PasswordOwner {
  kind: "user" | "account";
  id: number;
  /** Of a user; absent for an account. */
  applicationId?: number;
}

/**
 * Rate limits and limits on failed passwords (docs/LIMITS.md). Nothing is queued: what exceeds a limit fails
 * with LIMITED and the seconds to wait.
 */
export class RateLimits {
  private readonly local: LocalLimiter;
  private readonly global: Limiter;
  private readonly pushes: RateLimit;
  private readonly streams: RateLimit;
  private readonly passwords: RateLimit;
  private readonly tokenFormChecks: RateLimit;
  private readonly classes: Record<LimitClass, { address: RateLimit; application: RateLimit }>;

  constructor(
    private readonly config: Config,
    limiters: ManagedLimiters,
  ) {
    this.local = limiters.local;
    this.global = limiters.global;
    const limitsOf = (limit: LimitClass) => {
      const [address, application] = VARIABLES[limit];
      return {
        address: perMinute(`${limit}-address`, config[address]),
        application: perMinute(`${limit}-application`, config[application]),
      };
    };
    this.pushes = perMinute("push-user", config.RATE_PUSHES_PER_USER);
    this.streams = perMinute("stream-user", config.RATE_CHAT_SIGN_INS_PER_USER);
    this.passwords = perMinute("password-user", config.RATE_PASSWORDS_PER_USER);
    const checks = TOKEN_FORM_CHECKS * config.RATE_SIGN_INS_PER_IP;
    this.tokenFormChecks = perMinute("token-form", checks);
    this.classes = {
      request: limitsOf("request"),
      session: limitsOf("session"),
      "sign-in": limitsOf("sign-in"),
      "sign-up": limitsOf("sign-up"),
      reset: limitsOf("reset"),
    };
  }

  /**
   * Counts an arriving request or socket message before it is parsed. Synchronous, because every request
   * passes through here.
   * @returns the LIMITED fault, or null if the request is within the limit
   */
  countRequest(ip: string): Fault | null {
    return this.countExtra(ip, 1);
  }

  /**
   * Counts an expensive request as several. A refused request does not consume the limit.
   * @param requests number of requests in addition to the one counted on arrival
   * @returns the LIMITED fault, or null if the request is within the limit
   */
  countExtra(ip: string, requests: number): Fault | null {
    const { address } = this.classes.request;
    if (address.limit === 0) return null;
    return limitedFault(this.local.takeNow(address, networkOf(ip), requests));
  }

  /** Counts work that is already done; only later requests are refused because of it. */
  addExtra(ip: string, requests: number): void {
    const { address } = this.classes.request;
    if (address.limit > 0) this.local.addNow(address, networkOf(ip), requests);
  }

  /** Like {@link countRequest}, for the many messages of one address. @returns counts one message */
  requestCounter(ip: string): () => Fault | null {
    const { address } = this.classes.request;
    if (address.limit === 0) return () => null;
    const count = this.local.counter(address, networkOf(ip));
    return () => limitedFault(count());
  }

  /**
   * Counts an operation of an address; synchronously if its class is counted on this node only.
   * @throws Fault LIMITED with the seconds to wait
   */
  countForAddress(limit: OperationLimit, ip: string): undefined | Promise<void> {
    return this.count(limit, this.classes[limit].address, networkOf(ip));
  }

  /** Counts an operation of an application. @throws Fault LIMITED */
  countForApplication(limit: LimitClass, applicationId: number): undefined | Promise<void> {
    return this.count(limit, this.classes[limit].application, String(applicationId));
  }

  /**
   * Counts a password change, also as a sign-in, since both hash a password.
   * @param ip the client's address; null for a backend with an API key, which counts for its application alone
   * @throws Fault LIMITED
   */
  async countPasswordChange(
    { kind, id, applicationId }: PasswordOwner,
    ip: string | null,
  ): Promise<void> {
    if (ip !== null) await this.countForAddress("sign-in", ip);
    if (applicationId !== undefined) await this.countForApplication("sign-in", applicationId);
    await this.count("password", this.passwords, `${kind}:${id}`);
  }

  /**
   * Counts a password in the form of a session's token before it is hashed over chat, apart from sign-ins and failures:
   * for the address or, if a chat server does not report it, for the user.
   * @throws Fault LIMITED
   */
  countTokenFormCheck({
    applicationId,
    userId,
    ip,
  }: ChatUser & { ip: string | null }): undefined | Promise<void> {
    const key = ip === null ? `user ${applicationId} ${userId}` : networkOf(ip);
    return this.count("password", this.tokenFormChecks, key);
  }

  /** Counts push notifications that a user sends. @throws Fault LIMITED */
  countPush(userId: number, pushes = 1): undefined | Promise<void> {
    return this.count("push", this.pushes, String(userId), pushes);
  }

  /**
   * Counts a new call of a user.
   * @param own the number of the application for a minute; null for that of the deployment
   * @throws Fault LIMITED
   */
  countNewCall(userId: number, own: number | null): undefined | Promise<void> {
    const limit = own ?? this.config.RATE_NEW_CALLS_PER_USER;
    return this.count("call", perMinute("call-user", limit), String(userId));
  }

  /**
   * Creates a counter for the messages of a chat user. Each counts as a request of the address and of the
   * application, synchronously; calls/sender-limits.ts counts them for the user.
   * @returns counts one message, and its address if known; throws Fault LIMITED
   */
  messageCounter({ applicationId }: ChatUser): (ip: string | null) => void {
    const { address, application } = this.classes.request;
    const countApplication = this.counter(application, String(applicationId));
    let last: { ip: string; count: () => void } | undefined;
    return (ip) => {
      if (ip !== null) {
        if (last?.ip !== ip) last = { ip, count: this.counter(address, networkOf(ip)) };
        last.count();
      }
      countApplication();
    };
  }

  private counter(limit: RateLimit, key: string): () => void {
    if (limit.limit === 0) return () => undefined;
    const count = this.local.counter(limit, key);
    return () => throwIfLimited(count());
  }

  /**
   * Counts a successful sign-in of a chat stream. It counts for the user, on this node only, because it
   * makes the node read the user's inbox; for the application, as a request; and, by password, also as a
   * sign-in.
   * @throws Fault LIMITED
   */
  async countStreamSignIn(
    { applicationId, userId }: ChatUser,
    by: "password" | "token",
  ): Promise<void> {
    this.countLocally(this.streams, String(userId));
    this.countForApplication("request", applicationId);
    if (by === "password") await this.countForApplication("sign-in", applicationId);
  }

  /**
   * Verifies a password, unless too many attempts failed before; also for names that belong to no user.
   * @param verify returns null if the password is wrong
   * @throws Fault LIMITED with the seconds to wait; errors of `verify`, which do not count as failures
   */
  attemptPassword<T>(attempt: PasswordAttempt, verify: () => Promise<T | null>): Promise<T | null> {
    return this.attempt(failureCounters(this.config, attempt), verify);
  }

  /**
   * Verifies a credential that names nobody until it is verified, unless too many attempts from the address failed before.
   * An attempt counts only once it has failed: a signature cannot be guessed by parallel attempts, and many users of one
   * address sign in at once.
   * @param verify returns null if the credential is wrong
   * @throws Fault LIMITED with the seconds to wait; errors of `verify`, which do not count as failures
   */
  async attemptFrom<T>(ip: string, verify: () => Promise<T | null>): Promise<T | null> {
    const counters = addressCounters(this.config, ip);
    throwIfLimited(await this.global.waitBefore(counters), TOO_MANY_FAILED);
    const result = await verify();
    if (result === null) throwIfLimited(await this.global.reserve(counters), TOO_MANY_FAILED);
    return result;
  }

  private async attempt<T>(
    counters: AttemptCounters,
    verify: () => Promise<T | null>,
  ): Promise<T | null> {
    throwIfLimited(await this.global.reserve(counters), TOO_MANY_FAILED);
    let result: T | null;
    try {
      result = await verify();
    } catch (error) {
      await this.global.commit(counters, "unchecked");
      throw error;
    }
    if (result !== null) await this.global.commit(counters, "correct");
    return result;
  }

  private count(
    kind: LimitClass | "push" | "password" | "call",
    limit: RateLimit,
    key: string,
    points = 1,
  ): undefined | Promise<void> {
    if (LOCAL.includes(kind)) return this.countLocally(limit, key);
    if (limit.limit === 0) return undefined;
    return this.global.take(limit, key, points).then((waitMs) => throwIfLimited(waitMs));
  }

  private countLocally(limit: RateLimit, key: string): undefined {
    if (limit.limit > 0) throwIfLimited(this.local.takeNow(limit, key));
  }
}

function perMinute(name: string, limit: number): RateLimit {
  return { name, limit, seconds: WINDOW_SECONDS };
}

function throwIfLimited(waitMs: number, what?: string): void {
  const fault = limitedFault(waitMs, what);
  if (fault) throw fault;
}

/** The LIMITED fault of a wait; null if there is nothing to wait for. */
function limitedFault(waitMs: number, what = "Too many requests"): Fault | null {
  if (waitMs <= 0) return null;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new Fault("LIMITED", `${what}; try again in ${seconds} s`, undefined, seconds);
}
