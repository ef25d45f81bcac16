import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { truncateText } from "../../../../core/text/text";
import {
  describeConnectionError,
  type HttpResponse,
  NoResponse,
} from "../../../../platform/network/http-response";
import { RESPONSE_MAX } from "./response";

/** Node errors of a session that accepts no more streams; the request was not sent. */
const NOT_SENT = new Set([
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_OUT_OF_STREAMS",
]);

/** A session, and what its server has said of its streams. */
export interface Http2SessionState {
  session: ClientHttp2Session;
  /** The last stream that the server may have processed, from its GOAWAY; null before one. */
  lastStreamId: number | null;
}

/**
 * Sends a request on a session and reads the response, with a body of up to {@link RESPONSE_MAX}.
 * @throws NoResponse, with fault "unprocessed" if the server states that it did not process the request
 * (REFUSED_STREAM, RFC 9113 section 8.7; streams beyond the last of a GOAWAY, section 6.8)
 */
export function http2Request(
  connection: Http2SessionState,
  headers: OutgoingHttpHeaders,
  body: string,
  timeoutMs: number,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      stream = connection.session.request(headers);
    } catch (error) {
      const fault = faultOf(error as NodeJS.ErrnoException, 0);
      reject(fault ?? new NoResponse("the request is invalid", "refused"));
      return;
    }
    let response: HttpResponse | null = null;
    let failure: NodeJS.ErrnoException | null = null;
    const timer = setTimeout(() => {
      reject(new NoResponse(`no answer within ${timeoutMs / 1000} s`));
      stream.close(constants.NGHTTP2_CANCEL);
    }, timeoutMs);
    stream.on("response", ({ ":status": status = 0, ...rest }) => {
      response = { status, headers: rest, body: "" };
    });
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      if (!response) return;
      response.body = truncateText(response.body + chunk, RESPONSE_MAX);
      if (response.body.length === RESPONSE_MAX) stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.on("close", () => {
      clearTimeout(timer);
      if (response) resolve(response);
      else {
        // Node closes the streams of a GOAWAY with an error before it reports the GOAWAY.
        setImmediate(() => {
          const code = isBeyondLast(stream, connection)
            ? constants.NGHTTP2_REFUSED_STREAM
            : (stream.rstCode ?? 0);
          reject(faultOf(failure, code) ?? closeFault(failure));
        });
      }
    });
    stream.end(body);
  });
}

/** Whether a GOAWAY of the server says that it has not processed the stream. */
function isBeyondLast({ id }: ClientHttp2Stream, { lastStreamId }: Http2SessionState): boolean {
  return lastStreamId !== null && (id === undefined || id > lastStreamId);
}

function faultOf(error: NodeJS.ErrnoException | null, code: number): NoResponse | null {
  const refused = code === constants.NGHTTP2_REFUSED_STREAM || NOT_SENT.has(error?.code ?? "");
  return refused ? new NoResponse("the connection accepts no more requests", "unprocessed") : null;
}

/** Why a request on a session ended without a response. */
function closeFault(error: NodeJS.ErrnoException | null): NoResponse {
  // Node reports the session's error as the cause of the stream's.
  const cause = (error?.cause ?? error) as NodeJS.ErrnoException | null;
  return cause?.code?.startsWith("ERR_HTTP2_") === false
    ? describeConnectionError(cause)
    : new NoResponse("connection closed");
}
