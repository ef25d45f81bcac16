import { Extensions } from "type-graphql";
import type { Attempt, Budget, Limiter } from "../bus/limiter";
import type { OpenLimiters } from "../bus/open-limiter";
import { networkOf } from "../core/client-address";
import type { Config } from "../core/config";
import { Fault } from "../core/errors";
import { hashToken } from "../core/random";

/**
 * What operations are counted as. Each came with a request, which was counted when it arrived; a sign-in
 * is counted where somebody's name is known, in session/sign-in.ts and session/stream-sign-in.ts.
 */
export type LimitClass = "request" | OperationLimit;

/** What an operation may count as besides the request that it came with. */
export type OperationLimit = "session" | "sign-in" | "sign-up" | "reset";

/** Names what an operation counts as, beside {@link Allow}; without it a request like any other. */
export function Limited(limit: OperationLimit): MethodDecorator & PropertyDecorator {
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
const NEAR: readonly string[] = ["request", "session"];

/** Who sends a message over chat. */
export interface MessageSender {
  applicationId: number;
  userId: number;
}

const WINDOW_SECONDS = 60;
/** Milliseconds of the longest wait after failures. */
const LONGEST = { pair: 15 * 60_000, name: 60_000, address: 15 * 60_000 };

/** Whose password is set. */
export interface PasswordOwner {
  kind: "user" | "account";
  id: number;
  /** A user's. */
  applicationId?: number;
}

/** Somebody who tries a password. */
export interface Guess {
  applicationId: number;
  /** Login, e-mail or id as `kind:value` in lower case; need not be anybody's. */
  name: string;
  /** Null where a chat server asks that does not know it: then the name alone is counted. */
  ip: string | null;
}

/** How often anybody may do anything (docs/LIMITS.md). Nobody waits here; who must is told how long. */
export class Limits {
  private readonly near: OpenLimiters["near"];
  private readonly shared: Limiter;
  private readonly senders: Budget;
  private readonly streams: Budget;
  private readonly passwords: Budget;
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
    this.senders = budget("push-user", config.RATE_PUSHES_PER_USER);
    this.streams = budget("stream-user", config.RATE_CHAT_SIGN_INS_PER_USER);
    this.passwords = budget("password-user", config.RATE_PASSWORDS_PER_USER);
    this.budgets = {
      request: budgetsOf("request"),
      session: budgetsOf("session"),
      "sign-in": budgetsOf("sign-in"),
      "sign-up": budgetsOf("sign-up"),
      reset: budgetsOf("reset"),
    };
  }

  /**
   * Counts a request or a message of a socket that has arrived, before anything of it is read. Every
   * one passes here, so it makes no promise, and an error only for what is too much.
   * @returns why it is refused; null where it is not
   */
  arrive(ip: string): Fault | null {
    return this.work(ip, 1);
  }

  /**
   * Counts what a request turns out to be beyond the one that it arrived as. What is refused uses up nothing.
   * @param requests how many more it counts as
   */
  work(ip: string, requests: number): Fault | null {
    const { address } = this.budgets.request;
    if (address.limit === 0) return null;
    return refusal(this.near.takeNow(address, networkOf(ip), requests));
  }

  /** As {@link work}, of what has been done already: nobody is refused by it but who comes next. */
  worked(ip: string, requests: number): void {
    const { address } = this.budgets.request;
    if (address.limit > 0) this.near.addNow(address, networkOf(ip), requests);
  }

  /** As {@link arrive}, for an address that many messages come from. */
  arrivals(ip: string): () => Fault | null {
    const { address } = this.budgets.request;
    if (address.limit === 0) return () => null;
    const count = this.near.counter(address, networkOf(ip));
    return () => refusal(count());
  }

  /**
   * Counts something that an address does; at once, without a promise, where it is counted near.
   * @throws Fault LIMITED with the seconds to wait
   */
  address(limit: OperationLimit, ip: string): undefined | Promise<void> {
    return this.count(limit, this.budgets[limit].address, networkOf(ip));
  }

  /** Counts something that is done in an application. @throws Fault LIMITED */
  application(limit: LimitClass, applicationId: number): undefined | Promise<void> {
    return this.count(limit, this.budgets[limit].application, String(applicationId));
  }

  /**
   * Counts a password that somebody sets: it is hashed, as a sign-in is.
   * @throws Fault LIMITED
   */
  async password({ kind, id, applicationId }: PasswordOwner, ip: string): Promise<void> {
    await this.address("sign-in", ip);
    if (applicationId !== undefined) await this.application("sign-in", applicationId);
    await this.count("password", this.passwords, `${kind}:${id}`);
  }

  /** Counts a push that a user asks for. @throws Fault LIMITED */
  sender(userId: number): undefined | Promise<void> {
    return this.count("push", this.senders, String(userId));
  }

  /**
   * What counts the messages that a user sends over chat as requests like any other; for the user they count
   * where they are passed on (calls/sender-limits.ts). At once: they are counted near.
   * @returns counts one, from an address where it is known; throws Fault LIMITED
   */
  messages({ applicationId }: MessageSender): (ip: string | null) => void {
    const { address, application } = this.budgets.request;
    const ofApplication = this.counter(application, String(applicationId));
    let known: { ip: string; count: () => void } | undefined;
    return (ip) => {
      if (ip !== null) {
        if (known?.ip !== ip) known = { ip, count: this.counter(address, networkOf(ip)) };
        known.count();
      }
      ofApplication();
    };
  }

  private counter(budget: Budget, key: string): () => void {
    if (budget.limit === 0) return () => undefined;
    const count = this.near.counter(budget, key);
    return () => refuse(count());
  }

  /**
   * Counts a chat stream that a user signed in: for the user, near, since a node reads the inbox for it, and
   * for the application, as a request and by password as a sign-in too. What was not good does not count.
   * @throws Fault LIMITED
   */
  async stream({ applicationId, userId }: MessageSender, by: "password" | "token"): Promise<void> {
    this.countNear(this.streams, String(userId));
    this.application("request", applicationId);
    if (by === "password") await this.application("sign-in", applicationId);
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

  private count(
    limit: LimitClass | "push" | "password",
    budget: Budget,
    key: string,
  ): undefined | Promise<void> {
    if (NEAR.includes(limit)) return this.countNear(budget, key);
    return budget.limit === 0 ? undefined : this.shared.take(budget, key).then(refuse);
  }

  private countNear(budget: Budget, key: string): undefined {
    if (budget.limit > 0) refuse(this.near.takeNow(budget, key));
  }

  private attemptOf({ applicationId, name, ip }: Guess): Attempt {
    const { FAILURES_FREE, FAILURES_FREE_PER_NAME, FAILURES_FREE_PER_IP } = this.config;
    const account = `${applicationId} ${name}`;
    // Hashed, since a name may be as long as it likes, and Redis need not know who signs in.
    const key = (text: string) => hashToken(text).toString("base64url");
    const byName = {
      key: `name:${key(account)}`,
      free: FAILURES_FREE_PER_NAME,
      longest: LONGEST.name,
    };
    // From nowhere known, everybody's failures would be one address', and one right secret would let
    // all of them off the name: it is counted as a pair, which nobody is let off.
    const pair = { ...byName, key: `pair:${key(` ${account}`)}` };
    const uncounted = { ...byName, key: `none:${key(account)}`, free: 0 };
    if (ip === null) return { pair, name: uncounted, address: uncounted };
    const address = networkOf(ip);
    return {
      pair: {
        key: `pair:${key(`${address} ${account}`)}`,
        free: FAILURES_FREE,
        longest: LONGEST.pair,
      },
      name: byName,
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

function refuse(wait: number): void {
  refuseFor(wait, "Too many requests");
}

function refuseFor(ms: number, what: string): void {
  const fault = refusal(ms, what);
  if (fault) throw fault;
}

/** Why somebody is refused who has to wait; null for who has not. */
function refusal(ms: number, what = "Too many requests"): Fault | null {
  if (ms <= 0) return null;
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return new Fault("LIMITED", `${what}; try again in ${seconds} s`, undefined, seconds);
}
