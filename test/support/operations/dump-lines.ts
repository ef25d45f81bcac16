import { dumpDatabase } from "../../../src/platform/backup/dump";
import { linesOf } from "../../../src/platform/backup/lines";
import type { MigrationConnection } from "../../../src/platform/store/migration/stoppable-connection";
import { openMigrationConnection } from "../../../src/platform/store/migration-connection";

/** All rows of a database by table, as a dump has them, sorted; and what is in no table, under an empty name. */
export async function contentOf(connection: MigrationConnection): Promise<Map<string, string[]>> {
  const content = new Map<string, string[]>();
  let table = "";
  for await (const line of linesOf(dumpDatabase(connection))) {
    if (line.startsWith('{"table":')) table = JSON.parse(line).table;
    const key = line.startsWith("[") ? table : "";
    const lines = content.get(key) ?? [];
    content.set(key, lines);
    lines.push(line);
  }
  for (const lines of content.values()) lines.sort();
  return content;
}

/** The content of a database that no process uses. */
export async function storedContent(
  environment: Record<string, string>,
): Promise<Map<string, string[]>> {
  const { DATA_DIR = "", DATABASE_URL } = environment;
  const { connection, close } = await openMigrationConnection({
    DATA_DIR,
    DATABASE_URL: DATABASE_URL || undefined,
  });
  return contentOf(connection).finally(close);
}
