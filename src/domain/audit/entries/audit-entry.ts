import type { Clock } from "../../../core/clock";
import type { Log } from "../../../core/log";
import type { AccountViewer, MemberRole } from "../../../core/viewer";
import type { AuditOutcome } from "../../../platform/store/generated/enums";
import type { Store } from "../../../platform/store/store";
import type { RequestContext } from "../../access/request-context";

/** Dependencies of the functions of this module. */
export interface AuditDeps {
  store: Store;
  clock: Clock;
  log: Log;
}

/** Context of the operations that are recorded, and of the resolvers of this module. */
export interface AuditContext extends RequestContext {
  audit: AuditDeps;
}

/** An object that a mutation names or created. */
export interface AuditTarget {
  /** Name of the input field, or of the object's type with `Id`. */
  name: string;
  id: string;
}

/** A field of a mutation's input. */
export interface AuditField {
  /** Path of the field. */
  name: string;
  /** Null if the value is not recorded. */
  value: string | null;
  /** Whether the field was null. */
  cleared: boolean;
}

/** The API key that a backend acted by. */
export interface AuditedApiKey {
  id: number;
  /** Its name at that time. */
  name: string;
}

/** The member who acts or, for an API key, who created it. */
export interface AuditActor
  extends Pick<AccountViewer, "accountId" | "memberId" | "email" | "role"> {
  /** Null if the member acts in person. */
  apiKey: AuditedApiKey | null;
}

/** What a mutation's arguments leave in an entry. */
export interface RecordedInput {
  targets: AuditTarget[];
  fields: AuditField[];
}

/** An entry of the audit log. */
export interface AuditEntry extends RecordedInput {
  id: number;
  applicationId: number | null;
  memberId: number;
  /** The member's e-mail address and role at that time. */
  email: string;
  role: MemberRole;
  apiKey: AuditedApiKey | null;
  action: string;
  outcome: AuditOutcome;
  errorCode: string | null;
  ip: string;
  userAgent: string | null;
  requestId: string;
  createdAt: Date;
}
