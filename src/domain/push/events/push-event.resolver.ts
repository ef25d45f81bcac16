import { GraphQLJSONObject } from "graphql-scalars";
import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import type { JsonObject } from "../../../core/json";
import { Legacy } from "../../access/legacy";
import { Allow, KeyScope } from "../../access/request-auth";
import { namedApplication } from "../../applications/named-application";
import { NotAuditedIf } from "../../audit/entries/audited";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import { CHANNEL_NAME, PushName } from "../devices/push-subscription.type";
import { readStoredMessage } from "../payload/message";
import { isNotification, readNotification } from "../payload/notification";
import { previewPush } from "../payload/preview-push";
import { translate } from "../payload/translate";
import { dryRunEvent } from "./dry-run";
import { deleteEvent, findEvent, listEvents, stopEvent } from "./event-list";
import { authorizeSender, createEvents } from "./events";
import {
  eventStateOf,
  type PushEvent,
  type PushEventState,
  pendingCount,
  type Sender,
} from "./push-event";
import {
  CreatePushEventInput,
  DeletePushEventInput,
  StopPushEventInput,
  toEventInput,
} from "./push-event.input";
import {
  CreatePushEventPayload,
  DeletePushEventPayload,
  PushEventConnection,
  PushEventObject,
  PushEventStateName,
  StopPushEventPayload,
  toEdge,
} from "./push-event.type";
import { PushNotificationObject } from "./push-notification.type";

@Resolver()
export class PushEventResolver {
  @Allow("user")
  @Query(() => PushEventConnection, {
    description: "Events that the signed-in user created, newest first.",
  })
  async pushEvents(
    @Ctx() { push, auth }: PushContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushEventConnection> {
    return toConnection(await listEvents(push, await auth.user(), page));
  }

  @Allow("user", "support")
  @KeyScope("push")
  @Query(() => PushEventObject, {
    nullable: true,
    description:
      "An event of the signed-in user, or, for members of an account, of one of its applications. Null if there is none.",
  })
  async pushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("id", () => ID, { description: "The event." }) id: string,
  ): Promise<PushEvent | null> {
    return findEvent(push, await auth.userOrMember(), id);
  }

  @Allow("user", "developer")
  @KeyScope("push")
  @NotAuditedIf("dryRun")
  @Mutation(() => CreatePushEventPayload, {
    description: `Notifies users. Responds before anything is sent; pushDeliveries reports the outcomes.
A setting of the application defines which users may send; developers and owners of its account may.`,
  })
  async createPushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => CreatePushEventInput, { description: "The push." })
    input: CreatePushEventInput,
    @Arg("idempotencyKey", () => String, {
      nullable: true,
      description:
        "Makes the request idempotent: within 24 hours, a repeated request of the user, or of any member for the application, returns the same events.",
    })
    idempotencyKey?: string | null,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Previews the push without sending it.",
    })
    dryRun?: boolean,
  ): Promise<CreatePushEventPayload> {
    const viewer = await auth.userOrMember();
    const applicationId = await namedApplication(viewer, input.applicationId);
    if (viewer.kind !== "member") await authorizeSender(push, viewer);
    const sender = { applicationId, userId: viewer.kind === "member" ? null : viewer.userId };
    return createOrPreview(push, sender, input, { idempotencyKey, dryRun });
  }

  @Allow("user", "developer")
  @KeyScope("push")
  @Mutation(() => StopPushEventPayload, {
    description: `Stops an event of the signed-in user, or, for developers and owners of an account, of one of its applications. It
creates no further deliveries. Existing deliveries are still sent, unless withdrawUnsent is true. A finished
event stays as it is.`,
  })
  async stopPushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => StopPushEventInput, { description: "The event." })
    { id, withdrawUnsent }: StopPushEventInput,
  ): Promise<StopPushEventPayload> {
    return { event: await stopEvent(push, await auth.userOrMember(), id, withdrawUnsent ?? false) };
  }

  @Allow("user")
  @Mutation(() => DeletePushEventPayload, {
    description: "Deletes an event of the signed-in user with its deliveries.",
  })
  async deletePushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => DeletePushEventInput, { description: "The event." })
    { id }: DeletePushEventInput,
  ): Promise<DeletePushEventPayload> {
    return { deletedPushEventId: await deleteEvent(push, await auth.user(), id) };
  }
}

@Resolver(() => PushEventObject)
export class PushEventFieldsResolver {
  @Legacy()
  @FieldResolver(() => PushName, CHANNEL_NAME)
  notificationChannel(@Root() { channel }: PushEvent): PushName {
    return { name: channel };
  }

  @FieldResolver(() => PushNotificationObject, {
    nullable: true,
    description: "The notification, if the push was created with one.",
  })
  notification(@Root() { message }: PushEvent): PushNotificationObject | null {
    return isNotification(message) ? readNotification(message) : null;
  }

  @FieldResolver(() => PushEventStateName as object, { description: "The state of the event." })
  state(@Root() event: PushEvent): PushEventState {
    return eventStateOf(event);
  }

  @FieldResolver(() => Int, {
    description: "Number of deliveries without a final outcome: PENDING or RETRY.",
  })
  pendingCount(@Root() event: PushEvent): number {
    return pendingCount(event);
  }

  @FieldResolver(() => GraphQLJSONObject, {
    description: "The payload for the push service, without what depends on the device.",
  })
  payload(@Root() event: PushEvent): JsonObject {
    const message = readStoredMessage(event);
    return previewPush(translate(message, event.channel, event.createdAt.getTime())).payload;
  }

  @Legacy()
  @FieldResolver(() => String, {
    description: "The message as submitted; a notification as the Base64 of its JSON.",
  })
  message(@Root() { message }: PushEvent): string {
    return isNotification(message) ? Buffer.from(message).toString("base64") : message;
  }
}

/** Creates a push, or previews it in a dry run. */
async function createOrPreview(
  push: PushContext["push"],
  sender: Sender,
  graphqlInput: CreatePushEventInput,
  options: { idempotencyKey?: string | null; dryRun?: boolean },
): Promise<CreatePushEventPayload> {
  const input = toEventInput(graphqlInput);
  if (options.dryRun) {
    return { events: [], edges: [], dryRun: await dryRunEvent(push, sender, input) };
  }
  const events = await createEvents(push, sender, input, options.idempotencyKey ?? null);
  return { events, edges: events.map(toEdge), dryRun: null };
}
