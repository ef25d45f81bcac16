import { Arg, Ctx, Field, ObjectType, Query, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { Allow } from "../access/request-auth";
import type { AccountContext } from "./account-deps";
import { findAccountByKey } from "./account-queries";

@ObjectType({
  description: "Endpoints of the servers that an account's applications use.",
  simpleResolvers: true,
})
export class AccountSettings {
  @Field({ description: "The given account key." })
  accountKey!: string;

  @Field({ description: "URL of the API server." })
  apiEndpoint!: string;

  @Field({ description: "Host of the chat server; also the domain of the users' JIDs." })
  chatEndpoint!: string;

  @Field({ description: "Host of the STUN and TURN server." })
  turnserverEndpoint!: string;
}

@Resolver()
export class AccountSettingsResolver {
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
