import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { type PlanTree, planNodes } from "../../tools/explain";

/** Interval at which the end of a plan is looked for, and how often, in milliseconds. */
const LOOK_MS = 20;
const LOOKS = 500;
/** Time in which all sessions have read the configuration, in milliseconds. */
const SETTLE_MS = 500;

/** A statement that the service executed. */
export interface ExecutedStatement {
  text: string;
  /** The plan as EXPLAIN writes it. */
  plan: PlanTree;
  /** Rows that its scans read, of tables and of indexes. */
  rows: number;
}

/** Prepares PostgreSQL, which must then be restarted, to log the plans of what it executes when that is turned on. */
export async function preparePlans(client: Client): Promise<void> {
  for (const setting of [
    "session_preload_libraries = 'auto_explain'",
    "logging_collector = on",
    "log_line_prefix = ''",
    "log_rotation_age = 0",
    "log_rotation_size = 0",
  ]) {
    await client.query(`ALTER SYSTEM SET ${setting}`);
  }
}

/** Reads the plans that PostgreSQL logs. */
export class PlanLog {
  private marks = 0;
  /** Up to where the log was read, in bytes. */
  private offset = 0;

  private constructor(private readonly client: Client) {}

  /** Turns the log of plans on, for all sessions but this connection. */
  static async open(client: Client): Promise<PlanLog> {
    for (const setting of [
      "log_min_duration = 0",
      "log_analyze = on",
      "log_timing = off",
      "log_format = 'json'",
    ]) {
      await client.query(`ALTER SYSTEM SET auto_explain.${setting}`);
    }
    await client.query("SELECT pg_reload_conf()");
    await client.query("SET auto_explain.log_min_duration = -1");
    const log = new PlanLog(client);
    await wait(SETTLE_MS);
    return log;
  }

  /** What PostgreSQL executes while something runs, also for others. */
  async during(act: () => Promise<unknown>): Promise<ExecutedStatement[]> {
    await this.readToMark();
    await act();
    return readPlans(await this.readToMark());
  }

  /** Writes a mark behind all that was logged. @returns the log since the last mark */
  private async readToMark(): Promise<string> {
    const mark = `mark ${++this.marks} of the benchmark`;
    await this.client.query(`DO $$ BEGIN RAISE LOG '${mark}'; END $$`);
    const chunks: Buffer[] = [];
    for (let look = 0; look < LOOKS; look++) {
      const { rows } = await this.client.query<{ bytes: Buffer }>(
        "SELECT pg_read_binary_file(pg_current_logfile(), $1, 100000000) AS bytes",
        [this.offset],
      );
      const bytes = rows[0]?.bytes ?? Buffer.alloc(0);
      this.offset += bytes.length;
      chunks.push(bytes);
      const text = Buffer.concat(chunks).toString();
      if (text.includes(mark)) return text;
      await wait(LOOK_MS);
    }
    throw new Error("PostgreSQL writes no log");
  }
}

/** The plans in a part of the log. A message continues in lines that begin with a tab. */
function readPlans(text: string): ExecutedStatement[] {
  const messages = text.split(/\n(?!\t)/);
  return messages.flatMap((message) => {
    const at = message.indexOf("plan:\n");
    if (!message.startsWith("LOG:  duration:") || at < 0) return [];
    const found = JSON.parse(message.slice(at + "plan:\n".length)) as {
      "Query Text": string;
      Plan: PlanTree;
    };
    const scans = planNodes(found.Plan).filter(
      ({ relation, type }) => relation !== undefined || type.startsWith("Bitmap"),
    );
    const rows = scans.reduce((sum, scan) => sum + scan.rows, 0);
    return [{ text: found["Query Text"], plan: found.Plan, rows }];
  });
}
