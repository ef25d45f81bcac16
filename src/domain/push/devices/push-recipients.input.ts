import { Field, ID, InputType } from "type-graphql";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import { PushChannelName } from "../channels/channel.type";

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
