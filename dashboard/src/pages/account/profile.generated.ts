// Generated from profile.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Changes to the calling member. Omitted fields stay unchanged. */
export type UpdateCurrentMemberInput = {
  /** New e-mail address to sign in with. Requires oldPassword. */
  email?: string | null | undefined;
  /** The current password. */
  oldPassword?: string | null | undefined;
  /** New password. Requires oldPassword and ends the member's other sessions. */
  password?: string | null | undefined;
};

export type UpdateCurrentMemberMutationVariables = Exact<{
  input: UpdateCurrentMemberInput;
}>;


export type UpdateCurrentMemberMutation = { updateCurrentMember: { member: { id: string, email: string } } };

export const UpdateCurrentMemberDocument =
  "mutation UpdateCurrentMember($input:UpdateCurrentMemberInput!){updateCurrentMember(input:$input){member{id email}}}" as Document<
    UpdateCurrentMemberMutation,
    UpdateCurrentMemberMutationVariables
  >;
