import type { Jobs } from "../../platform/jobs/jobs";
import type { Mailer } from "../../platform/mail/mail";
import type { EmailChange } from "../users/user-deps";
import { EMAIL_CHANGE_JOB, sendEmailChangeNotice } from "./email-change-mail";
import { RESET_JOB, sendResetMail } from "./password-reset";
import type { PasswordResetDeps, ResetRequest } from "./password-reset-deps";

/** Opens password resets, and starts the jobs that send the mails of this module. */
export function openPasswordReset(
  deps: Omit<PasswordResetDeps, "deliverReset"> & { jobs: Jobs; mailer: Mailer | null },
): PasswordResetDeps {
  const { jobs, mailer } = deps;
  if (mailer) {
    const applicationOf = async ({ applicationId }: ResetRequest | EmailChange) => applicationId;
    const options = { applicationOf };
    jobs.work(RESET_JOB, (request: ResetRequest) => sendResetMail(deps, mailer, request), options);
    jobs.work(
      EMAIL_CHANGE_JOB,
      (change: EmailChange) => sendEmailChangeNotice(deps, mailer, change),
      options,
    );
  }
  return { ...deps, deliverReset: mailer && ((request) => jobs.enqueue(RESET_JOB, request)) };
}
