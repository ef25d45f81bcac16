import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Limited } from "../../platform/limits/rate-limits";
import { Allow } from "../access/request-auth";
import type { AccountContext } from "./account-deps";
import {
  AcceptInvitationInput,
  InviteMemberInput,
  InviteMemberPayload,
  RevokeInvitationInput,
  RevokeInvitationPayload,
} from "./invitation.type";
import { acceptInvitation, inviteMember, revokeInvitation } from "./invitations";
import { SignInMemberPayload } from "./member.type";
import { signInPayload } from "./member-session.resolver";

@Resolver()
export class InvitationResolver {
  @Allow("owner")
  @Limited("reset")
  @Mutation(() => InviteMemberPayload, {
    description:
      "Invites somebody to the calling owner's account, by a link that only this answer and the mail have. It works once, within a day, and replaces an earlier one of the address.",
  })
  async inviteMember(
    @Ctx() { accounts, auth }: AccountContext,
    @Arg("input", () => InviteMemberInput, { description: "The address and the role." })
    { email, role }: InviteMemberInput,
  ): Promise<InviteMemberPayload> {
    const made = await inviteMember(accounts, await auth.account(), email, role);
    return { ...made, mail: accounts.mail };
  }

  @Allow("owner")
  @Mutation(() => RevokeInvitationPayload, {
    description: "Withdraws an open invitation to the calling owner's account.",
  })
  async revokeInvitation(
    @Ctx() { accounts, auth }: AccountContext,
    @Arg("input", () => RevokeInvitationInput, { description: "The invitation." })
    { id }: RevokeInvitationInput,
  ): Promise<RevokeInvitationPayload> {
    const revoked = await revokeInvitation(accounts, await auth.account(), id);
    return { revokedInvitationId: String(revoked) };
  }

  @Allow("public")
  @Limited("sign-in")
  @Mutation(() => SignInMemberPayload, {
    description:
      "Makes the receiver of an invitation a member of the account with a password, and signs the member in.",
  })
  async acceptInvitation(
    @Ctx() { accounts, auth, caller }: AccountContext,
    @Arg("input", () => AcceptInvitationInput, { description: "The secret and the password." })
    { secret, password }: AcceptInvitationInput,
  ): Promise<SignInMemberPayload> {
    const signedIn = await acceptInvitation(accounts, secret, password, caller);
    return signInPayload(accounts, auth, signedIn);
  }
}
