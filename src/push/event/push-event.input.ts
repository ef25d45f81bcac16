import { Field, ID, InputType, Int, registerEnumType } from "type-graphql";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import type { PushEnvironment } from "../channel";
import { channelOf, type NamedChannel, PushChannelName } from "../channel.type";
import type { EventInput } from "./event-request";
import type { PushEventType } from "./push-event";
import { PushEventTypeName } from "./push-event.type";

const PushNotificationType = { PUSH: "push" } as const;
registerEnumType(PushNotificationType, {
  name: "PushNotificationType",
  description: "How users are notified.",
  valuesConfig: { PUSH: { description: "By push notifications." } },
});

@InputType({
  description: "A push. Exactly one of the five lists selects its recipients.",
})
export class CreatePushEventInput {
  @Field(() => PushNotificationType, {
    nullable: true,
    description: "PUSH; there is no other yet.",
  })
  notificationType?: "push" | null;

  @Field(() => PushChannelName as object, {
    nullable: true,
    description: "The platform that the message is for; left out for a universal push.",
  })
  pushType?: NamedChannel | null;

  @Field(() => PushEnvironmentName as object, { description: "Whose devices it goes to." })
  environment!: PushEnvironment;

  @Field(() => PushEventTypeName as object, {
    nullable: true,
    description: "When it is dispatched; ONE_SHOT by default.",
  })
  eventType?: PushEventType | null;

  @Field({
    description:
      "The payload: the Base64 of a JSON object of a universal push, `payload=` and the Base64 of the platform's own JSON for one platform.",
  })
  message!: string;

  @Field(() => String, { nullable: true, description: "What its sender calls it." })
  name?: string | null;

  @Field(() => Date, { nullable: true, description: "When a schedule begins." })
  date?: Date | null;

  @Field(() => Date, { nullable: true, description: "When a schedule ends." })
  endDate?: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: "Seconds between two dispatches: 86400, 604800, 2592000 or 31557600.",
  })
  period?: number | null;

  @Field(() => [ID], { nullable: true, description: "Recipients by id, 10,000 at most." })
  userIds?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Recipients by external id, 10,000 at most.",
  })
  externalUserIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Recipients with one of these tags." })
  tagsAny?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Recipients with all of these tags." })
  tagsAll?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Recipients with none of these tags." })
  tagsExclude?: string[] | null;
}

@InputType({ description: "A push of the account's owner." })
export class CreateApplicationPushEventInput extends CreatePushEventInput {
  @Field(() => ID, { description: "The application whose users are notified." })
  applicationId!: string;
}

@InputType({ description: "An event that is to end." })
export class StopPushEventInput {
  @Field(() => ID, { description: "The event, one's own." })
  id!: string;
}

@InputType({ description: "An event that is to be deleted." })
export class DeletePushEventInput {
  @Field(() => ID, { description: "The event, one's own." })
  id!: string;
}

/** What the domain takes, of what GraphQL takes. */
export function toInput({ pushType, ...input }: CreatePushEventInput): EventInput {
  return { ...input, pushType: pushType ? channelOf(pushType) : null };
}
