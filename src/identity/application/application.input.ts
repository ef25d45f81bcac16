import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import type { PushEnvironment, PushSenders } from "../../store/generated/enums";
import { ApplicationType, PushSendersName } from "./application.type";
import {
  FacebookSettingsInput,
  FirebaseSettingsInput,
  TwitterSettingsInput,
} from "./provider-settings.type";
import { PushEnvironmentName } from "./push-environment.type";

@InputType({ description: "A new application." })
export class CreateApplicationInput {
  @Field({ description: "Name of the application." })
  name!: string;
}

@InputType({ description: "Changes of an application. What is left out stays." })
export class UpdateApplicationInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => String, { nullable: true, description: "New name." })
  name?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the deprecated user list (V1) is refused.",
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
    description: "Who may ask for push notifications, beside the account's owner.",
  })
  pushSenders?: PushSenders | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether chat clients are told of an answer on another device of their user by a hangUp.",
  })
  answeredElsewhere?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether a call wakes the devices of whoever it does not reach, by a push.",
  })
  wakePhones?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: "Seconds that connected devices are given to accept before that: 0 to 30.",
  })
  wakeAfterSeconds?: number | null;

  @Field(() => PushEnvironmentName as object, {
    nullable: true,
    description: "The environment of the devices that are woken.",
  })
  wakeEnvironment?: PushEnvironment | null;

  @Field(() => [String], {
    nullable: true,
    description: "Web origins that may use sessions of the application; none for any.",
  })
  webOrigins?: string[] | null;

  @Field(() => FacebookSettingsInput, {
    nullable: true,
    description: "Sign-in through Facebook; null ends it.",
  })
  facebook?: FacebookSettingsInput | null;

  @Field(() => TwitterSettingsInput, {
    nullable: true,
    description: "Sign-in through Twitter; null ends it.",
  })
  twitter?: TwitterSettingsInput | null;

  @Field(() => FirebaseSettingsInput, {
    nullable: true,
    description: "Sign-in by phone number; null ends it.",
  })
  firebase?: FirebaseSettingsInput | null;
}

@InputType({ description: "A new secret for an application." })
export class RotateSecretInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Seconds that the old secret stays valid: 0 to 30 days, a day when left out.",
  })
  overlapSeconds?: number | null;
}

@InputType({ description: "A user of one of the owner's applications." })
export class ApplicationUserInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => ID, { description: "The user." })
  userId!: string;
}

@ObjectType({
  description: "What createApplication, updateApplication and rotateSecret answer.",
  simpleResolvers: true,
})
export class ApplicationPayload {
  @Field(() => ApplicationType, { description: "The application as it is now." })
  application!: ApplicationType;
}

@ObjectType({ description: "What exportUser answers.", simpleResolvers: true })
export class ExportUserPayload {
  @Field(() => GraphQLJSONObject, {
    description:
      "Every row that names the user: user, tags, identities, sessions, passwordResets, subscriptions, events, deliveries, calls, wakes.",
  })
  export!: object;
}

@ObjectType({ description: "What eraseUser answers.", simpleResolvers: true })
export class EraseUserPayload {
  @Field(() => ID, { description: "Id of the user who is no more." })
  erasedUserId!: string;
}
