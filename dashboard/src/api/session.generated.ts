// Generated from session.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A mailed invitation, and the password of the new member. */
export type AcceptInvitationInput = {
  /** Password of at least 8 characters to sign in with. */
  password: string;
  /** The one-time secret of the mail. */
  secret: string;
};

/** Credentials of a member of an account. */
export type SignInOwnerInput = {
  /** E-mail address of the member. */
  email: string;
  /** The member's password. */
  password: string;
};

export type SignInOwnerMutationVariables = Exact<{
  input: SignInOwnerInput;
}>;


export type SignInOwnerMutation = { signInOwner: { token: string, member: { id: string, email: string } } };

export type AcceptInvitationMutationVariables = Exact<{
  input: AcceptInvitationInput;
}>;


export type AcceptInvitationMutation = { acceptInvitation: { token: string, member: { id: string, email: string } } };

export type SignOutOwnerMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutOwnerMutation = { signOutOwner: { signedOut: boolean } };

export type SignOutOwnerEverywhereMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutOwnerEverywhereMutation = { signOutOwnerEverywhere: { signedOut: boolean } };

export const SignInOwnerDocument =
  "mutation SignInOwner($input:SignInOwnerInput!){signInOwner(input:$input){token member{id email}}}" as Document<
    SignInOwnerMutation,
    SignInOwnerMutationVariables
  >;

export const AcceptInvitationDocument =
  "mutation AcceptInvitation($input:AcceptInvitationInput!){acceptInvitation(input:$input){token member{id email}}}" as Document<
    AcceptInvitationMutation,
    AcceptInvitationMutationVariables
  >;

export const SignOutOwnerDocument =
  "mutation SignOutOwner{signOutOwner{signedOut}}" as Document<
    SignOutOwnerMutation,
    SignOutOwnerMutationVariables
  >;

export const SignOutOwnerEverywhereDocument =
  "mutation SignOutOwnerEverywhere{signOutOwnerEverywhere{signedOut}}" as Document<
    SignOutOwnerEverywhereMutation,
    SignOutOwnerEverywhereMutationVariables
  >;
