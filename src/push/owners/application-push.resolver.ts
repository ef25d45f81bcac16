import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from "type-graphql";
import { whileMember } from "../../access/member-stream";
import { Allow } from "../../access/request-auth";
import { findOwnedApplication } from "../../applications/owned-applications";
import { PageArgs, toConnection } from "../../paging/page.type";
import { PushDeliveryConnection } from "../delivery/push-delivery.type";
import type { PushContext } from "../deps/push-deps";
import { PushRecipientCount } from "../devices/push-recipients.type";
import { PushRecipientsInput } from "./application-push.input";
import { type EventProgress, type ProgressLoads, streamEventProgress } from "./event-progress";
import { PushProgress } from "./push-progress.type";
import { countRecipientsOf } from "./recipients";
import { listUserDeliveries, userDeliveryCursor } from "./user-deliveries";

@Resolver()
export class ApplicationPushResolver {
  @Allow("support")
  @Query(() => PushRecipientCount, {
    description: `Counts whom a push to users of one of the account's applications would reach now. Looks at up to
10,000 users, so that it may be asked while somebody types.`,
  })
  async applicationPushRecipientCount(
    @Ctx() { push, auth }: PushContext,
    @Arg("applicationId", () => ID, { description: "The application." }) applicationId: string,
    @Arg("recipients", () => PushRecipientsInput, { description: "The recipients." })
    recipients: PushRecipientsInput,
  ): Promise<PushRecipientCount> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, applicationId);
    return countRecipientsOf(push, id, recipients);
  }

  @Allow("support")
  @Query(() => PushDeliveryConnection, {
    description: `Deliveries to the present devices of a user of one of the account's applications, those of the newest
event first. Deliveries to devices that are no longer registered belong to no user.`,
  })
  async applicationUserPushDeliveries(
    @Ctx() { push, auth }: PushContext,
    @Arg("applicationId", () => ID, { description: "The application." }) applicationId: string,
    @Arg("userId", () => ID, { description: "The user." }) userId: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushDeliveryConnection> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(push, accountId, applicationId);
    return toConnection(await listUserDeliveries(push, id, userId, page), userDeliveryCursor);
  }

  @Allow("support")
  @Subscription(() => PushProgress, {
    description: `Watches an event of one of the account's applications while it sends: its present state at once, then
up to three updates per second until its last outcome. Ends when the event is finished or deleted.`,
    subscribe: async ({
      context: { push, auth },
      args,
    }: {
      context: PushContext & { push: ProgressLoads };
      args: { eventId: string };
    }) => whileMember(auth, await streamEventProgress(push, await auth.account(), args.eventId)),
  })
  applicationPushProgress(
    @Root() progress: EventProgress,
    @Arg("eventId", () => ID, { description: "The event." }) _eventId: string,
  ): PushProgress {
    return progress;
  }
}
