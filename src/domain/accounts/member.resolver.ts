import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import { Allow } from "../access/request-auth";
import { AccountType } from "./account.type";
import type { AccountContext } from "./account-deps";
import { AccountInvitationType } from "./invitation.type";
import { listOpenInvitations } from "./invitation-queries";
import {
  AccountMemberType,
  RemoveMemberInput,
  RemoveMemberPayload,
  UpdateMemberInput,
  UpdateMemberPayload,
} from "./member.type";
import { listMembersOfAccount } from "./member-queries";
import { removeMember, updateMember } from "./members";

@Resolver(() => AccountType)
export class AccountMembersResolver {
  @FieldResolver(() => [AccountMemberType], {
    description: "The members of the account, oldest first; at most 100.",
  })
  async members(
    @Root() { id }: AccountType,
    @Ctx() { accounts }: AccountContext,
  ): Promise<AccountMemberType[]> {
    return listMembersOfAccount(accounts.store, id);
  }

  @FieldResolver(() => [AccountInvitationType], {
    description: "The open invitations to the account, by e-mail address; at most 20.",
  })
  async invitations(
    @Root() { id }: AccountType,
    @Ctx() { accounts }: AccountContext,
  ): Promise<AccountInvitationType[]> {
    return listOpenInvitations(accounts.store, id, new Date(accounts.clock.now()));
  }
}

@Resolver(() => AccountMemberType)
export class MemberResolver {
  @FieldResolver(() => Boolean, { description: "Whether the request is of this member." })
  async isCurrent(
    @Root() { id }: AccountMemberType,
    @Ctx() { auth }: AccountContext,
  ): Promise<boolean> {
    return (await auth.member())?.memberId === id;
  }

  @Allow("owner")
  @Mutation(() => UpdateMemberPayload, {
    description:
      "Changes the role of a member of the calling owner's account. With a lesser role the member's sockets close. API keys that the member created stop working at once when the role becomes SUPPORT: replace them first. An account keeps at least one owner.",
  })
  async updateMember(
    @Ctx() { accounts, auth, caller }: AccountContext,
    @Arg("input", () => UpdateMemberInput, { description: "The member and the role." })
    { id, role }: UpdateMemberInput,
  ): Promise<UpdateMemberPayload> {
    caller.deferClose?.();
    const member = await updateMember(accounts, await auth.account(), id, role);
    return { member };
  }

  @Allow("owner")
  @Mutation(() => RemoveMemberPayload, {
    description:
      "Removes a member of the calling owner's account, and ends the member's sessions and sockets at once. API keys that the member created stop working at once: replace them first. An account keeps at least one owner.",
  })
  async removeMember(
    @Ctx() { accounts, auth, caller }: AccountContext,
    @Arg("input", () => RemoveMemberInput, { description: "The member." })
    { id }: RemoveMemberInput,
  ): Promise<RemoveMemberPayload> {
    caller.deferClose?.();
    const removed = await removeMember(accounts, await auth.account(), id);
    return { removedMemberId: String(removed) };
  }
}
