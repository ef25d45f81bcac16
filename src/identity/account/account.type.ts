import { Field, ID, InputType, ObjectType } from "type-graphql";
import { Password } from "../password";

@ObjectType("Account", { description: "Who owns applications." })
export class AccountType {
  @Field(() => ID, { description: "Identifier, unique among accounts." })
  id!: number;

  @Field({ description: "Name of the account." })
  name!: string;

  @Field(() => String, { nullable: true, description: "E-mail that the owner signs in with." })
  email!: string | null;

  @Field({ description: "The account key, which finds the endpoints (accountSettings)." })
  accountKey!: string;

  @Field(() => String, {
    nullable: true,
    description: "URL of the account's own API server; null for this deployment's.",
  })
  apiEndpoint!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Host of the account's own chat server; null for this deployment's.",
  })
  chatEndpoint!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Host of the account's own STUN and TURN server; null for this deployment's.",
  })
  turnserverEndpoint!: string | null;
}

@InputType({ description: "The owner who signs in." })
export class SignInOwnerInput {
  @Field({ description: "E-mail of the account." })
  email!: string;

  @Field({ description: "The owner's password." })
  @Password()
  password!: string;
}

@ObjectType({ description: "What signInOwner answers.", simpleResolvers: true })
export class SignInOwnerPayload {
  @Field({ description: "The owner's token, to send as Svc-Token or as a bearer token. Opaque." })
  token!: string;

  @Field(() => Date, {
    description: "When the token ends unless it is used before, which moves the end by 12 hours.",
  })
  expiresAt!: Date;

  @Field(() => AccountType, { description: "The account." })
  account!: AccountType;
}

@ObjectType({ description: "What signOutOwner answers.", simpleResolvers: true })
export class SignOutOwnerPayload {
  @Field({ description: "True: the token is worthless from now on." })
  signedOut!: boolean;
}

@InputType({ description: "Changes of an account. What is left out stays." })
export class UpdateAccountInput {
  @Field(() => String, { nullable: true, description: "New name of the account." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "New e-mail to sign in with." })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "New password; ends the owner's other sessions. Needs oldPassword.",
  })
  @Password()
  password?: string | null;

  @Field(() => String, { nullable: true, description: "The password until now." })
  @Password()
  oldPassword?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL of an own API server; null for this deployment's.",
  })
  apiEndpoint?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Host of an own chat server; null for this deployment's.",
  })
  chatEndpoint?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Host of an own STUN and TURN server; null for this deployment's.",
  })
  turnserverEndpoint?: string | null;
}

@ObjectType({ description: "What updateAccount answers.", simpleResolvers: true })
export class UpdateAccountPayload {
  @Field(() => AccountType, { description: "The account as it is now." })
  account!: AccountType;
}
