/** Keeps the token between visits. Methods may be asynchronous, as React Native's storages are. */
export interface TokenStorage {
  /** @returns the token that was stored last, or null */
  get(): string | null | Promise<string | null>;
  /** Stores a token in place of the last one. */
  set(token: string): void | Promise<void>;
  /** Forgets the token. */
  remove(): void | Promise<void>;
}

/**
 * Keeps the token only in memory; a new page asks the source again.
 *
 * @example
 * ```ts
 * import { memoryStorage, openConnection, sessionFromUrl } from "@signalbox/client";
 *
 * const { close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: sessionFromUrl("/session"),
 *   storage: memoryStorage(),
 * });
 * close();
 * ```
 */
export function memoryStorage(): TokenStorage {
  let stored: string | null = null;
  return {
    get: () => stored,
    set(token) {
      stored = token;
    },
    remove() {
      stored = null;
    },
  };
}

/**
 * Keeps the token in a `Storage` of the browser. `sessionStorage` keeps it for the tab, `localStorage` for all tabs;
 * any script of the page's origin can read both.
 *
 * @example
 * ```ts
 * import { openConnection, sessionFromUrl, webStorage } from "@signalbox/client";
 *
 * const { session, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: sessionFromUrl("/session"),
 *   storage: webStorage(sessionStorage),
 * });
 * await session.token();
 * console.log(sessionStorage.getItem("signalbox.token"));
 * close();
 * ```
 * @param storage `localStorage` or `sessionStorage`
 * @param key name of the entry
 */
export function webStorage(storage: Storage, key = "signalbox.token"): TokenStorage {
  return {
    get: () => storage.getItem(key),
    set: (token) => storage.setItem(key, token),
    remove: () => storage.removeItem(key),
  };
}
