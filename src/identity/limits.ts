import { Extensions } from "type-graphql";
import type { Attempt, Budget, Limiter } from "../bus/limiter";
import type { OpenLimiters } from "../bus/open-limiter";
import { networkOf } from "../core/client-address";
import type { Config } from "../core/config";
import { Fault } from "../core/errors";
import { hashToken } from "../core/random";

/**
 * What operations are counted as. Each is a request as well; a sign-in is counted where somebody's
 * name is known, in session/sign-in.ts and session/stream-sign-in.ts.
 */
export type LimitClass = "request" | "session" | "sign-in" | "sign-up" | "reset";

/** Names what an operation counts as, beside {@link Allow}; without it a request like any other. */
export function Limited(limit: LimitClass): MethodDecorator & PropertyDecorator {
  return Extensions({ limit });
}

/** The variables of the configuration that name the figures of a class. */
const FIGURES = {
  request: ["RATE_REQUESTS_PER_IP", "RATE_REQUESTS_PER_APPLICATION"],
  session: ["RATE_SESSIONS_PER_IP", "RATE_SESSIONS_PER_APPLICATION"],
  "sign-in": ["RATE_SIGN_INS_PER_IP", "RATE_SIGN_INS_PER_APPLICATION"],
  "sign-up": ["RATE_SIGN_UPS_PER_IP", "RATE_SIGN_UPS_PER_APPLICATION"],
  reset: ["RATE_RESETS_PER_IP", "RATE_RESETS_PER_APPLICATION"],
} as const satisfies Record<LimitClass, readonly [keyof Config, keyof Config]>;

/** Classes whose operations are cheap and many: a round trip to Redis would cost more than they do. */
const NEAR: readonly LimitClass[] = ["request", "session"];

const WINDOW_SECONDS = 60;
/** Milliseconds of the longest wait after failures. */
const LONGEST = { pair: 15 * 60_000, name: 60_000, address: 15 * 60_000 };

/** Somebody who tries a password. */
export interface Guess {
  applicationId: number;
  /** Login, e-mail or id as `kind:value` in lower case; need not be anybody's. */
  name: string;
  ip: string;
}

/** How often anybody may do anything (docs/LIMITS.md). Nobody waits here; who must is told how long. */
export class Limits {
  private readonly near: OpenLimiters["near"];
  private readonly shared: Limiter;
  private readonly budgets: Record<LimitClass, { address: Budget; application: Budget }>;

  constructor(
    private readonly config: Config,
    { near, shared }: Pick<OpenLimiters, "near" | "shared">,
  ) {
    this.near = near;
    this.shared = shared;
    const budgetsOf = (limit: LimitClass) => {
      const [address, application] = FIGURES[limit];
      return {
        address: budget(`${limit}-address`, config[address]),
        application: budget(`${limit}-application`, config[application]),
      };
    };
    this.budgets = {
      request: budgetsOf("request"),
      session: budgetsOf("session"),
      "sign-in": budgetsOf("sign-in"),
      "sign-up": budgetsOf("sign-up"),
      reset: budgetsOf("reset"),
    };
  }

  /**
   * Counts something that an address does; at once, without a promise, where it is counted near.
   * @throws Fault LIMITED with the seconds to wait
   */
  address(limit: LimitClass, ip: string): undefined | Promise<void> {
    return this.count(limit, this.budgets[limit].address, networkOf(ip));
  }

  /** Counts something that is done in an application. @throws Fault LIMITED */
  application(limit: LimitClass, applicationId: number): undefined | Promise<void> {
    return this.count(limit, this.budgets[limit].application, String(applicationId));
  }

  /**
   * Judges a password, unless too many were wrong before; the same for names that nobody has.
   * @param judge says whether it is right
   * @throws Fault LIMITED with the seconds to wait, and whatever judging throws, which counts for nothing
   */
  async guess<T>(guess: Guess, judge: () => Promise<T | null>): Promise<T | null> {
    const attempt = this.attemptOf(guess);
    refuseFor(await this.shared.begin(attempt), "Too many failed attempts");
    let answer: T | null;
    try {
      answer = await judge();
    } catch (error) {
      await this.shared.settle(attempt, "void");
      throw error;
    }
    if (answer !== null) await this.shared.settle(attempt, "right");
    return answer;
  }

  private count(limit: LimitClass, budget: Budget, key: string): undefined | Promise<void> {
    if (budget.limit === 0) return undefined;
    const refuse = (wait: number) => refuseFor(wait, "Too many requests");
    if (!NEAR.includes(limit)) return this.shared.take(budget, key).then(refuse);
    refuse(this.near.takeNow(budget, key));
    return undefined;
  }

  private attemptOf({ applicationId, name, ip }: Guess): Attempt {
    const address = networkOf(ip);
    const { FAILURES_FREE, FAILURES_FREE_PER_NAME, FAILURES_FREE_PER_IP } = this.config;
    const account = `${applicationId} ${name}`;
    // Hashed, since a name may be as long as it likes, and Redis need not know who signs in.
    const key = (text: string) => hashToken(text).toString("base64url");
    return {
      pair: {
        key: `pair:${key(`${address} ${account}`)}`,
        free: FAILURES_FREE,
        longest: LONGEST.pair,
      },
      name: {
        key: `name:${key(account)}`,
        free: FAILURES_FREE_PER_NAME,
        longest: LONGEST.name,
      },
      address: {
        key: `address:${key(address)}`,
        free: FAILURES_FREE_PER_IP,
        longest: LONGEST.address,
      },
    };
  }
}

function budget(name: string, limit: number): Budget {
  return { name, limit, seconds: WINDOW_SECONDS };
}

function refuseFor(ms: number, what: string): void {
  if (ms <= 0) return;
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  throw new Fault("LIMITED", `${what}; try again in ${seconds} s`, undefined, seconds);
}
