import { Field, ID, InputType, ObjectType, registerEnumType } from "type-graphql";
import type { MemberRole } from "../../core/viewer";
import { Audited } from "../audit/entries/audited";
import { Password } from "../passwords/password";
import { AccountType } from "./account.type";

/** GraphQL names of the roles of an account's members. */
export const AccountRoleName: Record<string, MemberRole> = {
  SUPPORT: "support",
  DEVELOPER: "developer",
  OWNER: "owner",
};
registerEnumType(AccountRoleName, {
  name: "AccountRole",
  description:
    "What a member of an account may do. Each role may also do what those before it may.",
  valuesConfig: {
    SUPPORT: { description: "Reads, and sees no secret." },
    DEVELOPER: { description: "Also changes applications and their data." },
    OWNER: {
      description: "Also changes the account and its members, and deletes applications.",
    },
  },
});

@ObjectType("AccountMember", { description: "A person who administers an account." })
export class AccountMemberType {
  @Field(() => ID, { description: "Identifier, unique among the members of all accounts." })
  id!: number;

  @Field({ description: "E-mail address that the member signs in with." })
  email!: string;

  @Field(() => AccountRoleName as object, { description: "What the member may do." })
  role!: MemberRole;

  @Field(() => Date, { description: "When the member joined the account." })
  createdAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description: "When the member last sent a request, to the minute; null for never.",
  })
  lastActivityAt!: Date | null;
}

@InputType({ description: "Credentials of a member of an account." })
export class SignInMemberInput {
  @Field({ description: "E-mail address of the member." })
  email!: string;

  @Field({ description: "The member's password." })
  @Password()
  password!: string;
}

@ObjectType({ description: "Result of signInMember.", simpleResolvers: true })
export class SignInMemberPayload {
  @Field({ description: "The member's opaque token, sent as Svc-Token or as a bearer token." })
  token!: string;

  @Field(() => Date, {
    description: "When the token expires. Each use extends it to 12 hours from then.",
  })
  expiresAt!: Date;

  @Field(() => AccountType, { description: "The account." })
  account!: AccountType;

  @Field(() => AccountMemberType, { description: "The member who signed in." })
  member!: AccountMemberType;
}

@ObjectType({ description: "Result of signOutMember.", simpleResolvers: true })
export class SignOutMemberPayload {
  @Field({ description: "Always true: the token is no longer valid." })
  signedOut!: boolean;
}

@ObjectType({ description: "Result of signOutMemberEverywhere.", simpleResolvers: true })
export class SignOutMemberEverywherePayload {
  @Field({
    description: "Always true: no token of the member is valid any more, also the calling one.",
  })
  signedOut!: boolean;
}

@InputType({ description: "Changes to the calling member. Omitted fields stay unchanged." })
export class UpdateCurrentMemberInput {
  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "New e-mail address to sign in with. Requires oldPassword.",
  })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "New password. Requires oldPassword and ends the member's other sessions.",
  })
  @Password()
  password?: string | null;

  @Field(() => String, { nullable: true, description: "The current password." })
  @Password()
  oldPassword?: string | null;
}

@ObjectType({ description: "Result of updateCurrentMember.", simpleResolvers: true })
export class UpdateCurrentMemberPayload {
  @Field(() => AccountMemberType, { description: "The changed member." })
  member!: AccountMemberType;
}

@InputType({ description: "The new role of a member." })
export class UpdateMemberInput {
  @Field(() => ID, { description: "The member." })
  id!: string;

  @Field(() => AccountRoleName as object, { description: "The role to set." })
  role!: MemberRole;
}

@ObjectType({ description: "Result of updateMember.", simpleResolvers: true })
export class UpdateMemberPayload {
  @Field(() => AccountMemberType, { description: "The changed member." })
  member!: AccountMemberType;
}

@InputType({ description: "The member to remove." })
export class RemoveMemberInput {
  @Field(() => ID, { description: "The member." })
  id!: string;
}

@ObjectType({ description: "Result of removeMember.", simpleResolvers: true })
export class RemoveMemberPayload {
  @Field(() => ID, { description: "The member who was removed." })
  removedMemberId!: string;
}
