import { Arg, Ctx, Field, ObjectType, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import { Fault } from "../core/errors";
import type { AccountContext } from "./account-deps";

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

const FIND = {
  name: "account_by_key",
  text: `SELECT account_key, api_endpoint, chat_endpoint, turnserver_endpoint
    FROM accounts WHERE account_key = $1`,
};

interface AccountRow {
  account_key: string;
  api_endpoint: string | null;
  chat_endpoint: string | null;
  turnserver_endpoint: string | null;
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
    const [row] = await accounts.store.query<AccountRow>(FIND, [accountKey]);
    if (!row) throw new Fault("UNAUTHENTICATED", "The account key is not valid");
    const { endpoints } = accounts;
    return {
      accountKey,
      apiEndpoint: row.api_endpoint ?? endpoints.api(),
      chatEndpoint: row.chat_endpoint ?? endpoints.chat,
      turnserverEndpoint: row.turnserver_endpoint ?? endpoints.turn,
    };
  }
}
