import { type Agent, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { truncateText } from "../../core/text/text";
import { describeConnectionError, type HttpResponse, NoResponse } from "./http-response";

/** A request, and bounds of its response. */
export interface HttpRequest {
  method: "GET" | "POST";
  headers: Record<string, string | number>;
  body?: Buffer | string;
  /** Total timeout in milliseconds, from the DNS look-up to the end of the body. */
  timeoutMs: number;
  /** Maximum length of the response body, in characters; the rest is discarded. */
  bodyMax: number;
}

/**
 * Sends one request over HTTP/1.1 and reads the response. Redirects are not followed.
 * @throws NoResponse
 */
export function sendRequest(
  url: URL,
  { method, headers, body = "", timeoutMs, bodyMax }: HttpRequest,
  agent: Agent,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestSecure : requestPlain;
    const length = method === "POST" ? { "content-length": Buffer.byteLength(body) } : {};
    const request = send(url, { method, headers: { ...headers, ...length }, agent });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      settle();
    };
    const timer = setTimeout(() => {
      end(() => reject(new NoResponse(`no answer within ${timeoutMs / 1000} s`)));
      request.destroy();
    }, timeoutMs);
    request.on("error", (error) => end(() => reject(toNoResponse(error))));
    request.on("response", (response) => {
      const answer: HttpResponse = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: "",
      };
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        answer.body = truncateText(answer.body + chunk, bodyMax);
        if (answer.body.length < bodyMax) return;
        end(() => resolve(answer));
        // The rest of the body is not read, so the connection cannot be reused.
        request.destroy();
      });
      response.on("end", () => end(() => resolve(answer)));
      response.on("close", () => {
        if (!response.complete) end(() => reject(new NoResponse("connection closed")));
      });
    });
    request.end(body);
  });
}

function toNoResponse(error: NodeJS.ErrnoException): NoResponse {
  const closed = error.code === "ECONNRESET" || error.code === "EPIPE";
  return closed ? new NoResponse("connection closed") : describeConnectionError(error);
}
