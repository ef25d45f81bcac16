import { Field, ID, InputType, ObjectType } from "type-graphql";
import { Audited } from "../audit/entries/audited";

@ObjectType("Account", { description: "An account, which owns applications." })
export class AccountType {
  @Field(() => ID, { description: "Identifier, unique among accounts." })
  id!: number;

  @Field({ description: "Name of the account." })
  name!: string;

  @Field({ description: "The account key; accountSettings looks up the endpoints by it." })
  accountKey!: string;

  @Field(() => String, {
    nullable: true,
    description: "URL of the account's own API server; null for that of this deployment.",
  })
  apiEndpoint!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Host of the account's own chat server; null for that of this deployment.",
  })
  chatEndpoint!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Host of the account's own STUN and TURN server; null for that of this deployment.",
  })
  turnserverEndpoint!: string | null;
}

@InputType({ description: "Changes to an account. Omitted fields stay unchanged." })
export class UpdateAccountInput {
  @Audited()
  @Field(() => String, { nullable: true, description: "New name of the account." })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL of the account's own API server; null for that of this deployment.",
  })
  apiEndpoint?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Host of the account's own chat server; null for that of this deployment.",
  })
  chatEndpoint?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Host of the account's own STUN and TURN server; null for that of this deployment.",
  })
  turnserverEndpoint?: string | null;
}

@ObjectType({ description: "Result of updateAccount.", simpleResolvers: true })
export class UpdateAccountPayload {
  @Field(() => AccountType, { description: "The updated account." })
  account!: AccountType;
}

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
