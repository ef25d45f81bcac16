import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { cutText } from "../../../core/text";
import { type Answer, connectionFault, Unanswered } from "../../../network/answer";
import { ANSWER_MAX } from "./answer";

/** Errors of Node by which a session takes no more streams; the request never left. */
const NOT_BEGUN = new Set([
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_OUT_OF_STREAMS",
]);

/**
 * Sends one request on a session and reads its answer, the body up to {@link ANSWER_MAX}.
 * @throws Unanswered, "unprocessed" where the server says that it did not begin with it
 * (REFUSED_STREAM, RFC 9113 section 8.7; streams beyond the last of a GOAWAY, section 6.8)
 */
export function exchange(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(headers);
    } catch (error) {
      const fault = faultOf(error as NodeJS.ErrnoException, 0);
      reject(fault ?? new Unanswered("it cannot be put into a request", "refused"));
      return;
    }
    let answer: Answer | null = null;
    let failure: NodeJS.ErrnoException | null = null;
    const timer = setTimeout(() => {
      reject(new Unanswered(`no answer within ${timeoutMs / 1000} s`));
      stream.close(constants.NGHTTP2_CANCEL);
    }, timeoutMs);
    stream.on("response", ({ ":status": status = 0, ...rest }) => {
      answer = { status, headers: rest, body: "" };
    });
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      if (!answer) return;
      answer.body = cutText(answer.body + chunk, ANSWER_MAX);
      if (answer.body.length === ANSWER_MAX) stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.on("close", () => {
      clearTimeout(timer);
      if (answer) resolve(answer);
      else reject(faultOf(failure, stream.rstCode ?? 0) ?? endOf(failure));
    });
    stream.end(body);
  });
}

function faultOf(error: NodeJS.ErrnoException | null, code: number): Unanswered | null {
  const refused = code === constants.NGHTTP2_REFUSED_STREAM || NOT_BEGUN.has(error?.code ?? "");
  return refused ? new Unanswered("the connection takes no more", "unprocessed") : null;
}

/** Why a request on a session ended without an answer. */
function endOf(error: NodeJS.ErrnoException | null): Unanswered {
  // What befell the session stands behind what Node says of the stream.
  const cause = (error?.cause ?? error) as NodeJS.ErrnoException | null;
  return cause?.code?.startsWith("ERR_HTTP2_") === false
    ? connectionFault(cause)
    : new Unanswered("connection closed");
}
