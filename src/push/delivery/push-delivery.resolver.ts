import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from "type-graphql";
import { Fault } from "../../core/errors";
import { Allow } from "../../identity/context";
import { parseId } from "../../identity/user/find-user";
import type { PushContext } from "../context";
import { findAccountEvent, findEvent, noEvent } from "../event/event-list";
import type { PushEvent } from "../event/push-event";
import { PageArgs } from "../event/push-event.resolver";
import { listDeliveries, type PushDelivery } from "./deliveries";
import { watchDeliveries } from "./notices";
import { PushDeliveryConnection, PushDeliveryObject } from "./push-delivery.type";

@Resolver()
export class PushDeliveryResolver {
  @Allow("user")
  @Query(() => PushDeliveryConnection, {
    description: "What became of an event of the calling user, device by device.",
  })
  async pushDeliveries(
    @Ctx() context: PushContext,
    @Arg("eventId", () => ID, { description: "The event." }) eventId: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushDeliveryConnection> {
    const viewer = await context.visit.user();
    return deliveriesOf(context, await findEvent(context.identity, viewer, eventId), page);
  }

  @Allow("account")
  @Query(() => PushDeliveryConnection, {
    description: "What became of an event of one of the account's applications, device by device.",
  })
  async applicationPushDeliveries(
    @Ctx() context: PushContext,
    @Arg("eventId", () => ID, { description: "The event." }) eventId: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushDeliveryConnection> {
    const viewer = await context.visit.account();
    return deliveriesOf(context, await findAccountEvent(context.identity, viewer, eventId), page);
  }
}

/** Apart, since the stream has the list's name. */
@Resolver()
export class PushDeliveryStreamResolver {
  @Allow("user")
  @Subscription(() => [PushDeliveryObject], {
    description:
      "Deliveries of the calling user's events as they are tried, from the moment the subscription stands; at most 500 at once.",
    subscribe: async ({ context, args }: { context: PushContext; args: { eventId?: string } }) => {
      const { eventId = null } = args;
      const event = eventId === null ? null : parseId(eventId);
      if (eventId !== null && event === null) throw Fault.field("eventId", "must be an event's id");
      const viewer = await context.visit.user();
      return watchDeliveries(context.push, viewer, event, context.caller.hangUp);
    },
  })
  pushDeliveries(
    @Root() deliveries: PushDelivery[],
    @Arg("eventId", () => ID, { nullable: true, description: "Of this event alone." })
    _eventId?: string,
  ): PushDelivery[] {
    return deliveries;
  }
}

async function deliveriesOf(
  { identity }: PushContext,
  event: PushEvent | null,
  page: PageArgs,
): Promise<PushDeliveryConnection> {
  if (event === null) throw noEvent();
  const { nodes, hasNextPage } = await listDeliveries(identity, event.id, page);
  const cursorOf = (delivery?: PushDelivery) => (delivery ? String(delivery.id) : null);
  return {
    nodes,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: Boolean(page.after),
      startCursor: cursorOf(nodes[0]),
      endCursor: cursorOf(nodes.at(-1)),
    },
  };
}
