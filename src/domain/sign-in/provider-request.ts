import { type HttpResponse, NoResponse } from "../../platform/network/http-response";
import {
  type ProviderRequestOptions,
  ProviderUnavailable,
  TokenRejected,
} from "./verified-identity";

/** Maximum size of a response, in characters; the longest, a Twitter profile, has a few thousand. */
const RESPONSE_MAX = 262_144;

/** Statuses by which the providers reject a token. */
const REJECTIONS = new Set([400, 401, 403]);

/** What a request to a provider has besides its URL; a body makes it a POST. */
interface ProviderRequest {
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Sends a request to a provider. Does not follow redirects, because the URL carries secrets. For the
 * same reason errors contain neither the URL nor the text of a connection error.
 * @returns the JSON object of a response with status 200
 * @throws TokenRejected for 400, 401 and 403, ProviderUnavailable for every other failure
 */
export async function requestProvider(
  url: string,
  options: ProviderRequestOptions,
  given: ProviderRequest = {},
): Promise<Record<string, unknown>> {
  const { status, body: text } = await read(url, options, given);
  const body = parse(text);
  if (REJECTIONS.has(status) && !isTransient(body)) throw new TokenRejected(`status ${status}`);
  if (status !== 200) throw new ProviderUnavailable(`status ${status}`);
  if (body === null) throw new ProviderUnavailable("the response is not a JSON object");
  return body;
}

async function read(
  url: string,
  { connector, timeoutMs }: ProviderRequestOptions,
  { headers, body }: ProviderRequest,
): Promise<HttpResponse> {
  const request = {
    method: body === undefined ? "GET" : "POST",
    body,
    headers: { accept: "application/json", ...headers },
    timeoutMs,
    bodyMax: RESPONSE_MAX + 1,
  } as const;
  try {
    const response = await connector.request(url, request);
    if (response.body.length > RESPONSE_MAX)
      throw new ProviderUnavailable("the response is too long");
    return response;
  } catch (error) {
    throw error instanceof NoResponse ? new ProviderUnavailable(error.reason) : error;
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

/** Whether a 400 or 403 of Facebook is temporary, as its body says (Graph API "Error handling"). */
function isTransient(body: Record<string, unknown> | null): boolean {
  return isObject(body?.error) && body.error.is_transient === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
