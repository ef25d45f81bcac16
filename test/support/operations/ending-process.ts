import type { Store, Transaction } from "../../../src/platform/store/store";

/** The process has ended: nothing runs any more. */
export class ProcessEnded extends Error {}

/** A bound on the steps of a procedure, so that the enumeration of its fault points ends. */
const STEPS_MAX = 200;

/**
 * A process that ends after a number of steps: 0 is before the first one. A step is a statement, a whole transaction, the
 * moment before its commit, or anything else that a test passes to {@link run}.
 */
export class EndingProcess {
  private steps = 0;
  private ended = false;

  /**
   * @param lastStep the step after which the process ends
   * @param end ends it, as far as others can tell
   */
  constructor(
    private readonly lastStep: number,
    private readonly end: () => Promise<void> = async () => undefined,
  ) {}

  /** Whether the process has ended; otherwise it had fewer steps. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** Runs a step. @throws ProcessEnded after the last one, whose result is lost */
  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.ended) throw new ProcessEnded();
    if (this.lastStep === 0) await this.stop();
    const step = ++this.steps;
    const result = await act();
    if (step === this.lastStep) await this.stop();
    return result;
  }

  private async stop(): Promise<never> {
    this.ended = true;
    await this.end();
    throw new ProcessEnded();
  }

  /** A store whose statements and transactions are steps of this process. */
  store(store: Store): Store {
    return {
      ...store,
      db: this.client(store.db),
      query: (statement, values) => this.run(() => store.query(statement, values)),
      execute: (text, values) => this.run(() => store.execute(text, values)),
      transaction: (act) =>
        this.run(() =>
          store.transaction(async (open) => {
            const result = await act(this.transaction(open));
            await this.run(async () => undefined);
            return result;
          }),
        ),
    };
  }

  private transaction(open: Transaction): Transaction {
    return {
      ...open,
      query: (statement, values) => this.run(() => open.query(statement, values)),
      execute: (text, values) => this.run(() => open.execute(text, values)),
      prisma: async () => this.client(await open.prisma()),
    };
  }

  /** The Prisma client with each operation as a step. */
  private client<Client extends object>(client: Client): Client {
    const operations = (model: object) =>
      new Proxy(model, {
        get: (target, name) => {
          const operation: unknown = Reflect.get(target, name);
          if (typeof operation !== "function") return operation;
          return (...values: unknown[]) =>
            this.run(async () => Reflect.apply(operation, target, values));
        },
      });
    return new Proxy(client, {
      get: (target, name) => {
        const model: unknown = Reflect.get(target, name);
        return typeof model === "object" && model !== null ? operations(model) : model;
      },
    });
  }
}

/**
 * Lets a process end after each of its steps in turn.
 * @param act runs the process and checks what it leaves
 * @returns the number of steps
 */
export async function afterEachStep(
  act: (lastStep: number) => Promise<{ hasEnded: boolean }>,
): Promise<number> {
  for (let lastStep = 0; lastStep <= STEPS_MAX; lastStep++) {
    const { hasEnded } = await act(lastStep);
    if (!hasEnded) return lastStep - 1;
  }
  throw new Error(`the procedure has more than ${STEPS_MAX} steps`);
}
