import { Mismatch } from "./check";

/** A call of the REST paths. */
export interface RestCall {
  method: "GET" | "POST" | "DELETE";
  /** Below the base URL, such as `/session`. */
  path: string;
  /** Session token; left out only where the request is signed instead. */
  token?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** The status that the call is to answer with. */
  status: 200 | 201;
}

/**
 * Calls a REST path.
 * @returns the JSON of the answer; undefined where a success has no body, so say `void` then
 * @throws Mismatch for any other status than the expected one, with the answer's body, which says why
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
