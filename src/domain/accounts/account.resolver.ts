import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import { AccountType, UpdateAccountInput, UpdateAccountPayload } from "./account.type";
import type { AccountContext } from "./account-deps";
import { findAccount, updateAccount } from "./accounts";

@Resolver()
export class AccountResolver {
  @Allow("support")
  @Query(() => AccountType, { description: "The account of the calling member." })
  async account(@Ctx() { accounts, auth }: AccountContext): Promise<AccountType> {
    return findAccount(accounts, (await auth.account()).accountId);
  }

  @Allow("owner")
  @Mutation(() => UpdateAccountPayload, {
    description: "Changes the account of the calling owner.",
  })
  async updateAccount(
    @Ctx() { accounts, auth }: AccountContext,
    @Arg("input", () => UpdateAccountInput, { description: "The changes." })
    input: UpdateAccountInput,
  ): Promise<UpdateAccountPayload> {
    const { accountId } = await auth.account();
    return { account: await updateAccount(accounts, accountId, input) };
  }
}
