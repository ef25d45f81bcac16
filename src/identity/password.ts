import { availableParallelism } from "node:os";
import { Algorithm, hash, verify } from "@node-rs/argon2";
import { Extensions } from "type-graphql";
import { networkOf } from "../core/client-address";
import type { Clock } from "../core/clock";
import { Fault } from "../core/errors";
import { hashToken } from "../core/random";
import { FairQueue } from "../limits/fair-queue";

/** argon2id with 19 MiB and two passes, the first choice of OWASP's Password Storage Cheat Sheet. */
const ARGON = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Characters of a password at least. */
export const PASSWORD_MIN = 8;
/** Characters of a password at most, so that a hash costs the same for everybody. */
export const PASSWORD_MAX = 255;

/** Marks an input field as a password. It may hold any character: it is hashed, never stored as text. */
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
 * Hashes a password, in a worker thread. Only where nobody can ask for it, as at the first start; requests
 * go by {@link Passwords}.
 */
export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON);
}

/** A hash that no password has: all of its bytes are zero. To compare with it is the work of any other. */
const NOBODYS = [
  "$argon2id$v=19",
  `$m=${ARGON.memoryCost},t=${ARGON.timeCost},p=${ARGON.parallelism}`,
  `$${"A".repeat(22)}$${"A".repeat(43)}`,
].join("");

/** Whom a password is hashed for: those who take turns. */
export interface HashedFor {
  /** Null where a chat server or a balancer is between that does not tell it. */
  ip: string | null;
  /** The account, or the name that was given where it is nobody's; none for a new user. */
  name?: string;
}

/** Hashes that are computed at once at most: the threads that libuv has, unless it is told otherwise. */
const THREADS = 4;
/** Jobs that wait for each that runs. One hash takes some 25 ms of a core: more would wait in vain. */
const WAITING_PER_THREAD = 64;

/**
 * Passwords as requests have them hashed and compared: a few at a time, since each takes a core and 19 MiB
 * for a while, and in turns, so that neither one address nor one name keeps the others waiting.
 */
export class Passwords {
  private readonly queue: FairQueue;

  /** @param waitMs milliseconds that one waits at most */
  constructor(
    clock: Clock,
    waitMs: number,
    concurrency = Math.min(availableParallelism(), THREADS),
  ) {
    const seconds = Math.ceil(waitMs / 1000);
    const text = `Too many passwords are waiting to be checked; try again in ${seconds} s`;
    this.queue = new FairQueue(
      { concurrency, waiting: WAITING_PER_THREAD * concurrency, waitMs },
      clock,
      () => new Fault("LIMITED", text, undefined, seconds),
    );
  }

  /** Hashes a password. @throws Fault LIMITED when too many wait */
  hash(password: string, who: HashedFor): Promise<string> {
    return this.queue.run(keysOf(who), () => hashPassword(password));
  }

  /**
   * Whether a password belongs to a hash. Without a hash the same work is done for nothing, so that the
   * time taken does not tell a known name from an unknown one.
   * @throws Fault LIMITED when too many wait
   */
  async matches(stored: string | null, password: string, who: HashedFor): Promise<boolean> {
    if (password.length > 4 * PASSWORD_MAX) return false;
    const right = await this.queue.run(keysOf(who), () => verify(stored ?? NOBODYS, password));
    return right && stored !== null;
  }
}

function keysOf({ ip, name }: HashedFor): string[] {
  const keys = ip === null ? [] : [`address ${networkOf(ip)}`];
  if (name !== undefined) keys.push(`name ${name}`);
  return keys;
}

/** Tells the hash of one password from that of another, and nothing else of it. */
export function passwordMark(stored: string): string {
  return hashToken(stored).toString("hex");
}
