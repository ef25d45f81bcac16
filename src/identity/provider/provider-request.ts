import { Refused, Unreachable } from "./verified";

/** Bytes of an answer that are read at most; the longest, a Twitter profile, takes some thousand. */
const ANSWER_MAX = 262_144;

/** Statuses by which the providers say that it is the token's fault. */
const REFUSALS = new Set([400, 401, 403]);

/**
 * Asks a provider. Redirects are not followed, for the address carries secrets; for the same reason
 * nothing of the address or of fetch's own errors is passed on.
 * @returns the JSON object of an answer with status 200
 * @throws Refused for 400, 401 and 403, Unreachable for everything else that is not such an object
 */
export async function askProvider(
  url: string,
  timeoutMs: number,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const { status, text } = await read(url, timeoutMs, headers);
  const body = parse(text);
  if (REFUSALS.has(status) && !isTransient(body)) throw new Refused(`status ${status}`);
  if (status !== 200) throw new Unreachable(`status ${status}`);
  if (body === null) throw new Unreachable("an answer that is no JSON object");
  return body;
}

async function read(
  url: string,
  timeoutMs: number,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/json", ...headers },
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > ANSWER_MAX) throw new Unreachable("an answer that is too long");
      chunks.push(chunk);
    }
    return { status: response.status, text: Buffer.concat(chunks).toString("utf8") };
  } catch (error) {
    if (error instanceof Unreachable) throw error;
    const late = error instanceof Error && error.name === "TimeoutError";
    throw new Unreachable(late ? "no answer in time" : "no answer");
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
