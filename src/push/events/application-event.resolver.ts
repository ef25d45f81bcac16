import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { findOwnedApplication } from "../../applications/owned-applications";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import { findAccountEvent, listApplicationEvents } from "./event-list";
import type { PushEvent } from "./push-event";
import { CreateApplicationPushEventInput } from "./push-event.input";
import { createOrPreview } from "./push-event.resolver";
import { CreatePushEventPayload, PushEventConnection, PushEventObject } from "./push-event.type";

@Resolver()
export class ApplicationPushEventResolver {
  @Allow("account")
  @Query(() => PushEventConnection, {
    description: "Events of one of the account's applications, newest first.",
  })
  async applicationPushEvents(
    @Ctx() { push, auth }: PushContext,
    @Arg("applicationId", () => ID, { description: "The application." }) applicationId: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushEventConnection> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, applicationId);
    return toConnection(await listApplicationEvents(push, id, page));
  }

  @Allow("account")
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

  @Allow("account")
  @Mutation(() => CreatePushEventPayload, {
    description: "Notifies users of one of the account's applications on behalf of its owner.",
  })
  async createApplicationPushEvent(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => CreateApplicationPushEventInput, { description: "The push." })
    input: CreateApplicationPushEventInput,
    @Arg("dryRun", () => Boolean, {
      defaultValue: false,
      description: "Previews the push without sending it.",
    })
    dryRun: boolean,
  ): Promise<CreatePushEventPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, input.applicationId);
    return createOrPreview(push, { applicationId: id, userId: null }, input, { dryRun });
  }
}
