import type { MigrationConnection } from "../../../src/platform/store/migration/stoppable-connection";
import type { Migration } from "../../../src/platform/store/migrations";
import { sample } from "./migrations";

/** Two migrations, each with what the schema shows of it. The second builds an index. */
export const TWO_MIGRATIONS: Migration[] = sample(
  {
    name: "1_first",
    script: 'CREATE TABLE "a" ("id" INT PRIMARY KEY);\nINSERT INTO "a" VALUES (1);',
  },
  {
    name: "2_second",
    script: 'ALTER TABLE "a" ADD COLUMN "b" TEXT;\nCREATE INDEX "a_b_idx" ON "a"("b");',
  },
);

/** What a database holds of {@link TWO_MIGRATIONS}. */
export interface Outcome {
  /** Names of the migrations that are recorded as finished. */
  recorded: string[];
  /** Names of the migrations whose changes the schema has. */
  applied: string[];
  /** Number of records without an end. */
  unfinished: number;
}

/** Both migrations are applied and recorded. */
export const COMPLETE: Outcome = {
  recorded: ["1_first", "2_second"],
  applied: ["1_first", "2_second"],
  unfinished: 0,
};

/** Looks at a database. */
export async function outcomeOf({ query }: MigrationConnection): Promise<Outcome> {
  const [found] = await query<{ history: boolean; first: boolean; second: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS history,
       to_regclass('a') IS NOT NULL AS first, to_regclass('a_b_idx') IS NOT NULL AS second`,
  );
  const rows = found?.history
    ? await query<{ name: string; done: boolean }>(
        `SELECT migration_name AS name, finished_at IS NOT NULL AND applied_steps_count = 1 AS done
           FROM _prisma_migrations ORDER BY migration_name`,
      )
    : [];
  return {
    recorded: rows.filter(({ done }) => done).map(({ name }) => name),
    applied: [...(found?.first ? ["1_first"] : []), ...(found?.second ? ["2_second"] : [])],
    unfinished: rows.filter(({ done }) => !done).length,
  };
}
