import { createHmac } from "node:crypto";
import autocannon from "autocannon";
import type { LoadResult } from "./load-result";
import { percentile } from "./percentile";

/** A request of a load. */
export interface LoadRequest {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: Record<string, unknown>;
}

/** HTTP requests, sent sequentially on each connection. */
export interface LoadJob {
  kind: "load";
  baseUrl: string;
  connections: number;
  seconds: number;
  /** Sent in rotation. */
  requests: LoadRequest[];
  /**
   * Fixed rate in requests per second. Error responses are then counted, and latency covers only successes.
   * Without it the load is as high as the server can take.
   */
  rate?: number;
  /** Signs each body with a new nonce. */
  signing?: Signing;
}

/** The credentials that sign POST /session (schema/rest/session.graphql). */
export interface Signing {
  applicationId: number;
  authKey: string;
  authSecret: string;
}

let nonces = 0;

/** Adds the four mandatory parameters and their signature to a body. */
export function signBody(signing: Signing, body: object): Record<string, unknown> {
  const nonce = ++nonces * 1_000_000 + (process.pid % 1_000_000);
  const timestamp = Math.floor(Date.now() / 1000);
  const { applicationId, authKey, authSecret } = signing;
  const line = `application_id=${applicationId}&auth_key=${authKey}&nonce=${nonce}&timestamp=${timestamp}`;
  const signature = createHmac("sha1", authSecret).update(line).digest("hex");
  return {
    application_id: applicationId,
    auth_key: authKey,
    nonce,
    timestamp,
    signature,
    ...body,
  };
}

/**
 * Runs a load with autocannon.
 * @throws Error for any response that is not a success, if no rate is set, or without any response
 */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
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
  // Each connection starts at another position of the list; otherwise all would send the same request.
  const setupClient = (client: autocannon.Client) => {
    const start = Math.floor((clients++ * requests.length) / connections);
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: baseUrl,
        connections,
        duration: seconds,
        requests,
        setupClient,
        timeout: 10,
        ...(rate === undefined ? {} : { overallRate: rate }),
      },
      (error, answer) => (error ? reject(error) : resolve(answer)),
    );
    // autocannon's own histogram has a resolution of 1 ms, which is too coarse.
    instance.on("response", (_client, status, _bytes, ms) => {
      if (rate === undefined || status < 300) times.push(ms);
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
  });
  const { errors, timeouts, non2xx, duration } = result;
  if (rate !== undefined) statuses.error = errors + timeouts;
  else if (errors > 0 || timeouts > 0 || non2xx > 0 || times.length === 0) {
    throw new Error(
      `${times.length} responses, ${non2xx} of them no success; ${errors} errors, ${timeouts} timeouts`,
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
