import { PRIVATE_NETWORK } from "./lookup";

/** What a server answered. */
export interface Answer {
  status: number;
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its beginning, where it is longer than what was asked for. */
  body: string;
}

/** Why there is no answer, in words that may be shown. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";

  /**
   * @param reason without addresses, tokens or what an error repeats of them
   * @param fault "unprocessed" where the service certainly did not begin with it, so that it may be
   * sent again at once; "refused" where another attempt would end the same
   */
  constructor(
    readonly reason: string,
    readonly fault: "unreachable" | "unprocessed" | "refused" = "unreachable",
  ) {
    super(reason);
  }
}

/** Why a connection could not be used, in words that hold no address. */
export function connectionFault(error: NodeJS.ErrnoException): Unanswered {
  if (error.code === PRIVATE_NETWORK) {
    return new Unanswered("the address leads into a private network", "refused");
  }
  return new Unanswered(`no connection (${error.code ?? "unknown reason"})`);
}
