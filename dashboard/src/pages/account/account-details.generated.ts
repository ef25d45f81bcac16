// Generated from account-details.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Changes to an account. Omitted fields stay unchanged. */
export type UpdateAccountInput = {
  /** URL of the account's own API server; null for that of this deployment. */
  apiEndpoint?: string | null | undefined;
  /** Host of the account's own chat server; null for that of this deployment. */
  chatEndpoint?: string | null | undefined;
  /** New name of the account. */
  name?: string | null | undefined;
  /** Host of the account's own STUN and TURN server; null for that of this deployment. */
  turnserverEndpoint?: string | null | undefined;
};

export type AccountDetailsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountDetailsQuery = { account: { id: string, name: string, accountKey: string, apiEndpoint: string | null, chatEndpoint: string | null, turnserverEndpoint: string | null } };

export type AccountDetailsFieldsFragment = { id: string, name: string, accountKey: string, apiEndpoint: string | null, chatEndpoint: string | null, turnserverEndpoint: string | null };

export type UpdateAccountMutationVariables = Exact<{
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { updateAccount: { account: { id: string, name: string, accountKey: string, apiEndpoint: string | null, chatEndpoint: string | null, turnserverEndpoint: string | null } } };

export const AccountDetailsDocument =
  "query AccountDetails{account{...AccountDetailsFields}}fragment AccountDetailsFields on Account{id name accountKey apiEndpoint chatEndpoint turnserverEndpoint}" as Document<
    AccountDetailsQuery,
    AccountDetailsQueryVariables
  >;

export const UpdateAccountDocument =
  "mutation UpdateAccount($input:UpdateAccountInput!){updateAccount(input:$input){account{...AccountDetailsFields}}}fragment AccountDetailsFields on Account{id name accountKey apiEndpoint chatEndpoint turnserverEndpoint}" as Document<
    UpdateAccountMutation,
    UpdateAccountMutationVariables
  >;
