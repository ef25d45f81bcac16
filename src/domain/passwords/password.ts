import { availableParallelism } from "node:os";
import { Algorithm, hash, verify } from "@node-rs/argon2";
import { Extensions } from "type-graphql";
import { networkOf } from "../../core/client-address";
import type { Clock } from "../../core/clock";
import { Fault } from "../../core/errors";
import { hashToken } from "../../core/random";
import { FairQueue } from "../../platform/limits/fair-queue";

/** The cost of a hash. */
export interface PasswordCost {
  /** Memory in KiB. */
  memoryCost: number;
  /** Number of passes. */
  timeCost: number;
}

/** 19 MiB and two passes, the first choice of OWASP's Password Storage Cheat Sheet for argon2id. */
const COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 };

/** Minimum length of a password, in characters. */
export const PASSWORD_MIN = 8;
/** Maximum length of a password, in characters; bounds the cost of a hash. */
export const PASSWORD_MAX = 255;

/** Marks an input field as a password: any character is valid, since it is hashed and never stored as text. */
export function Password(): PropertyDecorator {
  return Extensions({ password: true });
}

/** Checks a new password. @throws Fault INVALID on the field */
export function checkPassword(password: string, field = "password"): void {
  const length = [...password].length;
  if (length < PASSWORD_MIN) {
    throw Fault.field(field, `is too short (minimum is ${PASSWORD_MIN} characters)`);
  }
  if (length > PASSWORD_MAX) {
    throw Fault.field(field, `is too long (maximum is ${PASSWORD_MAX} characters)`);
  }
}

/**
 * Hashes a password in a worker thread, without a limit on concurrency. Not for requests, which use
 * {@link PasswordHasher}.
 */
export function hashPassword(password: string, cost = COST): Promise<string> {
  return hash(password, {
    algorithm: 2 satisfies Algorithm.Argon2id,
    parallelism: 1,
    ...cost,
  });
}

/** Whether a password matches a hash. Not for requests, which use {@link PasswordHasher}. */
export function matchesHash(stored: string, password: string): Promise<boolean> {
  return verify(stored, password);
}

/** An all-zero hash that matches no password. A comparison with it takes as long as any other. */
const dummyHash = ({ memoryCost, timeCost }: PasswordCost) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The client of a hash operation; the queue is fair among addresses and among names. */
export interface PasswordRequester {
  /** Null if a chat server or load balancer in between does not report it. */
  ip: string | null;
  /** The account, or the given name if it belongs to no user; absent for a new user. */
  name?: string;
}

/** Maximum number of concurrent hashes: the default size of libuv's thread pool. */
const THREADS = 4;
/** Maximum number of queued jobs per running one. A hash takes about 25 ms, so more would time out. */
const WAITING_PER_THREAD = 64;

/**
 * Hashes and verifies passwords for requests. Concurrency is limited, because each hash occupies a core and
 * 19 MiB; the queue is fair, so that no address or name delays the others.
 */
export class PasswordHasher {
  private readonly queue: FairQueue;
  private readonly dummyHash: string;

  /**
   * @param waitMs maximum time in the queue, in milliseconds
   * @param cost of the hashes that it creates
   */
  constructor(
    clock: Clock,
    waitMs: number,
    private readonly cost = COST,
    concurrency = Math.min(availableParallelism(), THREADS),
  ) {
    this.dummyHash = dummyHash(cost);
    const seconds = Math.ceil(waitMs / 1000);
    const text = `Too many passwords are waiting to be checked; try again in ${seconds} s`;
    this.queue = new FairQueue(
      { concurrency, maxWaiting: WAITING_PER_THREAD * concurrency, waitMs },
      clock,
      () => new Fault("LIMITED", text, undefined, seconds),
    );
  }

  /** Hashes a password. @throws Fault LIMITED when the queue is full or the wait too long */
  hash(password: string, requester: PasswordRequester): Promise<string> {
    return this.queue.run(keysOf(requester), () => hashPassword(password, this.cost));
  }

  /**
   * Returns whether a password matches a hash. Without a hash the same work is done against a dummy, so
   * that the response time does not reveal whether a name exists.
   * @throws Fault LIMITED when the queue is full or the wait too long
   */
  async verify(
    stored: string | null,
    password: string,
    requester: PasswordRequester,
  ): Promise<boolean> {
    if (password.length > 4 * PASSWORD_MAX) return false;
    const matches = await this.queue.run(keysOf(requester), () =>
      verify(stored ?? this.dummyHash, password),
    );
    return matches && stored !== null;
  }
}

function keysOf({ ip, name }: PasswordRequester): string[] {
  const keys = ip === null ? [] : [`address ${networkOf(ip)}`];
  if (name !== undefined) keys.push(`name ${name}`);
  return keys;
}

/** Identifies a stored password hash without revealing it. */
export function passwordFingerprint(stored: string): string {
  return hashToken(stored).toString("hex");
}
