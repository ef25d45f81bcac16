import { Field, ID, InputType, ObjectType, registerEnumType } from "type-graphql";
import type { MemberRole } from "../../core/viewer";
import { Audited } from "../audit/entries/audited";
import { Password } from "../passwords/password";
import type { MailWay } from "./account-deps";
import { AccountRoleName } from "./member.type";

@ObjectType("AccountInvitation", {
  description:
    "An open invitation to an account. Its secret is only in the answer to inviteMember and in the mail.",
  simpleResolvers: true,
})
export class AccountInvitationType {
  @Field(() => ID, { description: "Identifier, unique among the invitations of all accounts." })
  id!: number;

  @Field({ description: "E-mail address of the future member." })
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
  @Field({
    description: "E-mail address of the future member, who signs in with it. It gets a mail.",
  })
  email!: string;

  @Field(() => AccountRoleName as object, { description: "The role of the future member." })
  role!: MemberRole;
}

/** GraphQL names of what happens to the mail of an invitation. */
export const InvitationMailName: Record<string, MailWay> = {
  QUEUED: "smtp",
  WRITTEN_TO_FILE: "folder",
  NOT_SENT: "none",
};
registerEnumType(InvitationMailName, {
  name: "InvitationMail",
  description: "What happens to the mail of an invitation.",
  valuesConfig: {
    QUEUED: { description: "It is sent in the background, by the mail server of SMTP_URL." },
    WRITTEN_TO_FILE: {
      description:
        "It is written to a file in `mail` of the data folder, since SMTP_URL is not set: the inviting member passes the link on.",
    },
    NOT_SENT: {
      description:
        "There is none, since SMTP_URL is not set: the inviting member passes the link on.",
    },
  },
});

@ObjectType({ description: "Result of inviteMember.", simpleResolvers: true })
export class InviteMemberPayload {
  @Field(() => AccountInvitationType, { description: "The invitation." })
  invitation!: AccountInvitationType;

  @Field({
    description:
      "The link of the dashboard that accepts the invitation, with its secret in the fragment. It is shown only here.",
  })
  link!: string;

  @Field(() => InvitationMailName as object, { description: "What happens to the mail." })
  mail!: MailWay;
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

@InputType({ description: "An invitation, and the password of the new member." })
export class AcceptInvitationInput {
  @Field({ description: "The one-time secret of the link." })
  secret!: string;

  @Field({ description: "Password of at least 8 characters to sign in with." })
  @Password()
  password!: string;
}
