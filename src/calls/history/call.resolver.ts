import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { toConnection } from "../../paging/page.type";
import { CallConnection, CallObject, CallPageArgs } from "./call.type";
import { watchCalls } from "./call-changes";
import { type Call, type CallLoads, findCall, listCalls } from "./call-list";
import type { HistoryContext, HistoryDeps } from "./history-deps";

/** Context of the subscription. */
interface CallStreamContext extends HistoryContext {
  callHistory: HistoryDeps & CallLoads;
}

@Resolver()
export class CallHistoryResolver {
  @Allow("user")
  @Query(() => CallConnection, {
    description: "The calls that the signed-in user participates in, newest first.",
  })
  async calls(
    @Ctx() { callHistory, auth }: HistoryContext,
    @Args(() => CallPageArgs) page: CallPageArgs,
  ): Promise<CallConnection> {
    return toConnection(await listCalls(callHistory, await auth.user(), page));
  }

  @Allow("user")
  @Query(() => CallObject, { description: "A call that the signed-in user participates in." })
  async call(
    @Ctx() { callHistory, auth }: HistoryContext,
    @Arg("callId", () => ID, { description: "Id of the call, as in its signals." }) callId: string,
  ): Promise<Call> {
    return findCall(callHistory, await auth.user(), callId);
  }

  @Allow("user")
  @Subscription(() => CallObject, {
    description:
      "The signed-in user's calls whenever their state changes, shortly after the signals that change it.",
    subscribe: async ({
      context,
      args,
    }: {
      context: CallStreamContext;
      args: { callId?: string };
    }) => {
      const viewer = await context.auth.user();
      const { callId = null } = args;
      return watchCalls(context.callHistory, viewer, callId);
    },
  })
  callChanges(
    @Root() call: Call,
    @Arg("callId", () => ID, {
      nullable: true,
      description: "Only changes of this call; of all calls when omitted.",
    })
    _callId?: string,
  ): Call {
    return call;
  }
}
