import { Mismatch } from "./check";

/** A REST request. */
export interface RestCall {
  method: "GET" | "POST" | "DELETE";
  /** Relative to the base URL, such as `/session`. */
  path: string;
  /** Session token; absent for signed requests. */
  token?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** The expected status of the response. */
  status: 200 | 201;
}

/**
 * Sends a REST request.
 * @returns the JSON of the response; undefined if it has no body (use `void` for T then)
 * @throws Mismatch with the response's body if the status is not the expected one
 */
export async function callRest<T>(
  baseUrl: string,
  call: RestCall,
  signal: AbortSignal,
): Promise<T> {
  const { method, path, token, body, status } = call;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { "Svc-Token": token }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (response.status !== status) {
    throw new Mismatch(
      `${method} ${path}`,
      `status ${status}`,
      `status ${response.status} ${text}`,
    );
  }
  return (text === "" ? undefined : JSON.parse(text)) as T;
}
