import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import { Limited } from "../limits/rate-limits";
import {
  AccountType,
  SignInOwnerInput,
  SignInOwnerPayload,
  SignOutOwnerPayload,
  UpdateAccountInput,
  UpdateAccountPayload,
} from "./account.type";
import type { AccountContext } from "./account-deps";
import { signInOwner, signOutOwner } from "./account-sessions";
import { findAccount, updateAccount } from "./accounts";

@Resolver()
export class AccountResolver {
  @Allow("account")
  @Query(() => AccountType, { description: "The account of the calling owner." })
  async account(@Ctx() { accounts, auth }: AccountContext): Promise<AccountType> {
    return findAccount(accounts, (await auth.account()).accountId);
  }

  @Allow("public")
  @Limited("sign-in")
  @Mutation(() => SignInOwnerPayload, { description: "Signs in the owner of an account." })
  async signInOwner(
    @Ctx() { accounts, caller }: AccountContext,
    @Arg("input", () => SignInOwnerInput, { description: "The owner's credentials." })
    input: SignInOwnerInput,
  ): Promise<SignInOwnerPayload> {
    const { accountId, token, expiresAt } = await signInOwner(accounts, input, caller);
    return { token, expiresAt, account: await findAccount(accounts, accountId) };
  }

  @Allow("account")
  @Mutation(() => SignOutOwnerPayload, {
    description: "Signs the calling owner out: ends the session and its token.",
  })
  async signOutOwner(@Ctx() { accounts, auth }: AccountContext): Promise<SignOutOwnerPayload> {
    await signOutOwner(accounts, await auth.account());
    return { signedOut: true };
  }

  @Allow("account")
  @Mutation(() => UpdateAccountPayload, {
    description: "Changes the account of the calling owner.",
  })
  async updateAccount(
    @Ctx() { accounts, auth, caller }: AccountContext,
    @Arg("input", () => UpdateAccountInput, { description: "The changes." })
    input: UpdateAccountInput,
  ): Promise<UpdateAccountPayload> {
    const owner = await auth.account();
    return { account: await updateAccount(accounts, owner, input, caller.ip) };
  }
}
