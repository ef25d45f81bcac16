import { cutText, toText } from "../../core/text";
import type { PushEnvironment } from "../channel";
import { couldNotAsk, NOT_ASKED, type Provider } from "../provider/provider";
import type { Credentials } from "./credentials";

/**
 * Asks a push service whether it knows credentials, without sending anything to anybody.
 * @returns what {@link Provider.check} says
 */
export type CheckCredentials = (
  credentials: Credentials,
  environment: PushEnvironment,
) => Promise<string | null>;

/** What a push service says of credentials. Reasons hold nothing secret. */
export type Verdict =
  | { kind: "accepted" }
  | { kind: "refused"; reason: string }
  /** It said nothing about them. */
  | { kind: "unreachable"; reason: string };

/** Characters of a service's words that are passed on at most. */
const REASON_MAX = 300;

/** Checks with a provider that is opened for the check alone. */
export function checkWith(
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

/** Asks within a time, in milliseconds; a service that does not answer in it is unreachable. */
export async function judgeCredentials(
  check: CheckCredentials,
  credentials: Credentials,
  environment: PushEnvironment,
  timeoutMs: number,
): Promise<Verdict> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(couldNotAsk("no answer in time")), timeoutMs);
  });
  try {
    return toVerdict(await Promise.race([check(credentials, environment), late]));
  } finally {
    clearTimeout(timer);
  }
}

function toVerdict(text: string | null): Verdict {
  if (text === null) return { kind: "accepted" };
  const reason = cutText(toText(text).replace(/\p{Cc}+/gu, " "), REASON_MAX);
  if (!reason.startsWith(NOT_ASKED)) return { kind: "refused", reason };
  return { kind: "unreachable", reason: reason.slice(NOT_ASKED.length).replace(/^: /, "") };
}
