import { join } from "node:path";
import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import { openMailFolder } from "./folder";
import type { Mailer } from "./mail";
import { openSmtp } from "./smtp";

/**
 * Opens the configured mailer: SMTP with SMTP_URL, otherwise files in `mail/` of the data folder with the
 * embedded database, and null with PostgreSQL.
 */
export async function openMail(parts: {
  config: Config;
  clock: Clock;
  log: Log;
}): Promise<Mailer | null> {
  const { config, clock, log } = parts;
  const from = config.MAIL_FROM;
  if (config.SMTP_URL !== undefined) return openSmtp(config.SMTP_URL, from);
  if (config.DATABASE_URL !== undefined) return null;
  return openMailFolder({ folder: join(config.DATA_DIR, "mail"), from, clock, log });
}
