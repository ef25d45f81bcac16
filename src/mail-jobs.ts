import type {
  AccountDeps,
  InvitationMailJob,
  MemberEmailChange,
} from "./domain/accounts/account-deps";
import { MEMBER_EMAIL_JOB, sendMemberEmailNotice } from "./domain/accounts/email-change-mail";
import { INVITATION_JOB, sendInvitationMail } from "./domain/accounts/invitations";
import { EMAIL_CHANGE_JOB, sendEmailChangeNotice } from "./domain/password-reset/email-change-mail";
import { RESET_JOB, sendResetMail } from "./domain/password-reset/password-reset";
import type { PasswordResetDeps, ResetRequest } from "./domain/password-reset/password-reset-deps";
import type { EmailChange, UserDeps } from "./domain/users/user-deps";
import type { Platform } from "./open-platform";

/** What the domain modules send mail with. */
type MailQueues = Pick<AccountDeps, "openInvitationQueue" | "openMemberEmailQueue"> &
  Pick<PasswordResetDeps, "deliverReset"> &
  Pick<UserDeps, "deliverEmailChange">;

/** The queues of mails; null for each kind without a mail server. */
export function mailQueues({ jobs, mailer }: Pick<Platform, "jobs" | "mailer">): MailQueues {
  return {
    deliverReset: mailer && ((request) => jobs.enqueue(RESET_JOB, request)),
    openInvitationQueue:
      mailer &&
      (async () => {
        const enqueue = await jobs.openQueues(INVITATION_JOB);
        return (transaction, job) => enqueue(transaction, INVITATION_JOB, job);
      }),
    deliverEmailChange: mailer && ((change) => jobs.enqueue(EMAIL_CHANGE_JOB, change)),
    openMemberEmailQueue:
      mailer &&
      (async () => {
        const enqueue = await jobs.openQueues(MEMBER_EMAIL_JOB);
        return (transaction, change) => enqueue(transaction, MEMBER_EMAIL_JOB, change);
      }),
  };
}

/** Starts the jobs that send the mails of {@link mailQueues}. */
export function workMailJobs(
  { jobs, mailer }: Pick<Platform, "jobs" | "mailer">,
  users: AccountDeps & PasswordResetDeps,
): void {
  if (!mailer) return;
  const applicationOf = async ({ applicationId }: ResetRequest | EmailChange) => applicationId;
  const options = { applicationOf };
  jobs.work(RESET_JOB, (request: ResetRequest) => sendResetMail(users, mailer, request), options);
  jobs.work(
    EMAIL_CHANGE_JOB,
    (change: EmailChange) => sendEmailChangeNotice(users, mailer, change),
    options,
  );
  jobs.work(INVITATION_JOB, (job: InvitationMailJob) => sendInvitationMail(users, mailer, job));
  jobs.work(MEMBER_EMAIL_JOB, (change: MemberEmailChange) =>
    sendMemberEmailNotice(users, mailer, change),
  );
}
