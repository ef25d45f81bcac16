import { Agent, type IncomingMessage, request } from "node:http";
import type { Case } from "./target";

/** Timeout of a request, in milliseconds. */
const ANSWER_MS = 60_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** An HTTP request with a raw path and body. */
export interface HttpInput {
  method: string;
  /** Percent-encoded, or not, by the case. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** Time after which the client closes the connection without an answer, in milliseconds. */
  leaveAfterMs?: number | undefined;
}

/** An HTTP response. */
export interface HttpResponse {
  status: number;
  text: string;
}

/** Text that no response may contain: stacks, paths, SQL, and messages of libraries. */
const LEAKS =
  /node_modules|\n\s+at \S+ \(|\/src\/\S+\.[jt]s|\.[jt]s:\d+:\d+|SQLSTATE|syntax error at or near|violates \w+ constraint|PrismaClient|RangeError|TypeError: /;

/** Sends a request, and checks the response for violations. */
export async function sendHttp(each: Case, url: string, input: HttpInput): Promise<HttpResponse> {
  const { method, path, headers, body } = input;
  each.sent(
    `${method} ${path}\n${JSON.stringify(headers)}\n${body === undefined ? "" : body.toString("latin1")}`,
  );
  const answer = await exchange(url, input, each);
  each.outcome(String(answer.status));
  checkStatus(each, answer.status, answer.text);
  return answer;
}

/** Reports a 5xx other than 503, and responses that leak internals. */
export function checkStatus(each: Case, status: number, text: string): void {
  if (status >= 500 && status !== 503) each.violation(`status ${status}: ${text.slice(0, 300)}`);
  checkErrorText(each, text);
}

/** As {@link checkStatus}, for text without a status. */
export function checkErrorText(each: Case, text: string): void {
  const leak = LEAKS.exec(text)?.[0];
  if (leak !== undefined) each.violation(`a response contains ${JSON.stringify(leak)}`);
  if (text.includes('"code":"INTERNAL"')) each.violation(`INTERNAL: ${text.slice(0, 300)}`);
}

function exchange(url: string, input: HttpInput, each: Case): Promise<HttpResponse> {
  const { hostname, port } = new URL(url);
  const { method, path, headers, body, leaveAfterMs } = input;
  return new Promise((resolve) => {
    let [text, size] = ["", 0];
    const end = (status: number) => {
      clearTimeout(timer);
      clearTimeout(leaving);
      resolve({ status, text });
    };
    const take = (response: IncomingMessage) => {
      const id = response.headers["x-request-id"];
      if (typeof id === "string") each.request(id);
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        size += part.length;
        if (size < 1_000_000) text += part;
      });
      response.on("end", () => end(response.statusCode ?? 0));
      response.on("error", () => end(0));
    };
    const options = { hostname, port, method, path, headers, agent };
    const sending = request(options, take);
    const timer = setTimeout(() => {
      each.violation(`no answer within ${ANSWER_MS / 1000} s`);
      sending.destroy();
    }, ANSWER_MS);
    const leaving =
      leaveAfterMs === undefined ? undefined : setTimeout(() => sending.destroy(), leaveAfterMs);
    sending.on("error", () => end(0));
    sending.end(body);
  });
}
