import type { Connector } from "../../network/connector";

/** Who a provider says a token belongs to. */
export interface Verified {
  /** The provider's own id of the user, which never changes hands: what an identity is found by. */
  subject: string;
  fullName: string | null;
  email: string | null;
  /** In the form of E.164, of a phone sign-in. */
  phone: string | null;
}

/** Over which way a provider is asked, and for how long. */
export interface Asking {
  connector: Connector;
  /** Milliseconds that an answer may take. */
  timeoutMs: number;
}

/**
 * The token is not good for this application. The reason is for the operator's log: the client gets
 * one text whatever it is, and neither holds anything of the token.
 */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** The provider did not say whether the token is good: it was down, slow or out of its mind. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Tokens of every provider are visible ASCII and far shorter; nothing else is worth asking about. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** Lets a token pass that a provider can have issued. @throws Refused */
export function checkForm(token: string): void {
  if (!TOKEN.test(token)) throw new Refused("no token has this form");
}
