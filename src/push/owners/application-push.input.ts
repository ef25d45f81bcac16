import { Field, ID, InputType } from "type-graphql";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import { PushChannelName } from "../channels/channel.type";
import type { PushEventKind, PushEventState } from "../events/push-event";
import { PushEventKindName, PushEventStateName } from "../events/push-event.type";

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

@InputType({ description: "An event of an application to stop." })
export class StopApplicationPushEventInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => ID, { description: "An event of the application." })
  eventId!: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether deliveries that were not sent yet, or wait for a retry, fail instead of being sent; false by default.",
  })
  withdrawUnsent?: boolean | null;
}

@InputType({
  description: "Recipients of a push to count. Exactly one of the five lists selects them.",
})
export class PushRecipientsInput {
  @Field(() => PushEnvironmentName as object, {
    description: "Environment of the recipient devices.",
  })
  environment!: PushEnvironment;

  @Field(() => PushChannelName as object, {
    nullable: true,
    description: "The channel of a push for one platform; null for a push for all platforms.",
  })
  channel?: PushChannel | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether a push for all platforms asks for VoIP pushes; false by default.",
  })
  voip?: boolean | null;

  @Field(() => [ID], { nullable: true, description: "Up to 10,000 users by id." })
  userIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Up to 10,000 users by external id." })
  externalUserIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Users with any of these tags." })
  tagsAny?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Users with all of these tags." })
  tagsAll?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Users with none of these tags." })
  tagsExclude?: string[] | null;
}
