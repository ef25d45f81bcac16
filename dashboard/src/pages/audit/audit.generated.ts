// Generated from audit.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** What a member of an account may do. Each role may also do what those before it may. */
export type AccountRole =
  /** Also changes applications and their data. */
  | 'DEVELOPER'
  /** Also changes the account and its members, and deletes applications. */
  | 'OWNER'
  /** Reads, and sees no secret. */
  | 'SUPPORT';

/** What became of a mutation in the audit log. */
export type AuditOutcome =
  /** It ended with an error. It changed nothing unless errorCode is INTERNAL or UNAVAILABLE, after which the change may have taken effect. */
  | 'FAILED'
  /** It has begun. If it stays so, the node ended before it wrote the outcome, and the change may have taken effect. */
  | 'STARTED'
  /** It changed what it names. */
  | 'SUCCEEDED';

export type AuditEntriesQueryVariables = Exact<{
  applicationId?: string | number | null | undefined;
  memberId?: string | number | null | undefined;
  action?: string | null | undefined;
  since?: string | number | null | undefined;
  until?: string | number | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type AuditEntriesQuery = { account: { id: string, auditEntries: { nodes: Array<{ id: string, createdAt: string, memberId: string, email: string, role: AccountRole, action: string, outcome: AuditOutcome, errorCode: string | null, applicationId: string | null, ip: string, userAgent: string | null, requestId: string, targets: Array<{ name: string, id: string }>, fields: Array<{ name: string, value: string | null, cleared: boolean }> }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } };

export const AuditEntriesDocument =
  "query AuditEntries($applicationId:ID$memberId:ID$action:String$since:DateTime$until:DateTime$first:Int$after:String$last:Int$before:String){account{id auditEntries(applicationId:$applicationId memberId:$memberId action:$action since:$since until:$until first:$first after:$after last:$last before:$before){nodes{id createdAt memberId email role action outcome errorCode applicationId targets{name id}fields{name value cleared}ip userAgent requestId}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}" as Document<
    AuditEntriesQuery,
    AuditEntriesQueryVariables
  >;
