import type { Statement, Transaction } from "../../../platform/store/store";

/** Statements that count what a user has, in the transaction that adds to it: then the limit holds whatever races. */

type Query = Pick<Transaction, "query">;

/** Seeds of the advisory locks. Those of seats and of conferences differ, so that neither waits for the other. */
const SEEDS = { seats: 5292, conferences: 5293 } as const;

/** A statement of its own: one that counted as well would not see what was committed while it waited. */
const LOCK_USER: Statement = {
  name: "lock_user_of_conferences",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1::text, $2::bigint))::text AS locked",
};

const SEATS: Statement = {
  name: "conference_seats_of_user",
  text: `SELECT count(*) AS count FROM conference_members WHERE user_id = $1 AND left_at IS NULL`,
};

const OPEN: Statement = {
  name: "open_conferences_of_user",
  text: `SELECT count(*) AS count FROM conferences WHERE created_by = $1 AND closed_at IS NULL`,
};

/** Counts the seats of a user in all conferences, which cannot grow until the transaction ends. */
export function lockSeats(transaction: Query, userId: number): Promise<number> {
  return lockAndCount(transaction, SEATS, userId, SEEDS.seats);
}

/** Counts the open conferences that a user has created, which cannot grow until the transaction ends. */
export function lockOpenConferences(transaction: Query, userId: number): Promise<number> {
  return lockAndCount(transaction, OPEN, userId, SEEDS.conferences);
}

async function lockAndCount(
  { query }: Query,
  statement: Statement,
  userId: number,
  seed: number,
): Promise<number> {
  await query(LOCK_USER, [String(userId), seed]);
  const [row] = await query<{ count: number }>(statement, [userId]);
  return row?.count ?? 0;
}
