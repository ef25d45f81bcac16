import { networkOf } from "../../core/client-address";
import type { Config } from "../../core/config";
import { hashToken } from "../../core/random";
import type { AttemptCounters } from "./limiter";

/** The longest wait after failures, in milliseconds. */
const LONGEST_WAIT_MS = { pair: 15 * 60_000, name: 60_000, address: 15 * 60_000 };

/** An attempt to authenticate by password. */
export interface PasswordAttempt {
  applicationId: number;
  /** Login, e-mail or id as `kind:value` in lower case; it may belong to no user. */
  name: string;
  /** Null if a chat server does not report it: then only the name counts. */
  ip: string | null;
}

/** The counters of the failures of an attempt whose credential names nobody: they count for the address alone. */
export function addressCounters(config: Config, ip: string): AttemptCounters {
  const { pair, name, address } = failureCounters(config, { applicationId: 0, name: "", ip });
  return { pair: { ...pair, allowed: 0 }, name: { ...name, allowed: 0 }, address };
}

/** The counters of the failures of an attempt. */
export function failureCounters(
  config: Config,
  { applicationId, name, ip }: PasswordAttempt,
): AttemptCounters {
  const {
    FAILED_SIGN_INS_BEFORE_DELAY,
    FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME,
    FAILED_SIGN_INS_BEFORE_DELAY_PER_IP,
  } = config;
  const account = `${applicationId} ${name}`;
  // Hashed, because names have no maximum length and Redis need not know who signs in.
  const key = (text: string) => hashToken(text).toString("base64url");
  const byName = {
    key: `name:${key(account)}`,
    allowed: FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME,
    longest: LONGEST_WAIT_MS.name,
  };
  // Without an address all clients would share one address counter, and a single right password would
  // exempt all of them from the name's counter. The name is then counted as the pair, which has no
  // such exemption.
  const pair = { ...byName, key: `pair:${key(` ${account}`)}` };
  const uncounted = { ...byName, key: `none:${key(account)}`, allowed: 0 };
  if (ip === null) return { pair, name: uncounted, address: uncounted };
  const address = networkOf(ip);
  return {
    pair: {
      key: `pair:${key(`${address} ${account}`)}`,
      allowed: FAILED_SIGN_INS_BEFORE_DELAY,
      longest: LONGEST_WAIT_MS.pair,
    },
    name: byName,
    address: {
      key: `address:${key(address)}`,
      allowed: FAILED_SIGN_INS_BEFORE_DELAY_PER_IP,
      longest: LONGEST_WAIT_MS.address,
    },
  };
}
