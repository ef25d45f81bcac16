import { Arg, Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { ApplicationType } from "../../applications/application.type";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import { PushRecipientsInput } from "../devices/push-recipients.input";
import { PushRecipientCount } from "../devices/push-recipients.type";
import { countRecipientsOf } from "../devices/recipient-count";
import { listApplicationEvents } from "./event-list";
import { PushEventFilter } from "./push-event.input";
import { PushEventConnection } from "./push-event.type";

/** Pushes of an application, for members of its account. */
@Resolver(() => ApplicationType)
export class ApplicationPushResolver {
  @FieldResolver(() => PushEventConnection, {
    description: "Push events of the application, newest first, with their counts and state.",
  })
  async pushEvents(
    @Root() { id }: ApplicationType,
    @Ctx() { push }: PushContext,
    @Arg("filter", () => PushEventFilter, {
      nullable: true,
      description: "Lists only these events; all by default.",
    })
    filter: PushEventFilter | null | undefined,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<PushEventConnection> {
    return toConnection(await listApplicationEvents(push, id, page, filter ?? {}));
  }

  @FieldResolver(() => PushRecipientCount, {
    description:
      "Counts whom a push to users of the application would reach now. Looks at up to 10,000 users, so that it may be asked while somebody types.",
  })
  pushRecipientCount(
    @Root() { id }: ApplicationType,
    @Ctx() { push }: PushContext,
    @Arg("recipients", () => PushRecipientsInput, { description: "The recipients." })
    recipients: PushRecipientsInput,
  ): Promise<PushRecipientCount> {
    return countRecipientsOf(push, id, recipients);
  }
}
