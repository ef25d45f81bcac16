import { Field, ID, InputType, ObjectType } from "type-graphql";
import { Password } from "../passwords/password";

@ObjectType("Account", { description: "An account, which owns applications." })
export class AccountType {
  @Field(() => ID, { description: "Identifier, unique among accounts." })
  id!: number;

  @Field({ description: "Name of the account." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "E-mail address that the owner signs in with.",
  })
  email!: string | null;

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

@InputType({ description: "Credentials of the owner." })
export class SignInOwnerInput {
  @Field({ description: "E-mail address of the account." })
  email!: string;

  @Field({ description: "The owner's password." })
  @Password()
  password!: string;
}

@ObjectType({ description: "Result of signInOwner.", simpleResolvers: true })
export class SignInOwnerPayload {
  @Field({ description: "The owner's opaque token, sent as Svc-Token or as a bearer token." })
  token!: string;

  @Field(() => Date, {
    description: "When the token expires. Each use extends it to 12 hours from then.",
  })
  expiresAt!: Date;

  @Field(() => AccountType, { description: "The account." })
  account!: AccountType;
}

@ObjectType({ description: "Result of signOutOwner.", simpleResolvers: true })
export class SignOutOwnerPayload {
  @Field({ description: "Always true: the token is no longer valid." })
  signedOut!: boolean;
}

@InputType({ description: "Changes to an account. Omitted fields stay unchanged." })
export class UpdateAccountInput {
  @Field(() => String, { nullable: true, description: "New name of the account." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "New e-mail address to sign in with." })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "New password. Requires oldPassword and ends the owner's other sessions.",
  })
  @Password()
  password?: string | null;

  @Field(() => String, { nullable: true, description: "The current password." })
  @Password()
  oldPassword?: string | null;

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
