import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { connectionOf, edgeOf } from "../../paging/page.type";
import type { PushDelivery, PushOutcome } from "./delivery-queries";

/** GraphQL names of the outcomes. */
export const PushOutcomeName: Record<string, PushOutcome> = {
  PENDING: "pending",
  ACCEPTED: "accepted",
  UNREGISTERED: "unregistered",
  RETRY: "retry",
  FAILED: "failed",
};
registerEnumType(PushOutcomeName, {
  name: "PushOutcome",
  description: "Outcome of a delivery.",
  valuesConfig: {
    PENDING: { description: "Not attempted yet." },
    ACCEPTED: { description: "The push service accepted it." },
    UNREGISTERED: {
      description: "The device is no longer registered; its subscription was deleted.",
    },
    RETRY: { description: "The push service could not accept it now; it will be retried." },
    FAILED: { description: "The push service refused it, or all attempts failed." },
  },
});

@ObjectType("PushDelivery", {
  description: "The delivery of one event to one device.",
  simpleResolvers: true,
})
export class PushDeliveryObject {
  @Field(() => ID, { description: "Identifier, unique among deliveries." })
  id!: number;

  @Field(() => ID, { description: "The event." })
  eventId!: number;

  @Field(() => Int, { description: "Index of the dispatch of a schedule, from 0." })
  occurrence!: number;

  @Field(() => ID, { nullable: true, description: "The subscription; null once it is deleted." })
  subscriptionId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: "The owner of the device; null once the subscription is deleted.",
  })
  userId!: number | null;

  @Field(() => PushOutcomeName as object, { description: "The outcome." })
  outcome!: PushOutcome;

  @Field(() => String, {
    nullable: true,
    description: "Reason for the outcome, usually as reported by the push service.",
  })
  reason!: string | null;

  @Field(() => Int, { description: "Number of attempts." })
  attempts!: number;

  @Field(() => String, {
    nullable: true,
    description: "The push service's id for the notification.",
  })
  providerId!: string | null;

  @Field(() => Date, {
    description: "With RETRY, time of the next attempt; otherwise of the last one.",
  })
  dueAt!: Date;

  @Field(() => Date, { description: "When the delivery was created." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the delivery last changed." })
  updatedAt!: Date;
}

const PushDeliveryEdge = edgeOf<PushDelivery>(
  "PushDeliveryEdge",
  "delivery",
  () => PushDeliveryObject,
);

@ObjectType({ description: "A page of deliveries.", simpleResolvers: true })
export class PushDeliveryConnection extends connectionOf<PushDelivery>(
  PushDeliveryEdge,
  "deliveries",
  () => PushDeliveryObject,
) {}
