// Generated from account.graphql by npm run generate.
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

export type CurrentAccountQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentAccountQuery = { currentMember: { id: string, email: string, role: AccountRole }, account: { id: string, name: string, applications: Array<{ id: string, name: string }> } };

export const CurrentAccountDocument =
  "query CurrentAccount{currentMember{id email role}account{id name applications{id name}}}" as Document<
    CurrentAccountQuery,
    CurrentAccountQueryVariables
  >;
