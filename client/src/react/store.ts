import { useSyncExternalStore } from "react";

/**
 * What a hook shows of an object of this package: an immutable snapshot, which is read again after each event. All
 * components that show the same object share one store, so that a component that is mounted twice, as StrictMode does,
 * adds nothing but a callback.
 */
export class Store<Snapshot> {
  readonly #connect: (changed: () => void) => void;
  readonly #read: () => Snapshot;
  readonly #callbacks = new Set<() => void>();
  #snapshot: Snapshot;
  #isConnected = false;

  /**
   * @param connect follows the object's events; it is called once, with the first component that is mounted, and its
   *   listeners stay as long as the object
   * @param read reads the object
   */
  constructor(connect: (changed: () => void) => void, read: () => Snapshot) {
    this.#connect = connect;
    this.#read = read;
    this.#snapshot = read();
  }

  readonly getSnapshot = (): Snapshot => this.#snapshot;

  readonly subscribe = (callback: () => void): (() => void) => {
    if (!this.#isConnected) {
      this.#isConnected = true;
      this.#connect(() => this.#changed());
      // Something may have changed since the component was rendered.
      this.#changed();
    }
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  };

  #changed(): void {
    this.#snapshot = this.#read();
    for (const callback of [...this.#callbacks]) callback();
  }
}

/** Makes one store for each object, which goes with it. */
export function storesOf<Source extends object, Snapshot>(
  make: (source: Source) => Store<Snapshot>,
): (source: Source) => Store<Snapshot> {
  const stores = new WeakMap<Source, Store<Snapshot>>();
  return (source) => {
    const store = stores.get(source) ?? make(source);
    stores.set(source, store);
    return store;
  };
}

/** The snapshot of a store, which renders the component again when it changes. */
export function useStore<Snapshot>({
  subscribe,
  getSnapshot,
}: Pick<Store<Snapshot>, "subscribe" | "getSnapshot">): Snapshot {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

/** The store of no object. */
export const emptyStore: Store<null> = new Store(
  () => {},
  () => null,
);
