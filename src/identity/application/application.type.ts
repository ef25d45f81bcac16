import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { PushEnvironment, PushSenders } from "../../store/generated/enums";
import { UserType } from "../user/user.type";
import type { OwnedSession, Page } from "./application-lists";
import type { OwnedApplication } from "./owned-applications";
import {
  FacebookSettings,
  FirebaseSettings,
  showProviders,
  TwitterSettings,
} from "./provider-settings.type";
import { PushEnvironmentName } from "./push-environment.type";

/** GraphQL names of those who may ask for push notifications. */
export const PushSendersName: Record<string, PushSenders> = {
  USERS: "users",
  MEMBERS: "members",
  NOBODY: "nobody",
};
registerEnumType(PushSendersName, {
  name: "PushSenders",
  description: "Who may ask for push notifications, beside the account's owner.",
  valuesConfig: {
    USERS: { description: "Everybody with a user's session, guests too." },
    MEMBERS: { description: "Users, but no guests." },
    NOBODY: { description: "Nobody but the owner." },
  },
});

@ObjectType()
abstract class ApplicationFields {
  @Field(() => ID, { description: "Identifier, unique among applications." })
  id!: number;

  @Field({ description: "Name of the application." })
  name!: string;

  @Field({ description: "Key that goes with every signed request." })
  authKey!: string;

  @Field({ description: "Secret that requests are signed with." })
  authSecret!: string;

  @Field({ description: "The key of the account that the application belongs to." })
  accountKey!: string;

  @Field(() => Date, {
    nullable: true,
    description:
      "Until when the secret before the last rotation is valid too; null when it is not.",
  })
  previousSecretValidUntil!: Date | null;

  @Field({ description: "Whether the deprecated user list (V1) is refused." })
  v1ListDisabled!: boolean;

  @Field({ description: "Whether users may sign up." })
  signUpOpen!: boolean;

  @Field({ description: "Whether users need their password to change their e-mail address." })
  emailNeedsPassword!: boolean;

  @Field(() => PushSendersName as object, {
    description: "Who may ask for push notifications, beside the account's owner.",
  })
  pushSenders!: PushSenders;

  @Field({
    description:
      "Whether chat clients are told of an answer on another device of their user by a hangUp.",
  })
  answeredElsewhere!: boolean;

  @Field({
    description: "Whether a call wakes the devices of whoever it does not reach, by a push.",
  })
  wakePhones!: boolean;

  @Field(() => Int, {
    description: "Seconds that connected devices are given to accept before that: 0 to 30.",
  })
  wakeAfterSeconds!: number;

  @Field(() => PushEnvironmentName as object, {
    description: "The environment of the devices that are woken.",
  })
  wakeEnvironment!: PushEnvironment;

  @Field(() => [String], {
    description: "Web origins that may use sessions of the application; none for any.",
  })
  webOrigins!: string[];

  @Field(() => FacebookSettings, { nullable: true, description: "Sign-in through Facebook." })
  facebook!: FacebookSettings | null;

  @Field(() => TwitterSettings, { nullable: true, description: "Sign-in through Twitter." })
  twitter!: TwitterSettings | null;

  @Field(() => FirebaseSettings, { nullable: true, description: "Sign-in by phone number." })
  firebase!: FirebaseSettings | null;

  @Field(() => Date, { description: "When the application was created." })
  createdAt!: Date;
}

@ObjectType("Application", {
  description: "An application, which users, sessions and everything else belong to.",
})
export class ApplicationType extends ApplicationFields {}

@ObjectType({
  description:
    "An application in the list of its account. Users and sessions are listed of one application at a time, with Query.application.",
})
export class ListedApplication extends ApplicationFields {}

@ObjectType("ApplicationSession", {
  description: "A session as the owner of its application sees it.",
  simpleResolvers: true,
})
export class ApplicationSessionType {
  @Field(() => ID, { description: "Identifier, unique among sessions." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "The user's id; null for a session without a user.",
  })
  userId!: number | null;

  @Field(() => String, { nullable: true, description: "Address that it was created from." })
  ip!: string | null;

  @Field(() => String, { nullable: true, description: "Client that it was created by." })
  userAgent!: string | null;

  @Field(() => Date, { description: "When it was last used, to some seconds." })
  lastActivityAt!: Date;

  @Field(() => Date, { description: "When it ends unless it is used before." })
  expiresAt!: Date;
}

@ObjectType({ description: "A page of an application's users, in the order of their ids." })
export class ApplicationUsers {
  page!: Page<UserType>;

  @Field(() => [UserType], { description: "The users." })
  nodes!: UserType[];

  @Field(() => GraphQLSafeInt, { description: "How many were skipped." })
  offset!: number;

  @Field(() => GraphQLSafeInt, { description: "How many the page holds at most, as applied." })
  limit!: number;
}

@ObjectType({ description: "A page of an application's sessions, newest first." })
export class ApplicationSessions {
  page!: Page<OwnedSession>;

  @Field(() => [ApplicationSessionType], { description: "The sessions." })
  nodes!: ApplicationSessionType[];

  @Field(() => GraphQLSafeInt, { description: "How many were skipped." })
  offset!: number;

  @Field(() => GraphQLSafeInt, { description: "How many the page holds at most, as applied." })
  limit!: number;
}

/** An application in the form that GraphQL shows, alone or in a list. */
export function showApplication({
  settings,
  ...rest
}: OwnedApplication): ApplicationType & ListedApplication {
  return { ...rest, ...showProviders(settings) };
}
