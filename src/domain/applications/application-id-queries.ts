import type { Store } from "../../platform/store/store";

/** Lists the ids of an account's applications, oldest first. */
export async function listApplicationIds(
  { db }: Pick<Store, "db">,
  accountId: number,
): Promise<number[]> {
  const where = { accountId: BigInt(accountId) };
  const rows = await db.application.findMany({
    where,
    orderBy: { id: "asc" },
    select: { id: true },
  });
  return rows.map(({ id }) => Number(id));
}
