import { createHmac } from "node:crypto";
import autocannon from "autocannon";
import type { Outcome } from "./driver";
import { percentile } from "./percentile";

/** A request of a load. */
export interface LoadRequest {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  /** A value that goes out as JSON. */
  body?: Record<string, unknown>;
}

/** Requests over HTTP, one after the other on every connection. */
export interface LoadJob {
  kind: "load";
  baseUrl: string;
  connections: number;
  seconds: number;
  /** Sent in turn. */
  requests: LoadRequest[];
  /**
   * Requests a second that are offered, whatever the server makes of them: answers other than a success
   * are counted, and times are those of successes. As many as the server takes when left out.
   */
  rate?: number;
  /** Signs every body anew, with a nonce that was not used before. */
  signing?: Signing;
}

/** What signs a request for a session (interface.md "Authentication"). */
export interface Signing {
  applicationId: number;
  authKey: string;
  authSecret: string;
}

let nonces = 0;

/** The body with the four mandatory parameters and their signature. */
export function signBody(signing: Signing, body: object): Record<string, unknown> {
  const nonce = ++nonces * 1_000_000 + (process.pid % 1_000_000);
  const timestamp = Math.floor(Date.now() / 1000);
  const { applicationId, authKey, authSecret } = signing;
  const line = `application_id=${applicationId}&auth_key=${authKey}&nonce=${nonce}&timestamp=${timestamp}`;
  const signature = createHmac("sha1", authSecret).update(line).digest("hex");
  return {
    ...{ application_id: applicationId, auth_key: authKey, nonce, timestamp, signature },
    ...body,
  };
}

/**
 * Drives a server with autocannon.
 * @throws Error when anything but a success came back, or nothing
 */
export async function runLoad(job: LoadJob): Promise<Outcome> {
  const { baseUrl, connections, seconds, signing, rate } = job;
  const requests = job.requests.map(({ method, path, headers, body }): autocannon.Request => {
    const json = { "content-type": "application/json" };
    if (body === undefined) return { method, path, headers };
    const fixed = { method, path, headers: { ...json, ...headers } };
    if (!signing) return { ...fixed, body: JSON.stringify(body) };
    return {
      ...fixed,
      setupRequest: (request) => ({ ...request, body: JSON.stringify(signBody(signing, body)) }),
    };
  });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let clients = 0;
  // Each connection begins elsewhere in the list, or all would send the same request at once.
  const setupClient = (client: autocannon.Client) => {
    const start = Math.floor((clients++ * requests.length) / connections);
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        ...{ url: baseUrl, connections, duration: seconds, requests, setupClient, timeout: 10 },
        ...(rate === undefined ? {} : { overallRate: rate }),
      },
      (error, answer) => (error ? reject(error) : resolve(answer)),
    );
    // autocannon's own histogram counts whole milliseconds, too coarse for what is measured here.
    instance.on("response", (_client, status, _bytes, ms) => {
      if (rate === undefined || status < 300) times.push(ms);
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
  });
  const { errors, timeouts, non2xx, duration } = result;
  if (rate !== undefined) statuses.error = errors + timeouts;
  else if (errors > 0 || timeouts > 0 || non2xx > 0 || times.length === 0) {
    throw new Error(
      `${times.length} answers, of them ${non2xx} no success; ${errors} errors, ${timeouts} time-outs`,
    );
  }
  return {
    count: times.length,
    seconds: duration,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    ...(rate === undefined ? {} : { statuses }),
  };
}
