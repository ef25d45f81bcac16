import type { Sealer } from "../../core/sealer";
import type { RateLimits } from "../../platform/limits/rate-limits";
import type { Mailer } from "../../platform/mail/mail";
import type { Transaction } from "../../platform/store/store";
import type { RequestContext } from "../access/request-context";
import type { AuditDeps } from "../audit/entries/audit-entry";
import type { PasswordHasher } from "../passwords/password";
import type { SessionEvent, SessionEvents } from "../session-events/session-events";

/** An invitation to mail, for a background job. */
export interface InvitationMailJob {
  invitationId: number;
  /** The secret, sealed; absent in jobs of earlier versions, which create it when they send the mail. */
  sealedSecret?: string;
}

/** A change of a member's e-mail address. */
export interface MemberEmailChange {
  accountId: number;
  /** The old address, which is notified. */
  email: string;
}

/** How this deployment sends mail. */
export type MailWay = Mailer["kind"] | "none";

/** Dependencies of the functions of this module. */
export interface AccountDeps extends AuditDeps {
  sessionEvents: SessionEvents;
  /**
   * Ends what a member has derived from a role that it loses, who is removed or becomes a support member; runs in the
   * transaction that does. Returns what every node is told after the commit.
   */
  endDerived(query: Transaction["query"], memberId: number): Promise<SessionEvent[]>;
  limits: RateLimits;
  sealer: Sealer;
  mail: MailWay;
  passwordHasher: PasswordHasher;
  /** Public addresses of this deployment; the API's is known once the server listens. */
  endpoints: { api(): string; chat: string; turn: string };
  /**
   * Prepares the queue of invitations, before a transaction; the returned function enqueues one in it. Null if no mail is
   * configured. Throws Fault UNAVAILABLE.
   */
  openInvitationQueue:
    | (() => Promise<(transaction: Transaction, job: InvitationMailJob) => Promise<void>>)
    | null;
  /** As {@link openInvitationQueue}, for the notices to the old e-mail addresses of members. */
  openMemberEmailQueue:
    | (() => Promise<(transaction: Transaction, change: MemberEmailChange) => Promise<void>>)
    | null;
}

/** Context of the resolvers of this module. */
export interface AccountContext extends RequestContext {
  accounts: AccountDeps;
}
