import { type Agent, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { ANSWER_MAX, type Answer, connectionFault, Unanswered } from "./answer";

/**
 * Posts once over HTTP/1.1 and reads the answer, the body up to {@link ANSWER_MAX}. Redirects are
 * answers like any other.
 * @throws Unanswered
 */
export function postOnce(
  url: URL,
  headers: Record<string, string | number>,
  body: Buffer | string,
  agent: Agent,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestSecure : requestPlain;
    const length = Buffer.byteLength(body);
    const request = send(url, {
      method: "POST",
      headers: { ...headers, "content-length": length },
      agent,
    });
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
        answer.body = (answer.body + chunk).slice(0, ANSWER_MAX);
        if (answer.body.length < ANSWER_MAX) return;
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
