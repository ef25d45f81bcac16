import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { PushEnvironment, PushSenders } from "../../platform/store/generated/enums";
import { VisibleTo } from "../access/visible-to";
import type { OwnedApplication } from "./owned-applications";
import {
  FacebookSettings,
  FirebaseSettings,
  JwtSettings,
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
  description:
    "Who may send push notifications, in addition to the account's developers and owners.",
  valuesConfig: {
    USERS: { description: "Every user, including guests." },
    MEMBERS: { description: "Users except guests." },
    NOBODY: { description: "Only the account's developers and owners." },
  },
});

@ObjectType("Application", {
  description: "An application, which owns its users, sessions and all other data.",
})
export class ApplicationType {
  @Field(() => ID, { description: "Identifier, unique among applications." })
  id!: number;

  @Field({ description: "Name of the application." })
  name!: string;

  @Field({ description: "Key that identifies the application in every signed request." })
  authKey!: string;

  @Field(() => String, {
    nullable: true,
    description: "Secret that requests are signed with. Null for members with the role support.",
  })
  @VisibleTo("developer", null)
  authSecret!: string | null;

  @Field({ description: "Key of the account that the application belongs to." })
  accountKey!: string;

  @Field(() => Date, {
    nullable: true,
    description:
      "Until when the previous secret stays valid after a rotation; null if it is not valid.",
  })
  previousSecretValidUntil!: Date | null;

  @Field({
    description:
      "Whether lists of all users are refused: `users` without a filter, and the deprecated `GET /users`. True for a new application.",
  })
  v1ListDisabled!: boolean;

  @Field({ description: "Whether users may sign up." })
  signUpOpen!: boolean;

  @Field({ description: "Whether users need their password to change their e-mail address." })
  emailNeedsPassword!: boolean;

  @Field(() => PushSendersName as object, {
    description:
      "Who may send push notifications, in addition to the account's developers and owners.",
  })
  pushSenders!: PushSenders;

  @Field({
    description:
      "Whether chat clients receive a hangUp when another device of their user answers a call.",
  })
  answeredElsewhere!: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      "Maximum number of new calls that a user starts in a minute; null for that of the deployment.",
  })
  newCallsPerMinute!: number | null;

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

  @Field({
    description:
      "Whether the devices that an incoming-call push woke get another push when the call stops ringing.",
  })
  callEndPush!: boolean;

  @Field({
    description:
      "Whether VoIP subscriptions get that push as well. iOS requires the app to report a call for each VoIP push.",
  })
  callEndVoip!: boolean;

  @Field({
    description: "Whether a missed call sends a push to the devices of the user who was called.",
  })
  missedCallPush!: boolean;

  @Field({
    description: "Whether that push has the number of missed calls as the badge of the app's icon.",
  })
  missedCallBadge!: boolean;

  @Field({
    description: "Whether the first join of a legacy client creates the conference that it names.",
  })
  conferencesOnJoin!: boolean;

  @Field({
    description:
      "Whether the first session that the application's backend creates for a login or an external id creates the user, also while users may not sign up. False for a new application.",
  })
  serverSessionsCreateUsers!: boolean;

  @Field({
    description:
      "Where the backend's sessions create users: whether a login or an external id also reaches a user who signed up without the backend. False for a new application.",
  })
  serverSessionsReachSignedUpUsers!: boolean;

  @Field(() => [String], {
    description: "Web origins that may use sessions of the application; empty allows any.",
  })
  webOrigins!: string[];

  @Field(() => JwtSettings, {
    nullable: true,
    description: "JWTs of the application's backend; null if they are refused.",
  })
  jwt!: JwtSettings | null;

  @Field(() => FacebookSettings, { nullable: true, description: "Sign-in through Facebook." })
  facebook!: FacebookSettings | null;

  @Field(() => TwitterSettings, { nullable: true, description: "Sign-in through Twitter." })
  twitter!: TwitterSettings | null;

  @Field(() => FirebaseSettings, { nullable: true, description: "Sign-in by phone number." })
  firebase!: FirebaseSettings | null;

  @Field(() => Date, { description: "When the application was created." })
  createdAt!: Date;
}

/** Converts an application to its GraphQL type. */
export function toGraphqlApplication({ settings, ...rest }: OwnedApplication): ApplicationType {
  return { ...rest, ...toGraphqlProviders(settings) };
}
