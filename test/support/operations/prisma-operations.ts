import type { Store } from "../../../src/platform/store/store";

/**
 * Calls `around` in place of each operation of a store's Prisma client outside of transactions.
 * @param around takes the operation's name, such as `account.findUnique`, and runs it
 * @returns a function that ends this
 */
export function interceptOperations(
  store: Store,
  around: (name: string, run: () => Promise<unknown>) => Promise<unknown>,
): () => void {
  const { db } = store;
  // A store creates its client when it is first read, by a getter.
  const replace = (value: Store["db"]) =>
    Object.defineProperty(store, "db", { value, configurable: true, enumerable: true });
  const intercepted = new Proxy(db, {
    get(client, model) {
      const operations: unknown = Reflect.get(client, model);
      if (typeof operations !== "object" || operations === null) return operations;
      return new Proxy(operations, {
        get(target, operation) {
          const run: unknown = Reflect.get(target, operation);
          if (typeof run !== "function") return run;
          return (...args: unknown[]) =>
            around(`${String(model)}.${String(operation)}`, () => run.apply(target, args));
        },
      });
    },
  });
  replace(intercepted);
  return () => void replace(db);
}
