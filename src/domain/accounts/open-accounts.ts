import type { Jobs } from "../../platform/jobs/jobs";
import type { Mailer } from "../../platform/mail/mail";
import type { Transaction } from "../../platform/store/store";
import type { AccountDeps, InvitationMailJob, MemberEmailChange } from "./account-deps";
import { MEMBER_EMAIL_JOB, sendMemberEmailNotice } from "./email-change-mail";
import { EARLIER_INVITATION_JOB, INVITATION_JOB, sendInvitationMail } from "./invitations";

/** Opens accounts, and starts the jobs that send the mails of this module. */
export function openAccounts(
  deps: Omit<AccountDeps, "mail" | "openInvitationQueue" | "openMemberEmailQueue"> & {
    jobs: Jobs;
    mailer: Mailer | null;
  },
): AccountDeps {
  const { jobs, mailer } = deps;
  const openQueue = async (name: string) => {
    const enqueue = await jobs.openQueues(name);
    return (transaction: Transaction, job: object) => enqueue(transaction, name, job);
  };
  if (mailer) {
    for (const name of [INVITATION_JOB, EARLIER_INVITATION_JOB]) {
      jobs.work(name, (job: InvitationMailJob) => sendInvitationMail(deps, mailer, job));
    }
    jobs.work(MEMBER_EMAIL_JOB, (change: MemberEmailChange) =>
      sendMemberEmailNotice(deps, mailer, change),
    );
  }
  return {
    ...deps,
    mail: mailer?.kind ?? "none",
    openInvitationQueue: mailer && (() => openQueue(INVITATION_JOB)),
    openMemberEmailQueue: mailer && (() => openQueue(MEMBER_EMAIL_JOB)),
  };
}
