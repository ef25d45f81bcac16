import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Password } from "../password";

@ObjectType("User", { description: "A user of an application.", simpleResolvers: true })
export class UserType {
  @Field(() => ID, { description: "Identifier, unique among users." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths and of JIDs.",
  })
  databaseId!: number;

  @Field(() => String, {
    nullable: true,
    description: "Name to sign in with; unique in the application without regard to case.",
  })
  login!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "E-mail address to sign in with; unique in the application without regard to case.",
  })
  email!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Identifier in an external system.",
    deprecationReason: "Use externalId.",
  })
  externalUserId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Identifier in an external system; unique in the application.",
  })
  externalId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Facebook id, as the user's profile states it; nothing is granted by it.",
  })
  facebookId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Twitter id, as the user's profile states it; nothing is granted by it.",
  })
  twitterId!: string | null;

  @Field(() => String, { nullable: true, description: "Name to show." })
  fullName!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Phone number, as the user's profile states it.",
  })
  phone!: string | null;

  @Field(() => String, { nullable: true, description: "Web address." })
  website!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Whatever the application keeps with the user, up to 5,000 characters.",
  })
  customData!: string | null;

  @Field(() => [String], { description: "Tags, at most five, in the order given." })
  tags!: string[];

  @Field(() => String, { nullable: true, description: "Identifier of the user's picture." })
  avatar!: string | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Identifier of a picture.",
    deprecationReason: "Use avatar.",
  })
  blobId!: number | null;

  @Field(() => Int, { nullable: true, description: "Offset from UTC in minutes." })
  timezone!: number | null;

  @Field({ description: "Whether this is a temporary user, deleted a day after it was made." })
  isGuest!: boolean;

  @Field(() => Date, {
    nullable: true,
    description: "When the user last made a request; a few seconds behind.",
  })
  lastRequestAt!: Date | null;

  @Field(() => Date, { description: "When the user signed up." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the user was last changed." })
  updatedAt!: Date;
}

@InputType("UserKey", { description: "What finds one user: exactly one of these." })
export class UserKeyInput {
  @Field(() => ID, { nullable: true, description: "The user's id." })
  id?: string;

  @Field({ nullable: true, description: "The user's login, without regard to case." })
  login?: string;

  @Field({ nullable: true, description: "The user's e-mail address, without regard to case." })
  email?: string;

  @Field({
    nullable: true,
    description: "The Facebook id of a profile; of several the first user.",
  })
  facebookId?: string;

  @Field({ nullable: true, description: "The Twitter id of a profile; of several the first user." })
  twitterId?: string;

  @Field({
    nullable: true,
    description: "The id in an external system: the user's externalId, else its externalUserId.",
  })
  externalId?: string;
}

/** The fields that a client may write. */
@InputType()
abstract class WritableFields {
  @Field(() => String, {
    nullable: true,
    description: "1 to 70 letters, digits or . - _ @ +; login or email is needed.",
  })
  login?: string | null;

  @Field(() => String, { nullable: true, description: "E-mail address; login or email is needed." })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Identifier in an external system.",
    deprecationReason: "Use externalId.",
  })
  externalUserId?: string | null;

  @Field(() => String, { nullable: true, description: "Identifier in an external system." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: "Facebook id to show in the profile." })
  facebookId?: string | null;

  @Field(() => String, { nullable: true, description: "Twitter id to show in the profile." })
  twitterId?: string | null;

  @Field(() => String, { nullable: true, description: "Name to show." })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: "Phone number." })
  phone?: string | null;

  @Field(() => String, { nullable: true, description: "Web address." })
  website?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Whatever the application keeps with the user, up to 5,000 characters.",
  })
  customData?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Tags, at most five; they replace what there was.",
  })
  tags?: string[] | null;

  @Field(() => String, { nullable: true, description: "Identifier of the user's picture." })
  avatar?: string | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Identifier of a picture; kept unchecked.",
    deprecationReason: "Use avatar.",
  })
  blobId?: number | null;

  @Field(() => Int, { nullable: true, description: "Offset from UTC in minutes, -720 to 840." })
  timezone?: number | null;
}

@InputType({ description: "A new user." })
export class CreateUserInput extends WritableFields {
  @Field({ description: "Password of at least 8 characters." })
  @Password()
  password!: string;
}

@InputType({ description: "Changes to a user: a field left out stays, null clears it." })
export class UpdateUserInput extends WritableFields {
  @Field(() => ID, { description: "Whom to change: oneself." })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: "New password of at least 8 characters. Ends the user's other sessions.",
  })
  @Password()
  password?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The password so far; needed with a new one.",
  })
  @Password()
  oldPassword?: string | null;
}

@InputType({ description: "Whom to delete, by exactly one of these: oneself." })
export class DeleteUserInput {
  @Field(() => ID, { nullable: true, description: "One's own id." })
  id?: string;

  @Field({
    nullable: true,
    description: "One's own id in an external system: externalId, else externalUserId.",
  })
  externalId?: string;
}

@ObjectType({ description: "What createUser answers.", simpleResolvers: true })
export class CreateUserPayload {
  @Field(() => UserType, { description: "The user as stored." })
  user!: UserType;
}

@ObjectType({ description: "What updateUser answers.", simpleResolvers: true })
export class UpdateUserPayload {
  @Field(() => UserType, { description: "The user as it is now." })
  user!: UserType;
}

@ObjectType({ description: "What deleteUser answers.", simpleResolvers: true })
export class DeleteUserPayload {
  @Field(() => ID, { description: "The id that is free of its user now." })
  deletedUserId!: number;
}
