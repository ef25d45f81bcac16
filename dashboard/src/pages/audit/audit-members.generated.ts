// Generated from audit-members.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type AuditMembersQueryVariables = Exact<{ [key: string]: never; }>;


export type AuditMembersQuery = { account: { id: string, members: Array<{ id: string, email: string, isCurrent: boolean }> } };

export const AuditMembersDocument =
  "query AuditMembers{account{id members{id email isCurrent}}}" as Document<
    AuditMembersQuery,
    AuditMembersQueryVariables
  >;
