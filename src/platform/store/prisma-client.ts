import { PrismaClient } from "./generated/client";

/**
 * Maximum wait and duration of Prisma transactions, in milliseconds; the same as the statement timeout.
 * Prisma's default wait of two seconds would cause errors under load.
 */
const TRANSACTION_OPTIONS = { maxWait: 30_000, timeout: 30_000 };

/**
 * Creates a Prisma client.
 * @param toError converts an error of the adapter for the caller, as the store does for its statements
 */
export function createPrismaClient(
  adapter: NonNullable<ConstructorParameters<typeof PrismaClient>[0]["adapter"]>,
  toError: (error: unknown) => unknown,
): PrismaClient {
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
