import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow, type IdentityContext } from "../context";
import { Limited } from "../limits";
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
  @Query(() => AccountType, { description: "The account of the owner's token sent." })
  async account(@Ctx() { identity, visit }: IdentityContext): Promise<AccountType> {
    return findAccount(identity, (await visit.account()).accountId);
  }

  @Allow("public")
  @Limited("sign-in")
  @Mutation(() => SignInOwnerPayload, { description: "Signs an account's owner in." })
  async signInOwner(
    @Ctx() { identity, caller }: IdentityContext,
    @Arg("input", () => SignInOwnerInput, { description: "Who signs in." })
    input: SignInOwnerInput,
  ): Promise<SignInOwnerPayload> {
    const { accountId, token, expiresAt } = await signInOwner(identity, input, caller);
    return { token, expiresAt, account: await findAccount(identity, accountId) };
  }

  @Allow("account")
  @Mutation(() => SignOutOwnerPayload, { description: "Ends the owner's token sent." })
  async signOutOwner(@Ctx() { identity, visit }: IdentityContext): Promise<SignOutOwnerPayload> {
    await signOutOwner(identity, await visit.account());
    return { signedOut: true };
  }

  @Allow("account")
  @Mutation(() => UpdateAccountPayload, { description: "Changes the owner's own account." })
  async updateAccount(
    @Ctx() { identity, visit, caller }: IdentityContext,
    @Arg("input", () => UpdateAccountInput, { description: "The changes." })
    input: UpdateAccountInput,
  ): Promise<UpdateAccountPayload> {
    const owner = await visit.account();
    return { account: await updateAccount(identity, owner, input, caller.ip) };
  }
}
