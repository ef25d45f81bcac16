/** The token of a member of an account; the prefix keeps it apart from the tokens of sessions. */
const MEMBER_TOKEN = /^acct_[A-Za-z0-9_-]{43}$/;

/** Returns whether a token has the form of a member's token. */
export function isMemberToken(token: string | undefined): token is string {
  return token !== undefined && MEMBER_TOKEN.test(token);
}

/** Prefix of API keys, by which scanners find keys in published code. */
export const API_KEY_PREFIX = "sbk_";
const API_KEY = /^sbk_[A-Za-z0-9_-]{43}$/;

/** Returns whether a text has the form of an API key. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** Prefix of the tokens of guests by link, which keeps them apart from the tokens of sessions. */
export const LINK_GUEST_PREFIX = "conf_";
const LINK_GUEST_TOKEN = /^conf_[A-Za-z0-9_-]{43}$/;

/** Returns whether a token has the form of the token of a guest by link. */
export function isLinkGuestToken(token: string | undefined): token is string {
  return token !== undefined && LINK_GUEST_TOKEN.test(token);
}
