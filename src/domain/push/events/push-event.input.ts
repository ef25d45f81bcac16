import { Field, ID, InputType, Int, registerEnumType } from "type-graphql";
import { Legacy } from "../../access/legacy";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import type { PushEnvironment } from "../channels/channel";
import type { EventInput } from "./event-request";
import type { PushEventKind, PushEventState, PushEventType } from "./push-event";
import { PushEventKindName, PushEventStateName, PushEventTypeName } from "./push-event.type";
import { PushMessageInput, toMessageInput } from "./push-message.input";

const PushNotificationType = { PUSH: "push" } as const;
registerEnumType(PushNotificationType, {
  name: "PushNotificationType",
  description: "Type of notification.",
  valuesConfig: { PUSH: { description: "Push notification." } },
});

@InputType({
  description: "A push. Exactly one of the five lists selects its recipients.",
})
export class CreatePushEventInput {
  @Field(() => ID, {
    nullable: true,
    description: "The application whose users are notified. Members of its account must name it.",
  })
  applicationId?: string | null;

  @Legacy()
  @Field(() => PushNotificationType, { nullable: true, description: "PUSH, the only type." })
  notificationType?: "push" | null;

  @Field(() => PushEnvironmentName as object, {
    description: "Environment of the recipient devices.",
  })
  environment!: PushEnvironment;

  @Field(() => PushEventTypeName as object, {
    nullable: true,
    description: "When the push is dispatched; ONE_SHOT by default.",
  })
  eventType?: PushEventType | null;

  @Field(() => PushMessageInput, { description: "The message." })
  message!: PushMessageInput;

  @Field(() => String, { nullable: true, description: "Name given by the sender." })
  name?: string | null;

  @Field(() => Date, { nullable: true, description: "First dispatch of a schedule." })
  date?: Date | null;

  @Field(() => Date, { nullable: true, description: "End of a schedule." })
  endDate?: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: "Period of a schedule in seconds: 86400, 604800, 2592000 or 31557600.",
  })
  period?: number | null;

  @Field(() => [ID], { nullable: true, description: "Up to 10,000 recipients by id." })
  userIds?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Up to 10,000 recipients by external id.",
  })
  externalUserIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Recipients with any of these tags." })
  tagsAny?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Recipients with all of these tags." })
  tagsAll?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Recipients with none of these tags." })
  tagsExclude?: string[] | null;
}

@InputType({ description: "An event to stop." })
export class StopPushEventInput {
  @Field(() => ID, { description: "The event." })
  id!: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether deliveries that were not sent yet, or wait for a retry, fail instead of being sent; false by default.",
  })
  withdrawUnsent?: boolean | null;
}

@InputType({ description: "Which events of an application to list. Omitted fields allow all." })
export class PushEventFilter {
  @Field(() => PushEventKindName as object, { nullable: true, description: "Only this kind." })
  kind?: PushEventKind | null;

  @Field(() => PushEventStateName as object, {
    nullable: true,
    description: "Only this state; SCHEDULED for active schedules.",
  })
  state?: PushEventState | null;
}

@InputType({ description: "An event to delete." })
export class DeletePushEventInput {
  @Field(() => ID, { description: "An event of the signed-in user." })
  id!: string;
}

/** Converts GraphQL input to the domain's input. */
export function toEventInput({
  message,
  applicationId: _applicationId,
  ...input
}: CreatePushEventInput): EventInput {
  return { ...input, message: toMessageInput(message) };
}
