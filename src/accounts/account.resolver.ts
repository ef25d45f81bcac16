import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow, type IdentityContext } from "../access/request-auth";
import { Limited } from "../limits/rate-limits";
import {
  AccountType,
  SignInOwnerInput,
  SignInOwnerPayload,
  SignOutOwnerPayload,
  UpdateAccountInput,
  UpdateAccountPayload,
} from "./account.type";
import { signInOwner, signOutOwner } from "./account-sessions";
import { findAccount, updateAccount } from "./accounts";

@Resolver()
export class AccountResolver {
  @Allow("account")
  @Query(() => AccountType, { description: "The account of the calling owner." })
  async account(@Ctx() { identity, auth }: IdentityContext): Promise<AccountType> {
    return findAccount(identity, (await auth.account()).accountId);
  }

  @Allow("public")
  @Limited("sign-in")
  @Mutation(() => SignInOwnerPayload, { description: "Signs in the owner of an account." })
  async signInOwner(
    @Ctx() { identity, caller }: IdentityContext,
    @Arg("input", () => SignInOwnerInput, { description: "The owner's credentials." })
    input: SignInOwnerInput,
  ): Promise<SignInOwnerPayload> {
    const { accountId, token, expiresAt } = await signInOwner(identity, input, caller);
    return { token, expiresAt, account: await findAccount(identity, accountId) };
  }

  @Allow("account")
  @Mutation(() => SignOutOwnerPayload, {
    description: "Signs the calling owner out: ends the session and its token.",
  })
  async signOutOwner(@Ctx() { identity, auth }: IdentityContext): Promise<SignOutOwnerPayload> {
    await signOutOwner(identity, await auth.account());
    return { signedOut: true };
  }

  @Allow("account")
  @Mutation(() => UpdateAccountPayload, {
    description: "Changes the account of the calling owner.",
  })
  async updateAccount(
    @Ctx() { identity, auth, caller }: IdentityContext,
    @Arg("input", () => UpdateAccountInput, { description: "The changes." })
    input: UpdateAccountInput,
  ): Promise<UpdateAccountPayload> {
    const owner = await auth.account();
    return { account: await updateAccount(identity, owner, input, caller.ip) };
  }
}
