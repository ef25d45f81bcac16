import { type Answer, Unanswered } from "../../network/answer";
import { type Asking, Refused, Unreachable } from "./verified";

/** Characters of an answer that are read at most; the longest, a Twitter profile, takes some thousand. */
const ANSWER_MAX = 262_144;

/** Statuses by which the providers say that it is the token's fault. */
const REFUSALS = new Set([400, 401, 403]);

/**
 * Asks a provider. Redirects are not followed, for the address carries secrets; for the same reason
 * nothing of the address or of a connection's own errors is passed on.
 * @returns the JSON object of an answer with status 200
 * @throws Refused for 400, 401 and 403, Unreachable for everything else that is not such an object
 */
export async function askProvider(
  url: string,
  asking: Asking,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const { status, body: text } = await read(url, asking, headers);
  const body = parse(text);
  if (REFUSALS.has(status) && !isTransient(body)) throw new Refused(`status ${status}`);
  if (status !== 200) throw new Unreachable(`status ${status}`);
  if (body === null) throw new Unreachable("an answer that is no JSON object");
  return body;
}

async function read(
  url: string,
  { connector, timeoutMs }: Asking,
  headers: Record<string, string>,
): Promise<Answer> {
  const request = {
    method: "GET",
    headers: { accept: "application/json", ...headers },
    timeoutMs,
    bodyMax: ANSWER_MAX + 1,
  } as const;
  try {
    const answer = await connector.request(url, request);
    if (answer.body.length > ANSWER_MAX) throw new Unreachable("an answer that is too long");
    return answer;
  } catch (error) {
    throw error instanceof Unanswered ? new Unreachable(error.reason) : error;
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Facebook refuses for a while with status 400 or 403, and says so (Graph API "Error handling"). */
function isTransient(body: Record<string, unknown> | null): boolean {
  return isObject(body?.error) && body.error.is_transient === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
