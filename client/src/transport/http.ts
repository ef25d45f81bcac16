import {
  closedError,
  networkError,
  type ResponseError,
  responseError,
  SignalboxError,
  secondsOf,
} from "../errors.ts";
import type { Document } from "./document.ts";

/** Time after which a request is given up unless it has a time of its own, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Where requests go, and by what. */
export interface HttpTarget {
  /** The URL of /graphql. */
  readonly graphqlUrl: string;
  /** `fetch` of the platform, or another one. */
  readonly fetch: typeof fetch;
}

/** Options of one request. */
export interface RequestOptions {
  /** Aborts the request; it then rejects with CLOSED. */
  signal?: AbortSignal | undefined;
  /** Lets the request outlive its page (`keepalive` of fetch), for what must be sent while the page closes. */
  keepalive?: boolean | undefined;
  /**
   * Time after which the request is given up with NETWORK, in milliseconds: 30,000 by default. An operation that takes
   * minutes needs more. The service does not stop a mutation whose request is given up.
   */
  timeoutMs?: number | undefined;
}

/** What a request is authenticated by: the token of a session, an API key in a backend, or nothing. */
export type RequestCredential = string | { readonly apiKey: string } | null;

/**
 * Runs a query or mutation by POST (GraphQL over HTTP).
 * @throws SignalboxError with the code of the response, NETWORK, or CLOSED if it was aborted
 */
export async function postGraphql<Result, Variables>(
  { graphqlUrl, fetch }: HttpTarget,
  credential: RequestCredential,
  document: Document<Result, Variables>,
  variables: Variables,
  { signal, keepalive = false, timeoutMs = TIMEOUT_MS }: RequestOptions = {},
): Promise<Result> {
  const body = bodyOf(document, variables);
  let response: Response;
  let text: string;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const abort = () => timeout.abort();
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    response = await fetch(graphqlUrl, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...headersOf(credential),
      },
      body,
      signal: timeout.signal,
      keepalive,
    });
    text = await response.text();
  } catch (error) {
    throw signal?.aborted ? closedError() : networkError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const { data, errors } = parse<Result>(text, response, requestId);
  if (errors || !data) throw responseError(errors ?? [], requestId);
  return data;
}

function headersOf(credential: RequestCredential): Record<string, string> {
  if (credential === null) return {};
  return typeof credential === "string"
    ? { "Svc-Token": credential }
    : { "Svc-Api-Key": credential.apiKey };
}

function bodyOf(document: string, variables: unknown): string {
  try {
    return JSON.stringify({ query: document, variables });
  } catch (cause) {
    throw new SignalboxError("INVALID", "The variables cannot be written as JSON", { cause });
  }
}

function parse<Result>(
  text: string,
  response: Response,
  requestId: string | undefined,
): { data?: Result; errors?: ResponseError[] } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && ("data" in body || "errors" in body)) {
      return body as { data?: Result; errors?: ResponseError[] };
    }
  } catch {
    // A proxy answers with a page of its own.
  }
  const message = `The response is not one of GraphQL (status ${response.status})`;
  const { status, headers } = response;
  const retryAfter = secondsOf(Number(headers.get("retry-after") ?? undefined));
  const code = status === 429 ? "LIMITED" : status >= 500 ? "UNAVAILABLE" : "MALFORMED";
  throw new SignalboxError(code, message, { requestId, retryAfter });
}
