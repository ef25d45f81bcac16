import type { PrismaClient } from "./generated/client";

/**
 * Maximum wait and duration of Prisma transactions, in milliseconds; the same as the statement timeout.
 * Prisma's default wait of two seconds would cause errors under load.
 */
const TRANSACTION_OPTIONS = { maxWait: 30_000, timeout: 30_000 };

type Adapter = NonNullable<ConstructorParameters<typeof PrismaClient>[0]["adapter"]>;

/** The Prisma client of a store, which is created when it is first used: it takes 13 MB. */
export class LazyPrismaClient {
  private client: PrismaClient | undefined;

  /** @param toError converts an error of the adapter for the caller, as the store does for its statements */
  constructor(
    private readonly adapter: Adapter,
    private readonly toError: (error: unknown) => unknown,
  ) {}

  /** The client. */
  get db(): PrismaClient {
    this.client ??= createPrismaClient(this.adapter, this.toError);
    return this.client;
  }

  /** Closes the client, if there is one. */
  async close(): Promise<void> {
    await this.client?.$disconnect();
  }
}

/**
 * Creates a Prisma client.
 * @param toError converts an error of the adapter for the caller, as the store does for its statements
 */
function createPrismaClient(adapter: Adapter, toError: (error: unknown) => unknown): PrismaClient {
  const { PrismaClient } = require("./generated/client") as typeof import("./generated/client");
  const client = new PrismaClient({
    adapter,
    errorFormat: "minimal",
    transactionOptions: TRANSACTION_OPTIONS,
  });
  const extended = client.$extends({
    query: {
      async $allOperations({ args, query }) {
        try {
          return await query(args);
        } catch (error) {
          throw toError(error);
        }
      },
    },
  });
  // The extension changes no types: it adds no model, method or field.
  return extended as unknown as PrismaClient;
}
