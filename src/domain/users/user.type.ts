import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Legacy } from "../access/legacy";
import { VisibleTo } from "../access/visible-to";
import { AuditedAs } from "../audit/entries/audited";
import { Password } from "../passwords/password";
import type { User } from "./user";

const applicationOfUser = ({ applicationId }: User): number => applicationId;

@ObjectType("User", { description: "A user of an application.", simpleResolvers: true })
export class UserType {
  @Field(() => ID, { description: "Identifier, unique among users." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, as in REST paths and JIDs.",
  })
  databaseId!: number;

  @Field(() => String, {
    nullable: true,
    description: "Name to sign in with; case-insensitive and unique in the application.",
  })
  login!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "E-mail address to sign in with; case-insensitive and unique in the application.",
  })
  email!: string | null;

  @Legacy()
  @Field(() => String, {
    nullable: true,
    description: "Identifier in an external system.",
  })
  externalUserId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Identifier in an external system; unique in the application.",
  })
  externalId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Facebook id in the user's profile; unverified.",
  })
  facebookId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Twitter id in the user's profile; unverified.",
  })
  twitterId!: string | null;

  @Field(() => String, { nullable: true, description: "Display name." })
  fullName!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Phone number in the user's profile; unverified.",
  })
  phone!: string | null;

  @Field(() => String, { nullable: true, description: "Website." })
  website!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Custom data of the application, up to 5,000 characters.",
  })
  customData!: string | null;

  @Field(() => [String], { description: "Tags in the given order; at most five." })
  tags!: string[];

  @Field(() => String, { nullable: true, description: "Identifier of the user's picture." })
  avatar!: string | null;

  @Legacy()
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Identifier of a picture.",
  })
  blobId!: number | null;

  @Field(() => Int, { nullable: true, description: "Offset from UTC in minutes." })
  timezone!: number | null;

  @Field({
    description: "Whether this is a temporary user, which is deleted one day after its creation.",
  })
  isGuest!: boolean;

  @Field(() => Date, {
    nullable: true,
    description: "When the user last made a request; updated with a delay of a few seconds.",
  })
  lastRequestAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description:
      "Since when the user is blocked; null while the user may sign in. Null for everybody but members of the application's account.",
  })
  @VisibleTo("support", applicationOfUser)
  blockedAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Why the user is blocked, as a member noted it. Null for everybody but members of the application's account.",
  })
  @VisibleTo("support", applicationOfUser)
  blockReason!: string | null;

  @Field(() => Date, { description: "When the user signed up." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the user was last changed." })
  updatedAt!: Date;
}

@InputType("UserKey", { description: "Key of one user: exactly one of these fields." })
export class UserKeyInput {
  @Field(() => ID, { nullable: true, description: "The user's id." })
  id?: string;

  @Field({ nullable: true, description: "The user's login, case-insensitive." })
  login?: string;

  @Field({ nullable: true, description: "The user's e-mail address, case-insensitive." })
  email?: string;

  @Field({
    nullable: true,
    description: "The Facebook id of a profile; the first user if several match.",
  })
  facebookId?: string;

  @Field({
    nullable: true,
    description: "The Twitter id of a profile; the first user if several match.",
  })
  twitterId?: string;

  @Field({
    nullable: true,
    description:
      "The id in an external system: matches externalId, else the external_user_id of REST.",
  })
  externalId?: string;
}

/** The fields that clients may write. */
@InputType()
export abstract class WritableFields {
  @Field(() => String, {
    nullable: true,
    description: "1 to 70 letters, digits or . - _ @ +; login or email is required.",
  })
  login?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "E-mail address; login or email is required.",
  })
  email?: string | null;

  @Legacy()
  @Field(() => String, {
    nullable: true,
    description: "Identifier in an external system.",
  })
  externalUserId?: string | null;

  @Field(() => String, { nullable: true, description: "Identifier in an external system." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: "Facebook id of the profile." })
  facebookId?: string | null;

  @Field(() => String, { nullable: true, description: "Twitter id of the profile." })
  twitterId?: string | null;

  @Field(() => String, { nullable: true, description: "Display name." })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: "Phone number." })
  phone?: string | null;

  @Field(() => String, { nullable: true, description: "Website." })
  website?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Custom data of the application, up to 5,000 characters.",
  })
  customData?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Tags, at most five; they replace the existing ones.",
  })
  tags?: string[] | null;

  @Field(() => String, { nullable: true, description: "Identifier of the user's picture." })
  avatar?: string | null;

  @Legacy()
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Identifier of a picture; not validated.",
  })
  blobId?: number | null;

  @Field(() => Int, { nullable: true, description: "Offset from UTC in minutes, -720 to 840." })
  timezone?: number | null;
}

@InputType({ description: "A new user." })
export class CreateUserInput extends WritableFields {
  @Field(() => ID, {
    nullable: true,
    description: "The application. Members of its account must name it.",
  })
  applicationId?: string | null;

  @Field({ description: "Password of at least 8 characters." })
  @Password()
  password!: string;
}

@InputType({
  description: "Changes to a user. Omitted fields stay unchanged; null clears a field.",
})
export class UpdateUserInput extends WritableFields {
  @AuditedAs("userId")
  @Field(() => ID, {
    description:
      "Id of the user to change. Users change only themselves, and members of an account the users of its applications.",
  })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "New password of at least 8 characters. Ends the user's other sessions, and all of them if a member sets it.",
  })
  @Password()
  password?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The current password. Users must give it to set a new one.",
  })
  @Password()
  oldPassword?: string | null;
}

@InputType({
  description:
    "The user to delete, by exactly one of these fields. Users delete only themselves. Members of an account name the id of a user of its applications.",
})
export class DeleteUserInput {
  @AuditedAs("userId")
  @Field(() => ID, { nullable: true, description: "The user's id." })
  id?: string;

  @Field({
    nullable: true,
    description:
      "The user's id in an external system: matches externalId, else the external_user_id of REST.",
  })
  externalId?: string;
}

@ObjectType({ description: "Result of createUser.", simpleResolvers: true })
export class CreateUserPayload {
  @Field(() => UserType, { description: "The created user." })
  user!: UserType;
}

@ObjectType({ description: "Result of updateUser.", simpleResolvers: true })
export class UpdateUserPayload {
  @Field(() => UserType, { description: "The updated user." })
  user!: UserType;
}

@ObjectType({ description: "Result of deleteUser.", simpleResolvers: true })
export class DeleteUserPayload {
  @Field(() => ID, { description: "Id of the deleted user." })
  deletedUserId!: number;
}
