/** An HTTP request of a client. */
export interface RecordedRequest {
  url: string;
  method: string;
  /** Names of its headers, in lower case, without those that a page may send without a preflight. */
  headers: string[];
  body: string;
}

/** CORS-safelisted request headers (Fetch standard, section 2.2.2); content-type is safelisted for forms only. */
const SAFELISTED = ["accept", "accept-language", "content-language", "range"];

/** Records the requests that `act` sends by the global `fetch`, which still sends them. */
export async function recordRequests(act: () => Promise<unknown>): Promise<RecordedRequest[]> {
  const requests: RecordedRequest[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push({
      url: request.url,
      method: request.method,
      headers: [...request.headers.keys()].filter((name) => !SAFELISTED.includes(name)),
      body: await request.clone().text(),
    });
    return original(request);
  };
  try {
    await act();
  } finally {
    globalThis.fetch = original;
  }
  return requests;
}
