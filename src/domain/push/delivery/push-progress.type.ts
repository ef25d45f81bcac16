import { Field, Int, ObjectType } from "type-graphql";
import type { PushEvent } from "../events/push-event";
import { PushEventObject } from "../events/push-event.type";
import type { PushDelivery } from "./delivery-queries";
import { PushDeliveryObject } from "./push-delivery.type";

@ObjectType({
  description: "The state of an event while it sends, and what has happened since the last update.",
  simpleResolvers: true,
})
export class PushProgress {
  @Field(() => PushEventObject, { description: "The event with its present counts and state." })
  event!: PushEvent;

  @Field(() => [PushDeliveryObject], {
    description:
      "Deliveries that were attempted since the last update, up to 100; none in the first one.",
  })
  deliveries!: PushDelivery[];

  @Field(() => Int, {
    description: "Number of further attempts since the last update; pushDeliveries lists them.",
  })
  omittedCount!: number;
}
