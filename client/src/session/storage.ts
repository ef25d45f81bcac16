/** Keeps the token between visits. Methods may be asynchronous, as React Native's storages are. */
export interface TokenStorage {
  /** @returns the token that was stored last, or null */
  get(): string | null | Promise<string | null>;
  set(token: string): void | Promise<void>;
  remove(): void | Promise<void>;
}

/** Keeps the token in memory alone; a new page asks the source again. */
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
