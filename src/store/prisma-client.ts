import type { Log } from "../core/log";
import { PrismaClient } from "./generated/client";
import { toQueryError } from "./query-error";

/**
 * Maximum wait and duration of Prisma transactions, in milliseconds; the same as the statement timeout.
 * Prisma's default wait of two seconds would cause errors under load.
 */
const TRANSACTION_OPTIONS = { maxWait: 30_000, timeout: 30_000 };

/** Creates a Prisma client whose operations reject as `query` of the store does: with a Fault if it has no database. */
export function createPrismaClient(
  adapter: NonNullable<ConstructorParameters<typeof PrismaClient>[0]["adapter"]>,
  log: Log,
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
          throw toQueryError(error, log);
        }
      },
    },
  });
  // The extension changes no types: it adds no model, method or field.
  return extended as unknown as PrismaClient;
}
