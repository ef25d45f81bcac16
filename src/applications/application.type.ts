import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { OwnedSession, Page } from "../admin/application-lists";
import type { PushEnvironment, PushSenders } from "../store/generated/enums";
import { UserType } from "../users/user.type";
import type { OwnedApplication } from "./owned-applications";
import {
  FacebookSettings,
  FirebaseSettings,
  TwitterSettings,
  toGraphqlProviders,
} from "./provider-settings.type";
import { PushEnvironmentName } from "./push-environment.type";

/** GraphQL names of who may send push notifications. */
export const PushSendersName: Record<string, PushSenders> = {
  USERS: "users",
  MEMBERS: "members",
  NOBODY: "nobody",
};
registerEnumType(PushSendersName, {
  name: "PushSenders",
  description: "Who may send push notifications, in addition to the account's owner.",
  valuesConfig: {
    USERS: { description: "Every user, including guests." },
    MEMBERS: { description: "Users except guests." },
    NOBODY: { description: "Only the owner." },
  },
});

@ObjectType()
abstract class ApplicationFields {
  @Field(() => ID, { description: "Identifier, unique among applications." })
  id!: number;

  @Field({ description: "Name of the application." })
  name!: string;

  @Field({ description: "Key that identifies the application in every signed request." })
  authKey!: string;

  @Field({ description: "Secret that requests are signed with." })
  authSecret!: string;

  @Field({ description: "Key of the account that the application belongs to." })
  accountKey!: string;

  @Field(() => Date, {
    nullable: true,
    description:
      "Until when the previous secret stays valid after a rotation; null if it is not valid.",
  })
  previousSecretValidUntil!: Date | null;

  @Field({ description: "Whether the deprecated user list (V1) is refused." })
  v1ListDisabled!: boolean;

  @Field({ description: "Whether users may sign up." })
  signUpOpen!: boolean;

  @Field({ description: "Whether users need their password to change their e-mail address." })
  emailNeedsPassword!: boolean;

  @Field(() => PushSendersName as object, {
    description: "Who may send push notifications, in addition to the account's owner.",
  })
  pushSenders!: PushSenders;

  @Field({
    description:
      "Whether chat clients receive a hangUp when another device of their user answers a call.",
  })
  answeredElsewhere!: boolean;

  @Field({
    description:
      "Whether a call that does not reach a recipient sends an incoming-call push to the recipient's devices.",
  })
  incomingCallPush!: boolean;

  @Field(() => Int, {
    description:
      "Time that connected devices have to accept before that push, in seconds: 0 to 30.",
  })
  incomingCallPushDelaySeconds!: number;

  @Field(() => PushEnvironmentName as object, {
    description: "The push environment of the devices that get it.",
  })
  incomingCallPushEnvironment!: PushEnvironment;

  @Field(() => [String], {
    description: "Web origins that may use sessions of the application; empty allows any.",
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
  description: "An application, which owns its users, sessions and all other data.",
})
export class ApplicationType extends ApplicationFields {}

@ObjectType({
  description:
    "An application in the list of its account. Query.application lists its users and sessions.",
})
export class ListedApplication extends ApplicationFields {}

@ObjectType("ApplicationSession", {
  description: "A session as the owner of its application sees it.",
  simpleResolvers: true,
})
export class ApplicationSessionType {
  @Field(() => ID, { description: "Identifier, unique among sessions." })
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The user's id; null for a session without a user.",
  })
  userId!: number | null;

  @Field(() => String, { nullable: true, description: "IP address that created the session." })
  ip!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "User-Agent header of the client that created the session.",
  })
  userAgent!: string | null;

  @Field(() => Date, { description: "When it was last used, to within a few seconds." })
  lastActivityAt!: Date;

  @Field(() => Date, { description: "When it expires unless it is used before." })
  expiresAt!: Date;
}

@ObjectType({ description: "A page of an application's users, ordered by id." })
export class ApplicationUsers {
  page!: Page<UserType>;

  @Field(() => [UserType], { description: "The users." })
  nodes!: UserType[];

  @Field(() => GraphQLSafeInt, { description: "Number of skipped entries." })
  offset!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Maximum number of entries of the page, as applied.",
  })
  limit!: number;
}

@ObjectType({ description: "A page of an application's sessions, newest first." })
export class ApplicationSessions {
  page!: Page<OwnedSession>;

  @Field(() => [ApplicationSessionType], { description: "The sessions." })
  nodes!: ApplicationSessionType[];

  @Field(() => GraphQLSafeInt, { description: "Number of skipped entries." })
  offset!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Maximum number of entries of the page, as applied.",
  })
  limit!: number;
}

/** Converts an application to its GraphQL types. */
export function toGraphqlApplication({
  settings,
  ...rest
}: OwnedApplication): ApplicationType & ListedApplication {
  return { ...rest, ...toGraphqlProviders(settings) };
}
