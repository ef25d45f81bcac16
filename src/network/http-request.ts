import { type Agent, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { cutText } from "../core/text";
import { type Answer, connectionFault, Unanswered } from "./answer";

/** What is sent, over which connections, and what may come back. */
export interface HttpRequest {
  method: "GET" | "POST";
  headers: Record<string, string | number>;
  body?: Buffer | string;
  /** For look-up, connection, headers and body together. */
  timeoutMs: number;
  /** Characters of the answer's body that are read at most; what follows is left out. */
  bodyMax: number;
}

/**
 * Sends one request over HTTP/1.1 and reads the answer. Redirects are answers like any other.
 * @throws Unanswered
 */
export function sendRequest(
  url: URL,
  { method, headers, body = "", timeoutMs, bodyMax }: HttpRequest,
  agent: Agent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestSecure : requestPlain;
    const length = method === "POST" ? { "content-length": Buffer.byteLength(body) } : {};
    const request = send(url, { method, headers: { ...headers, ...length }, agent });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      settle();
    };
    const timer = setTimeout(() => {
      end(() => reject(new Unanswered(`no answer within ${timeoutMs / 1000} s`)));
      request.destroy();
    }, timeoutMs);
    request.on("error", (error) => end(() => reject(endOf(error))));
    request.on("response", (response) => {
      const answer: Answer = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: "",
      };
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        answer.body = cutText(answer.body + chunk, bodyMax);
        if (answer.body.length < bodyMax) return;
        end(() => resolve(answer));
        // The rest is not wanted, so the connection cannot be used again.
        request.destroy();
      });
      response.on("end", () => end(() => resolve(answer)));
      response.on("close", () => {
        if (!response.complete) end(() => reject(new Unanswered("connection closed")));
      });
    });
    request.end(body);
  });
}

function endOf(error: NodeJS.ErrnoException): Unanswered {
  const cut = error.code === "ECONNRESET" || error.code === "EPIPE";
  return cut ? new Unanswered("connection closed") : connectionFault(error);
}
