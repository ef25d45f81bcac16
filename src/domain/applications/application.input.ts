import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import type { PushEnvironment, PushSenders } from "../../platform/store/generated/enums";
import { Audited } from "../audit/entries/audited";
import { ApplicationType, PushSendersName } from "./application.type";
import {
  FacebookSettingsInput,
  FirebaseSettingsInput,
  JwtSettingsInput,
  TwitterSettingsInput,
} from "./provider-settings.type";
import { PushEnvironmentName } from "./push-environment.type";

@InputType({ description: "A new application." })
export class CreateApplicationInput {
  @Audited()
  @Field({ description: "Name of the application." })
  name!: string;
}

@InputType({ description: "Changes to an application. Omitted fields stay unchanged." })
export class UpdateApplicationInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Audited()
  @Field(() => String, { nullable: true, description: "New name." })
  name?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether lists of all users are refused: `users` without a filter, and the deprecated `GET /users`. True for a new application.",
  })
  v1ListDisabled?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether users may sign up." })
  signUpOpen?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether users need their password to change their e-mail address.",
  })
  emailNeedsPassword?: boolean | null;

  @Field(() => PushSendersName as object, {
    nullable: true,
    description:
      "Who may send push notifications, in addition to the account's developers and owners.",
  })
  pushSenders?: PushSenders | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether chat clients receive a hangUp when another device of their user answers a call.",
  })
  answeredElsewhere?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Maximum number of new calls that a user starts in a minute, 1 to 6,000, for instance for a contact centre; null for that of the deployment (RATE_NEW_CALLS_PER_USER).",
  })
  newCallsPerMinute?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether a call that does not reach a recipient sends an incoming-call push to the recipient's devices.",
  })
  incomingCallPush?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Time that connected devices have to accept before that push, in seconds: 0 to 30.",
  })
  incomingCallPushDelaySeconds?: number | null;

  @Field(() => PushEnvironmentName as object, {
    nullable: true,
    description: "The push environment of the devices that get it.",
  })
  incomingCallPushEnvironment?: PushEnvironment | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the devices that an incoming-call push woke get another push when the call stops ringing.",
  })
  callEndPush?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether VoIP subscriptions get that push as well. iOS requires the app to report a call for each VoIP push.",
  })
  callEndVoip?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether a missed call sends a push to the devices of the user who was called.",
  })
  missedCallPush?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether that push has the number of missed calls as the badge of the app's icon.",
  })
  missedCallBadge?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the first join of a legacy client creates the conference that it names.",
  })
  conferencesOnJoin?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the first session that the application's backend creates for a login or an external id creates the user, also while users may not sign up. False for a new application.",
  })
  serverSessionsCreateUsers?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Where the backend's sessions create users: whether a login or an external id also reaches a user who signed up without the backend. False for a new application.",
  })
  serverSessionsReachSignedUpUsers?: boolean | null;

  @Audited()
  @Field(() => [String], {
    nullable: true,
    description: "Web origins that may use sessions of the application; empty allows any.",
  })
  webOrigins?: string[] | null;

  @Field(() => JwtSettingsInput, {
    nullable: true,
    description: "JWTs of the application's backend; null refuses them.",
  })
  jwt?: JwtSettingsInput | null;

  @Field(() => FacebookSettingsInput, {
    nullable: true,
    description: "Sign-in through Facebook; null disables it.",
  })
  facebook?: FacebookSettingsInput | null;

  @Field(() => TwitterSettingsInput, {
    nullable: true,
    description: "Sign-in through Twitter; null disables it.",
  })
  twitter?: TwitterSettingsInput | null;

  @Field(() => FirebaseSettingsInput, {
    nullable: true,
    description: "Sign-in by phone number; null disables it.",
  })
  firebase?: FirebaseSettingsInput | null;
}

@InputType({ description: "A new secret for an application." })
export class RotateSecretInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      "Time that the old secret stays valid, in seconds: 0 to 30 days; one day by default.",
  })
  overlapSeconds?: number | null;
}

@InputType({ description: "An application to delete." })
export class DeleteApplicationInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;
}

@InputType({ description: "A user of one of the account's applications." })
export class ApplicationUserInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => ID, { description: "The user." })
  userId!: string;
}

@ObjectType({
  description: "Result of createApplication, updateApplication and rotateSecret.",
  simpleResolvers: true,
})
export class ApplicationPayload {
  @Field(() => ApplicationType, { description: "The application." })
  application!: ApplicationType;
}

@ObjectType({ description: "Result of deleteApplication.", simpleResolvers: true })
export class DeleteApplicationPayload {
  @Field(() => ID, { description: "Id of the deleted application." })
  deletedApplicationId!: string;
}
