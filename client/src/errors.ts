import type { ErrorCode } from "./generated/operations.ts";

/** The code of an error: one of the service's (docs/ERRORS.md), or one that arises in this package. */
export type SignalboxErrorCode =
  | ErrorCode
  /** The service did not answer: the network is down, or the request took too long. */
  | "NETWORK"
  /** The user or the browser does not allow the microphone, the camera or the screen. */
  | "PERMISSION_DENIED"
  /** There is no microphone or no camera. */
  | "DEVICE_NOT_FOUND"
  /** Another program uses the microphone or the camera. */
  | "DEVICE_IN_USE"
  /** The operation was aborted, or its object was closed before it ended. */
  | "CLOSED";

/** What a {@link SignalboxError} has besides its message. */
export interface SignalboxErrorOptions {
  fields?: Record<string, string[]> | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * The one class of errors that this package throws. Decide by `code`, and show or log `message`.
 *
 * @example
 * ```ts
 * import { SignalboxError } from "@signalbox/client";
 *
 * try {
 *   await signalbox.signals.send({ userId: 0 }, { hangUp: { callId: "one" } });
 * } catch (error) {
 *   if (!(error instanceof SignalboxError)) throw error;
 *   const { code, message, requestId, retryAfter } = error;
 *   console.log(code, message, requestId, retryAfter);
 * }
 * ```
 */
export class SignalboxError extends Error {
  override readonly name = "SignalboxError";
  /** The reasons of INVALID by the name of the input field; `base` stands for the input as a whole. */
  readonly fields: Readonly<Record<string, string[]>>;
  /** Id of the request in the log of the service; null if it did not answer. */
  readonly requestId: string | null;
  /** Time to wait before a retry, in seconds; null if the error names none. */
  readonly retryAfter: number | null;

  constructor(
    readonly code: SignalboxErrorCode,
    message: string,
    { fields = {}, requestId, retryAfter, cause }: SignalboxErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.fields = fields;
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
  }
}

/** An error of a GraphQL response, as much of it as this package reads. */
export interface ResponseError {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Longest wait that is taken from a response, in seconds. */
const RETRY_AFTER_MAX = 3_600;

/**
 * The error of a GraphQL response. It may come from a proxy as well, so nothing of it is relied on.
 * @param requestId of the response's header
 */
export function responseError(errors: unknown, requestId?: string): SignalboxError {
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  const { message, extensions } = recordOf(first);
  const { code, fields, retryAfter, requestId: own } = recordOf(extensions);
  return new SignalboxError(
    typeof code === "string" ? (code as SignalboxErrorCode) : "INTERNAL",
    typeof message === "string" ? message : "The response has neither data nor an error",
    {
      fields: fieldsOf(fields),
      retryAfter: secondsOf(retryAfter),
      requestId: typeof own === "string" ? own : requestId,
    },
  );
}

/** A time to wait, in seconds; undefined for anything else. */
export function secondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? Math.min(value, RETRY_AFTER_MAX) : undefined;
}

/** The reasons by field, without what is no list of texts. */
function fieldsOf(fields: unknown): Record<string, string[]> {
  const entries = Object.entries(recordOf(fields)).map(([name, reasons]) => {
    const texts = Array.isArray(reasons) ? reasons : [reasons];
    return [name, texts.filter((text): text is string => typeof text === "string")] as const;
  });
  return Object.fromEntries(entries.filter(([, texts]) => texts.length > 0));
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** An error of a request that got no response. @param cause what `fetch` has thrown */
export function networkError(cause: unknown): SignalboxError {
  return new SignalboxError("NETWORK", "The service does not answer", { cause });
}

/** Any exception as an error of this package. */
export function asSignalboxError(error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SignalboxError("INTERNAL", message, { cause: error });
}

/** The error of what was still running when it was aborted, or when its object was closed. */
export function closedError(): SignalboxError {
  return new SignalboxError("CLOSED", "Closed");
}

/** Whether the same request may succeed later (docs/ERRORS.md, Retries). */
export function isTransient(error: unknown): error is SignalboxError {
  if (!(error instanceof SignalboxError)) return false;
  return error.code === "NETWORK" || error.code === "LIMITED" || error.code === "UNAVAILABLE";
}
