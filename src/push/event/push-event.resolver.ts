import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import { Allow } from "../../identity/context";
import type { PushContext } from "../context";
import { PushName } from "../subscription/push-subscription.type";
import { tryEvent } from "./dry-run";
import { deleteEvent, findEvent, listEvents, stopEvent } from "./event-list";
import { createEvents, type Sender } from "./events";
import type { PushEvent } from "./push-event";
import {
  CreatePushEventInput,
  DeletePushEventInput,
  StopPushEventInput,
  toInput,
} from "./push-event.input";
import {
  CreatePushEventPayload,
  DeletePushEventPayload,
  PushEventConnection,
  PushEventObject,
  StopPushEventPayload,
  toConnection,
  toEdge,
} from "./push-event.type";
import { allowSender } from "./senders";

/** Which part of a list is asked for. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, description: "How many at most; never more than 100." })
  first?: number | null;

  @Field(() => String, { nullable: true, description: "Cursor of the last one known." })
  after?: string | null;
}

@Resolver()
export class PushEventResolver {
  @Allow("user")
  @Query(() => PushEventConnection, {
    description: "The events that the calling user asked for, newest first.",
  })
  async pushEvents(
    @Ctx() { identity, visit }: PushContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushEventConnection> {
    return toConnection(await listEvents(identity, await visit.user(), page), page);
  }

  @Allow("user")
  @Query(() => PushEventObject, {
    nullable: true,
    description: "An event that the calling user asked for; null for any other.",
  })
  async pushEvent(
    @Ctx() { identity, visit }: PushContext,
    @Arg("id", () => ID, { description: "The event." }) id: string,
  ): Promise<PushEvent | null> {
    return findEvent(identity, await visit.user(), id);
  }

  @Allow("user")
  @Mutation(() => CreatePushEventPayload, {
    description: `Notifies users. The answer comes before anything is sent; pushDeliveries tells what becomes of it.
Who may is a setting of the application.`,
  })
  async createPushEvent(
    @Ctx() { push, visit }: PushContext,
    @Arg("input", () => CreatePushEventInput, { description: "The push." })
    input: CreatePushEventInput,
    @Arg("idempotencyKey", () => String, {
      nullable: true,
      description:
        "Makes the request safe to repeat for 24 hours: a repetition is answered with the same events.",
    })
    idempotencyKey?: string | null,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Tells what the push would be, and sends nothing.",
    })
    dryRun?: boolean,
  ): Promise<CreatePushEventPayload> {
    const viewer = await visit.user();
    await allowSender(push, viewer);
    const { applicationId, userId } = viewer;
    return create(push, { applicationId, userId }, input, { idempotencyKey, dryRun });
  }

  @Allow("user")
  @Mutation(() => StopPushEventPayload, {
    description:
      "Ends an event of the calling user: nothing of it is dispatched any more. What was written out before is still sent.",
  })
  async stopPushEvent(
    @Ctx() { identity, visit }: PushContext,
    @Arg("input", () => StopPushEventInput, { description: "The event." })
    { id }: StopPushEventInput,
  ): Promise<StopPushEventPayload> {
    return { event: await stopEvent(identity, await visit.user(), id) };
  }

  @Allow("user")
  @Mutation(() => DeletePushEventPayload, {
    description: "Deletes an event of the calling user with its deliveries.",
  })
  async deletePushEvent(
    @Ctx() { identity, visit }: PushContext,
    @Arg("input", () => DeletePushEventInput, { description: "The event." })
    { id }: DeletePushEventInput,
  ): Promise<DeletePushEventPayload> {
    return { deletedPushEventId: await deleteEvent(identity, await visit.user(), id) };
  }
}

@Resolver(() => PushEventObject)
export class PushEventFieldsResolver {
  @FieldResolver(() => PushName, {
    description: "The channel: apns, apns_voip, gcm or web.",
    deprecationReason: "Kept for REST-compatible clients, which expect an object.",
  })
  notificationChannel(@Root() { channel }: PushEvent): PushName {
    return { name: channel };
  }
}

/** Asks for a push, or tries it out. */
export async function create(
  push: PushContext["push"],
  sender: Sender,
  given: CreatePushEventInput,
  options: { idempotencyKey?: string | null; dryRun?: boolean },
): Promise<CreatePushEventPayload> {
  const input = toInput(given);
  if (options.dryRun) {
    return { events: [], edges: [], trial: await tryEvent(push, sender, input) };
  }
  const events = await createEvents(push, sender, input, options.idempotencyKey ?? null);
  return { events, edges: events.map(toEdge), trial: null };
}
