import { Field, ID, InputType, ObjectType } from "type-graphql";
import type { MemberRole } from "../../core/viewer";
import { Audited } from "../audit/entries/audited";
import { Password } from "../passwords/password";
import { AccountRoleName } from "./member.type";

@ObjectType("AccountInvitation", {
  description: "An open invitation to an account. Its secret is only in the mail.",
  simpleResolvers: true,
})
export class AccountInvitationType {
  @Field(() => ID, { description: "Identifier, unique among the invitations of all accounts." })
  id!: number;

  @Field({ description: "E-mail address that the invitation is mailed to." })
  email!: string;

  @Field(() => AccountRoleName as object, { description: "The role of the future member." })
  role!: MemberRole;

  @Field(() => String, {
    nullable: true,
    description:
      "E-mail address of the owner who made it; null if that was before the service recorded it.",
  })
  invitedBy!: string | null;

  @Field(() => Date, { description: "When the invitation was created." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the invitation expires: a day after its creation." })
  expiresAt!: Date;
}

@InputType({ description: "The person to invite." })
export class InviteMemberInput {
  @Audited()
  @Field({ description: "E-mail address to mail the invitation to, and to sign in with." })
  email!: string;

  @Field(() => AccountRoleName as object, { description: "The role of the future member." })
  role!: MemberRole;
}

@ObjectType({ description: "Result of inviteMember.", simpleResolvers: true })
export class InviteMemberPayload {
  @Field(() => AccountInvitationType, { description: "The invitation." })
  invitation!: AccountInvitationType;
}

@InputType({ description: "The invitation to revoke." })
export class RevokeInvitationInput {
  @Field(() => ID, { description: "The invitation." })
  id!: string;
}

@ObjectType({ description: "Result of revokeInvitation.", simpleResolvers: true })
export class RevokeInvitationPayload {
  @Field(() => ID, { description: "The invitation that was revoked." })
  revokedInvitationId!: string;
}

@InputType({ description: "A mailed invitation, and the password of the new member." })
export class AcceptInvitationInput {
  @Field({ description: "The one-time secret of the mail." })
  secret!: string;

  @Field({ description: "Password of at least 8 characters to sign in with." })
  @Password()
  password!: string;
}
