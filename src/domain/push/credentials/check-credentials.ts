import { toValidText, truncateText } from "../../../core/text/text";
import type { PushEnvironment } from "../channels/channel";
import { CHECK_UNAVAILABLE, checkUnavailable, type Provider } from "../providers/port/provider";
import type { Credentials } from "./credentials";

/**
 * Asks a push service whether it accepts credentials, without sending a push.
 * @returns the result of {@link Provider.check}
 */
export type CheckCredentials = (
  credentials: Credentials,
  environment: PushEnvironment,
) => Promise<string | null>;

/** Result of a credential check. Reasons never contain secrets. */
export type CredentialCheckResult =
  | { kind: "accepted" }
  | { kind: "refused"; reason: string }
  /** The service gave no verdict. */
  | { kind: "unreachable"; reason: string };

/** Maximum length of a reason, in characters. */
const REASON_MAX = 300;

/** Creates a check that opens a provider for each call and closes it afterwards. */
export function credentialCheckWith(
  open: (credentials: Credentials, environment: PushEnvironment) => Provider,
): CheckCredentials {
  return async (credentials, environment) => {
    const provider = open(credentials, environment);
    try {
      return await provider.check();
    } finally {
      await provider.close();
    }
  };
}

/** Runs a check with a timeout in milliseconds, after which the service counts as unreachable. */
export async function checkWithTimeout(
  check: CheckCredentials,
  credentials: Credentials,
  environment: PushEnvironment,
  timeoutMs: number,
): Promise<CredentialCheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(checkUnavailable("no answer in time")), timeoutMs);
  });
  try {
    return toCheckResult(await Promise.race([check(credentials, environment), timeout]));
  } finally {
    clearTimeout(timer);
  }
}

function toCheckResult(text: string | null): CredentialCheckResult {
  if (text === null) return { kind: "accepted" };
  const reason = truncateText(toValidText(text).replace(/\p{Cc}+/gu, " "), REASON_MAX);
  if (!reason.startsWith(CHECK_UNAVAILABLE)) return { kind: "refused", reason };
  return { kind: "unreachable", reason: reason.slice(CHECK_UNAVAILABLE.length).replace(/^: /, "") };
}
