/**
 * The token of the signed-in member: in memory and in the tab's sessionStorage, so that a reload keeps it. It is never
 * in a URL, and never in localStorage, which other tabs and later visits read.
 */
export const TOKEN_KEY = "signalbox.dashboard.token";

/** The token of this tab; null without one. */
export function storedToken(): string | null {
  try {
    return sessionStorage.getItem(TOKEN_KEY);
  } catch {
    // A browser may refuse storage; the token then lasts as long as the page.
    return null;
  }
}

/** Keeps the token of this tab; null forgets it. */
export function storeToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(TOKEN_KEY);
    else sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    // As above.
  }
}
