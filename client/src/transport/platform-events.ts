/** What the browser tells of the network and the page; nothing of it exists in Node.js. */
export interface PlatformEvents {
  /** Whether the network is certainly down. */
  readonly isOffline: boolean;
  /** Calls back when the network has returned or the page runs again. @returns a function that stops */
  onReturn(callback: () => void): () => void;
}

/** Events of `window` and `document` after which a connection may be dead or possible again. */
const RETURNS = [
  ["window", "online"],
  // From the back/forward cache.
  ["window", "pageshow"],
  // After a freeze (Page Lifecycle).
  ["document", "resume"],
  ["document", "visibilitychange"],
] as const;

/** Calls back on an event of `window`, where there is one. @returns a function that stops */
export function onWindow(name: "online" | "pagehide", callback: () => void): () => void {
  // React Native has a `window` without events.
  globalThis.window?.addEventListener?.(name, callback);
  return () => globalThis.window?.removeEventListener?.(name, callback);
}

/** The events of the browser that runs this, if one does. */
export const platformEvents: PlatformEvents = {
  get isOffline() {
    return globalThis.navigator?.onLine === false;
  },
  onReturn(callback) {
    const listener = () => {
      if (globalThis.document?.visibilityState !== "hidden") callback();
    };
    const bound = RETURNS.map(([target, name]) => [globalThis[target], name] as const);
    // React Native has a `window` without events.
    for (const [target, name] of bound) target?.addEventListener?.(name, listener);
    return () => {
      for (const [target, name] of bound) target?.removeEventListener?.(name, listener);
    };
  },
};
