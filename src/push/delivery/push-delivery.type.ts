import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { PageInfo } from "../../identity/user/user-list.type";
import type { PushDelivery, PushOutcome } from "./deliveries";

const PushOutcomeName: Record<string, PushOutcome> = {
  PENDING: "pending",
  ACCEPTED: "accepted",
  GONE: "gone",
  LATER: "later",
  REFUSED: "refused",
};
registerEnumType(PushOutcomeName, {
  name: "PushOutcome",
  description: "What became of a delivery.",
  valuesConfig: {
    PENDING: { description: "It was not tried yet." },
    ACCEPTED: { description: "The push service took it." },
    GONE: { description: "The device is no longer registered; its subscription was deleted." },
    LATER: { description: "The push service could not take it; it is tried again." },
    REFUSED: { description: "The push service does not take it, or it was tried often enough." },
  },
});

@ObjectType("PushDelivery", { description: "One event to one device.", simpleResolvers: true })
export class PushDeliveryObject {
  @Field(() => ID, { description: "Identifier, unique among deliveries." })
  id!: number;

  @Field(() => ID, { description: "The event." })
  eventId!: number;

  @Field(() => Int, { description: "Which dispatch of a schedule, from 0." })
  occurrence!: number;

  @Field(() => ID, { nullable: true, description: "The subscription; null once it is gone." })
  subscriptionId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: "The user whose device it is; null once the subscription is gone.",
  })
  userId!: number | null;

  @Field(() => PushOutcomeName as object, { description: "What became of it." })
  outcome!: PushOutcome;

  @Field(() => String, { nullable: true, description: "Why; mostly the push service's words." })
  reason!: string | null;

  @Field(() => Int, { description: "How often it was tried." })
  attempts!: number;

  @Field(() => String, { nullable: true, description: "What the push service calls it." })
  providerId!: string | null;

  @Field(() => Date, { description: "When it is tried next, with LATER; else when it was last." })
  dueAt!: Date;

  @Field(() => Date, { description: "When it was written." })
  createdAt!: Date;

  @Field(() => Date, { description: "When it last changed." })
  updatedAt!: Date;
}

@ObjectType({ description: "Deliveries of an event, in their order.", simpleResolvers: true })
export class PushDeliveryConnection {
  @Field(() => [PushDeliveryObject], { description: "The deliveries." })
  nodes!: PushDelivery[];

  @Field(() => PageInfo, { description: "Where the page stands." })
  pageInfo!: PageInfo;
}
