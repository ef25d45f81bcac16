import { join } from "node:path";
import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import { openMailFolder } from "./folder";
import type { Mailer } from "./mail";
import { openSmtp } from "./smtp";

/**
 * How this node sends mail: by SMTP; without SMTP_URL on the embedded database into the data folder's
 * `mail/`; null where there is neither.
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
