import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { findOwnedApplication } from "../../applications/owned-applications";
import { NotAuditedIf } from "../../audit/entries/audited";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import { findAccountEvent, listApplicationEvents } from "../events/event-list";
import type { PushEvent } from "../events/push-event";
import { CreateApplicationPushEventInput } from "../events/push-event.input";
import { createOrPreview } from "../events/push-event.resolver";
import {
  CreatePushEventPayload,
  PushEventConnection,
  PushEventObject,
  StopPushEventPayload,
} from "../events/push-event.type";
import { PushEventFilter, StopApplicationPushEventInput } from "./application-push.input";
import { stopAndPublish } from "./stop-event";

@Resolver()
export class ApplicationPushEventResolver {
  @Allow("support")
  @Query(() => PushEventConnection, {
    description:
      "Events of one of the account's applications, newest first, with their counts and state.",
  })
  async applicationPushEvents(
    @Ctx() { push, auth }: PushContext,
    @Arg("applicationId", () => ID, { description: "The application." }) applicationId: string,
    @Arg("filter", () => PushEventFilter, {
      nullable: true,
      description: "Lists only these events; all by default.",
    })
    filter: PushEventFilter | null | undefined,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushEventConnection> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, applicationId);
    return toConnection(await listApplicationEvents(push, id, page, filter ?? {}));
  }

  @Allow("support")
  @Query(() => PushEventObject, {
    nullable: true,
    description: "An event of one of the account's applications, or null.",
  })
  async applicationPushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("id", () => ID, { description: "The event." }) id: string,
  ): Promise<PushEvent | null> {
    return findAccountEvent(push, await auth.account(), id);
  }

  @Allow("developer")
  @NotAuditedIf("dryRun")
  @Mutation(() => CreatePushEventPayload, {
    description: "Notifies users of one of the account's applications on behalf of its owner.",
  })
  async createApplicationPushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => CreateApplicationPushEventInput, { description: "The push." })
    input: CreateApplicationPushEventInput,
    @Arg("idempotencyKey", () => String, {
      nullable: true,
      description:
        "Makes the request idempotent: within 24 hours, a repeated request for the application returns the same events.",
    })
    idempotencyKey?: string | null,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Previews the push without sending it.",
    })
    dryRun?: boolean,
  ): Promise<CreatePushEventPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, input.applicationId);
    return createOrPreview(push, { applicationId: id, userId: null }, input, {
      idempotencyKey,
      dryRun,
    });
  }

  @Allow("developer")
  @Mutation(() => StopPushEventPayload, {
    description: `Stops an event of one of the account's applications, whoever created it: it creates no further
deliveries. Existing deliveries are still sent, unless withdrawUnsent is true. A finished event stays as it is.`,
  })
  async stopApplicationPushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => StopApplicationPushEventInput, { description: "The event." })
    { applicationId, eventId, withdrawUnsent }: StopApplicationPushEventInput,
  ): Promise<StopPushEventPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, applicationId);
    return { event: await stopAndPublish(push, id, eventId, withdrawUnsent ?? false) };
  }
}
