import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  ID,
  Query,
  Resolver,
  Root,
  Subscription,
} from "type-graphql";
import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import { whileMember } from "../../access/member-stream";
import { Allow, KeyScope } from "../../access/request-auth";
import { ApplicationType } from "../../applications/application.type";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import { UserPageArgs } from "../devices/push-subscription.input";
import { requireEvent } from "../events/event-list";
import { type DeliveryLoads, listDeliveries, streamDeliveries } from "./deliveries";
import type { PushDelivery, PushOutcome } from "./delivery-queries";
import { type EventProgress, type ProgressLoads, streamEventProgress } from "./event-progress";
import { PushDeliveryConnection, PushDeliveryObject, PushOutcomeName } from "./push-delivery.type";
import { PushProgress } from "./push-progress.type";
import { listUserDeliveries, NEWEST_EVENT_FIRST } from "./user-deliveries";

@Resolver()
export class PushDeliveryResolver {
  @Allow("user", "support")
  @KeyScope("push")
  @Query(() => PushDeliveryConnection, {
    description:
      "Deliveries of an event of the signed-in user, or, for members of an account, of one of its applications: one per device and dispatch.",
  })
  async pushDeliveries(
    @Ctx() { push, auth }: PushContext,
    @Arg("eventId", () => ID, { description: "The event." }) eventId: string,
    @Arg("outcome", () => PushOutcomeName as object, {
      nullable: true,
      description: "Lists only deliveries with this outcome.",
    })
    outcome: PushOutcome | null | undefined,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushDeliveryConnection> {
    const { id } = await requireEvent(push, await auth.userOrMember(), eventId);
    return toConnection(await listDeliveries(push, id, page, outcome ?? null));
  }

  @Allow("user", "support")
  @Subscription(() => PushProgress, {
    description: `Watches an event of the signed-in user, or, for members of an account, of one of its applications, while it
sends: its present state at once, then up to three updates per second until its last outcome. Ends when the event is
finished or deleted.`,
    subscribe: async ({
      context: { push, auth },
      args,
    }: {
      context: PushContext & { push: ProgressLoads };
      args: { eventId: string };
    }) =>
      whileMember(auth, await streamEventProgress(push, await auth.userOrMember(), args.eventId)),
  })
  pushProgress(
    @Root() progress: EventProgress,
    @Arg("eventId", () => ID, { description: "The event." }) _eventId: string,
  ): PushProgress {
    return progress;
  }
}

@Resolver(() => ApplicationType)
export class ApplicationDeliveriesResolver {
  @FieldResolver(() => PushDeliveryConnection, {
    description:
      "Deliveries to the present devices of one of the application's users, those of the newest event first. Deliveries to devices that are no longer registered belong to no user.",
  })
  async pushDeliveries(
    @Root() { id }: ApplicationType,
    @Ctx() { push }: PushContext,
    @Args(() => UserPageArgs) { userId, ...page }: UserPageArgs,
  ): Promise<PushDeliveryConnection> {
    return toConnection(
      await listUserDeliveries(push, id, userId, page),
      NEWEST_EVENT_FIRST.cursorOf,
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
