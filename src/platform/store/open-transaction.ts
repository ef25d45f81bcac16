import type { AsyncLocalStorage } from "node:async_hooks";
import type { Prisma, PrismaClient } from "./generated/client";
import type { LazyPrismaClient } from "./prisma-client";
import type { Transaction } from "./store";

type PrismaTransaction = Prisma.TransactionClient;

/** What {@link runInTransaction} needs to use one connection for statements and for Prisma. */
export interface OpenConnection<Connection> extends Pick<Transaction, "query" | "execute"> {
  prisma: Pick<LazyPrismaClient, "db">;
  /**
   * While it holds a connection, Prisma's adapter begins a transaction on that instead of taking a connection of
   * its own.
   */
  transactionScope: AsyncLocalStorage<Connection>;
  /** The connection of the open transaction, on which Prisma can neither begin nor end a transaction. */
  transactionConnection: Connection;
}

/**
 * Runs `act` with the methods of an open transaction.
 * @returns the result, and a function to call after the caller has committed
 * @throws any error of `act`; the caller then rolls back
 */
export async function runInTransaction<T, Connection>(
  {
    query,
    execute,
    prisma: client,
    transactionScope,
    transactionConnection,
  }: OpenConnection<Connection>,
  act: (transaction: Transaction) => Promise<T>,
): Promise<{ result: T; committed: () => void }> {
  const callbacks: Array<() => void> = [];
  let prisma: OpenPrismaTransaction | undefined;
  try {
    const result = await act({
      query,
      execute,
      prisma: () => {
        prisma ??= transactionScope.run(
          transactionConnection,
          () => new OpenPrismaTransaction(client.db),
        );
        return prisma.client;
      },
      onCommit: (callback) => void callbacks.push(callback),
    });
    await prisma?.end();
    const committed = () => {
      for (const callback of callbacks) callback();
    };
    return { result, committed };
  } catch (error) {
    await prisma?.end().catch(() => {});
    throw error;
  }
}

/** A transaction of the Prisma client that stays open until `end`. */
class OpenPrismaTransaction {
  readonly client: Promise<PrismaTransaction>;
  private readonly ended: Promise<void>;
  private release: () => void = () => {};

  constructor(db: PrismaClient) {
    const released = new Promise<void>((resolve) => {
      this.release = resolve;
    });
    let ended!: Promise<void>;
    this.client = new Promise<PrismaTransaction>((resolve, reject) => {
      ended = db.$transaction((client) => {
        resolve(client);
        return released;
      });
      ended.catch(reject);
    });
    this.ended = ended;
  }

  /** Ends Prisma's part. @throws if Prisma has ended it before, because of its time-out */
  end(): Promise<void> {
    this.release();
    return this.ended;
  }
}
