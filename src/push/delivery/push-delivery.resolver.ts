import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import { eventNotFound, findAccountEvent, findEvent } from "../events/event-list";
import type { PushEvent } from "../events/push-event";
import { type DeliveryLoads, listDeliveries, streamDeliveries } from "./deliveries";
import type { PushDelivery, PushOutcome } from "./delivery-queries";
import { PushDeliveryConnection, PushDeliveryObject, PushOutcomeName } from "./push-delivery.type";

@Resolver()
export class PushDeliveryResolver {
  @Allow("user")
  @Query(() => PushDeliveryConnection, {
    description: "Deliveries of one of the signed-in user's events, one per device.",
  })
  async pushDeliveries(
    @Ctx() context: PushContext,
    @Arg("eventId", () => ID, { description: "The event." }) eventId: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushDeliveryConnection> {
    const viewer = await context.auth.user();
    return deliveriesOf(context, await findEvent(context.push, viewer, eventId), page);
  }

  @Allow("support")
  @Query(() => PushDeliveryConnection, {
    description:
      "Deliveries of an event of one of the account's applications, one per device and dispatch.",
  })
  async applicationPushDeliveries(
    @Ctx() context: PushContext,
    @Arg("eventId", () => ID, { description: "The event." }) eventId: string,
    @Arg("outcome", () => PushOutcomeName as object, {
      nullable: true,
      description: "Lists only deliveries with this outcome.",
    })
    outcome: PushOutcome | null | undefined,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushDeliveryConnection> {
    const viewer = await context.auth.account();
    return deliveriesOf(
      context,
      await findAccountEvent(context.push, viewer, eventId),
      page,
      outcome,
    );
  }
}

/** A class of its own because the subscription shares its name with the query. */
@Resolver()
export class PushDeliveryStreamResolver {
  @Allow("user")
  @Subscription(() => [PushDeliveryObject], {
    description:
      "Streams the signed-in user's deliveries as they are attempted, from subscription on, in batches of up to 500.",
    subscribe: async ({
      context,
      args,
    }: {
      context: PushContext & { push: DeliveryLoads };
      args: { eventId?: string };
    }) => {
      const { eventId = null } = args;
      const event = eventId === null ? null : parseId(eventId);
      if (eventId !== null && event === null) throw Fault.field("eventId", "must be an event's id");
      const viewer = await context.auth.user();
      return streamDeliveries(context.push, viewer, event, context.caller.disconnect);
    },
  })
  pushDeliveries(
    @Root() deliveries: PushDelivery[],
    @Arg("eventId", () => ID, { nullable: true, description: "Streams only this event." })
    _eventId?: string,
  ): PushDelivery[] {
    return deliveries;
  }
}

async function deliveriesOf(
  { push }: PushContext,
  event: PushEvent | null,
  page: PageArgs,
  outcome: PushOutcome | null = null,
): Promise<PushDeliveryConnection> {
  if (event === null) throw eventNotFound();
  return toConnection(await listDeliveries(push, event.id, page, outcome));
}
