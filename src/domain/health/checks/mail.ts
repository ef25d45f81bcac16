import { systemClock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { openLog } from "../../../core/log";
import { openMail } from "../../../platform/mail/open";
import { errorMessage } from "../../../platform/store/error-properties";
import { type Finding, failure, ok, warning } from "./finding";

const MAIL = "mail";

/** Checks that mail can be sent, and reports where it goes. */
export async function checkMail(config: Config): Promise<Finding[]> {
  const mailer = await openMail({ config, clock: systemClock, log: openLog("silent") });
  if (mailer === null) {
    const detail = "no mail is sent: users cannot reset a forgotten password";
    return [warning(MAIL, detail, "Set SMTP_URL.")];
  }
  try {
    await mailer.check();
  } catch (error) {
    const fix =
      config.SMTP_URL === undefined
        ? "Make the server's user the owner of the data folder, or set SMTP_URL."
        : "Start the mail server, or correct SMTP_URL: host, port, user, password, smtps for TLS.";
    return [failure(MAIL, errorMessage(error), fix)];
  } finally {
    await mailer.close();
  }
  if (config.SMTP_URL === undefined) {
    return [ok(MAIL, "written to mail/ in the data folder, not sent: SMTP_URL is not set")];
  }
  if (/@localhost>?$/.test(config.MAIL_FROM)) {
    const detail = `the SMTP server accepts mail, but other servers refuse the sender ${config.MAIL_FROM}`;
    return [warning(MAIL, detail, "Set MAIL_FROM to an address of your own domain.")];
  }
  return [ok(MAIL, "the SMTP server accepts mail")];
}
