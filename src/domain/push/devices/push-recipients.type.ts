import { Field, Int, ObjectType } from "type-graphql";
import type { PushChannel } from "../channels/channel";
import { PushChannelName } from "../channels/channel.type";

@ObjectType({ description: "Recipients of a push on one channel.", simpleResolvers: true })
export class PushChannelRecipients {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => Int, { description: "Number of devices." })
  deviceCount!: number;

  @Field(() => Int, { description: "Number of users that own these devices." })
  userCount!: number;
}

@ObjectType({
  description:
    "Recipients of a push, counted among the first 10,000 users that its selector concerns.",
  simpleResolvers: true,
})
export class PushRecipientCount {
  @Field(() => Int, { description: "Number of devices on all channels." })
  deviceCount!: number;

  @Field(() => Int, { description: "Number of users with such a device, each counted once." })
  userCount!: number;

  @Field({
    description: "Whether all users were looked at; if not, there may be more than counted.",
  })
  isExact!: boolean;

  @Field(() => [PushChannelRecipients], {
    description: "The same for each channel. A user with several devices may be on several.",
  })
  channels!: PushChannelRecipients[];
}
