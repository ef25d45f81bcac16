import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { openLog } from "../../core/log";
import { openMail } from "../../mail/open";
import { messageOf } from "../../store/error-parts";
import { type Finding, ok, warning, wrong } from "./finding";

const MAIL = "mail";

/** Whether mail can be handed over, and where it goes. */
export async function checkMail(config: Config): Promise<Finding[]> {
  const mailer = await openMail({ config, clock: systemClock, log: openLog("silent") });
  if (mailer === null) {
    const detail = "is sent nowhere: whoever forgot a password cannot set a new one";
    return [warning(MAIL, detail, "Set SMTP_URL.")];
  }
  try {
    await mailer.check();
  } catch (error) {
    const mend =
      config.SMTP_URL === undefined
        ? "Let the user who runs the server own the data folder, or set SMTP_URL."
        : "Start the mail server, or correct SMTP_URL: host, port, user, password, smtps for TLS.";
    return [wrong(MAIL, messageOf(error), mend)];
  } finally {
    await mailer.close();
  }
  if (config.SMTP_URL === undefined) {
    return [ok(MAIL, "is written to the data folder's mail/ and not sent: SMTP_URL is not set")];
  }
  if (/@localhost>?$/.test(config.MAIL_FROM)) {
    const detail = `the SMTP server takes it, but others refuse a sender ${config.MAIL_FROM}`;
    return [warning(MAIL, detail, "Set MAIL_FROM to an address of your own domain.")];
  }
  return [ok(MAIL, "the SMTP server takes it")];
}
