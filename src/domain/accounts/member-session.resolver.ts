import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Limited } from "../../platform/limits/rate-limits";
import { Allow, type RequestAuth } from "../access/request-auth";
import type { AccountContext, AccountDeps } from "./account-deps";
import {
  type SignedInMember,
  signInMember,
  signOutMember,
  signOutMemberEverywhere,
} from "./account-sessions";
import { findAccount } from "./accounts";
import { updateCurrentMember } from "./current-member";
import {
  AccountMemberType,
  SignInMemberInput,
  SignInMemberPayload,
  SignOutMemberEverywherePayload,
  SignOutMemberPayload,
  UpdateCurrentMemberInput,
  UpdateCurrentMemberPayload,
} from "./member.type";
import { readMember } from "./members";

@Resolver()
export class MemberSessionResolver {
  @Allow("support")
  @Query(() => AccountMemberType, {
    description: "The member whose token the request carries.",
  })
  async currentMember(@Ctx() { accounts, auth }: AccountContext): Promise<AccountMemberType> {
    const { memberId } = await auth.account();
    return readMember(accounts, memberId);
  }

  @Allow("public")
  @Limited("sign-in")
  @Mutation(() => SignInMemberPayload, { description: "Signs in a member of an account." })
  async signInMember(
    @Ctx() { accounts, auth, caller }: AccountContext,
    @Arg("input", () => SignInMemberInput, { description: "The member's credentials." })
    input: SignInMemberInput,
  ): Promise<SignInMemberPayload> {
    return signInPayload(accounts, auth, await signInMember(accounts, input, caller));
  }

  @Allow("support")
  @Mutation(() => SignOutMemberPayload, {
    description: "Signs the calling member out: ends the session and its token.",
  })
  async signOutMember(
    @Ctx() { accounts, auth, caller }: AccountContext,
  ): Promise<SignOutMemberPayload> {
    caller.deferClose?.();
    await signOutMember(accounts, await auth.account());
    return { signedOut: true };
  }

  @Allow("support")
  @Mutation(() => SignOutMemberEverywherePayload, {
    description:
      "Signs the calling member out everywhere: ends all its sessions, also the calling one, and closes their sockets.",
  })
  async signOutMemberEverywhere(
    @Ctx() { accounts, auth, caller }: AccountContext,
  ): Promise<SignOutMemberEverywherePayload> {
    caller.deferClose?.();
    await signOutMemberEverywhere(accounts, await auth.account());
    return { signedOut: true };
  }

  @Allow("support")
  @Mutation(() => UpdateCurrentMemberPayload, {
    description:
      "Changes the e-mail address or the password of the calling member, whatever its role.",
  })
  async updateCurrentMember(
    @Ctx() { accounts, auth, caller }: AccountContext,
    @Arg("input", () => UpdateCurrentMemberInput, { description: "The changes." })
    input: UpdateCurrentMemberInput,
  ): Promise<UpdateCurrentMemberPayload> {
    const viewer = await auth.account();
    await updateCurrentMember(accounts, viewer, input, caller.ip);
    const member = await readMember(accounts, viewer.memberId);
    return { member };
  }
}

/** The payload of an operation that signs a member in. */
export async function signInPayload(
  accounts: AccountDeps,
  auth: RequestAuth,
  { viewer, token, expiresAt }: SignedInMember,
): Promise<SignInMemberPayload> {
  auth.noteSignIn(viewer);
  const account = await findAccount(accounts, viewer.accountId);
  const member = await readMember(accounts, viewer.memberId);
  return { token, expiresAt, account, member };
}
