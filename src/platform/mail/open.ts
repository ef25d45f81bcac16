import { join } from "node:path";
import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import type { Mailer } from "./mail";

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
  // Loaded lazily to save the memory of nodemailer on a node without mail.
  if (config.SMTP_URL !== undefined) {
    const { openSmtp } = require("./smtp") as typeof import("./smtp");
    return openSmtp(config.SMTP_URL, from);
  }
  if (config.DATABASE_URL !== undefined) return null;
  const { openMailFolder } = require("./folder") as typeof import("./folder");
  return openMailFolder({ folder: join(config.DATA_DIR, "mail"), from, clock, log });
}
