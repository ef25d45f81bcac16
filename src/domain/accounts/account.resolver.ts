import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { Allow } from "../access/request-auth";
import {
  AccountSettings,
  AccountType,
  UpdateAccountInput,
  UpdateAccountPayload,
} from "./account.type";
import type { AccountContext } from "./account-deps";
import { findAccountByKey } from "./account-queries";
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

  @Allow("public")
  @Query(() => AccountSettings, {
    description: "The endpoints of an account. Requires its key but no session.",
  })
  async accountSettings(
    @Ctx() { accounts }: AccountContext,
    @Arg("accountKey", { description: "The account key, shown in the details of an application." })
    accountKey: string,
  ): Promise<AccountSettings> {
    const account = await findAccountByKey(accounts.store, accountKey);
    if (account === null) throw new Fault("UNAUTHENTICATED", "The account key is not valid");
    const { endpoints } = accounts;
    return {
      accountKey,
      apiEndpoint: account.apiEndpoint ?? endpoints.api(),
      chatEndpoint: account.chatEndpoint ?? endpoints.chat,
      turnserverEndpoint: account.turnserverEndpoint ?? endpoints.turn,
    };
  }
}
