// Generated from members.graphql by npm run generate.
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

/** The person to invite. */
export type InviteMemberInput = {
  /** E-mail address to mail the invitation to, and to sign in with. */
  email: string;
  /** The role of the future member. */
  role: AccountRole;
};

/** The member to remove. */
export type RemoveMemberInput = {
  /** The member. */
  id: string | number;
};

/** The invitation to revoke. */
export type RevokeInvitationInput = {
  /** The invitation. */
  id: string | number;
};

/** The new role of a member. */
export type UpdateMemberInput = {
  /** The member. */
  id: string | number;
  /** The role to set. */
  role: AccountRole;
};

export type MembersQueryVariables = Exact<{ [key: string]: never; }>;


export type MembersQuery = { account: { id: string, members: Array<{ id: string, email: string, role: AccountRole, isCurrent: boolean, createdAt: string, lastActivityAt: string | null }>, invitations: Array<{ id: string, email: string, role: AccountRole, invitedBy: string | null, createdAt: string, expiresAt: string }> } };

export type InviteMemberMutationVariables = Exact<{
  input: InviteMemberInput;
}>;


export type InviteMemberMutation = { inviteMember: { invitation: { id: string, email: string } } };

export type RevokeInvitationMutationVariables = Exact<{
  input: RevokeInvitationInput;
}>;


export type RevokeInvitationMutation = { revokeInvitation: { revokedInvitationId: string } };

export type UpdateMemberMutationVariables = Exact<{
  input: UpdateMemberInput;
}>;


export type UpdateMemberMutation = { updateMember: { member: { id: string, role: AccountRole } } };

export type RemoveMemberMutationVariables = Exact<{
  input: RemoveMemberInput;
}>;


export type RemoveMemberMutation = { removeMember: { removedMemberId: string } };

export const MembersDocument =
  "query Members{account{id members{id email role isCurrent createdAt lastActivityAt}invitations{id email role invitedBy createdAt expiresAt}}}" as Document<
    MembersQuery,
    MembersQueryVariables
  >;

export const InviteMemberDocument =
  "mutation InviteMember($input:InviteMemberInput!){inviteMember(input:$input){invitation{id email}}}" as Document<
    InviteMemberMutation,
    InviteMemberMutationVariables
  >;

export const RevokeInvitationDocument =
  "mutation RevokeInvitation($input:RevokeInvitationInput!){revokeInvitation(input:$input){revokedInvitationId}}" as Document<
    RevokeInvitationMutation,
    RevokeInvitationMutationVariables
  >;

export const UpdateMemberDocument =
  "mutation UpdateMember($input:UpdateMemberInput!){updateMember(input:$input){member{id role}}}" as Document<
    UpdateMemberMutation,
    UpdateMemberMutationVariables
  >;

export const RemoveMemberDocument =
  "mutation RemoveMember($input:RemoveMemberInput!){removeMember(input:$input){removedMemberId}}" as Document<
    RemoveMemberMutation,
    RemoveMemberMutationVariables
  >;
