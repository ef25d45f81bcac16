import { PRIVATE_NETWORK_CODE } from "./lookup";

/** An HTTP response. */
export interface HttpResponse {
  status: number;
  /** Keyed by lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, truncated to the requested maximum. */
  body: string;
}

/** A request got no response. The message may be shown to clients. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";

  /**
   * @param reason must not contain addresses or tokens
   * @param kind "unprocessed" if the server certainly did not process the request, so it can be retried at
   * once; "refused" if a retry would fail the same way
   */
  constructor(
    readonly reason: string,
    readonly kind: "unreachable" | "unprocessed" | "refused" = "unreachable",
  ) {
    super(reason);
  }
}

/** Describes a connection error without addresses. */
export function describeConnectionError(error: NodeJS.ErrnoException): NoResponse {
  if (error.code === PRIVATE_NETWORK_CODE) {
    return new NoResponse("the address leads into a private network", "refused");
  }
  return new NoResponse(`no connection (${error.code ?? "unknown reason"})`);
}
