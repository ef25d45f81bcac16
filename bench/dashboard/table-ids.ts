import type { Client } from "pg";

/** The highest id of a table; 0 without rows. */
export async function lastId(client: Client, table: string): Promise<number> {
  const { rows } = await client.query(`SELECT coalesce(max(id), 0)::float8 AS id FROM ${table}`);
  return rows[0].id;
}

/** Moves the sequence of a table behind its highest id. */
export async function moveSequence(client: Client, table: string): Promise<void> {
  await client.query(
    `SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table} HAVING max(id) > 0`,
  );
}
