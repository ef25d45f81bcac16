import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  Float,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from "type-graphql";
import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import type { MemberViewer, UserViewer } from "../../../core/viewer";
import { eachWhileMember } from "../../access/member-stream";
import { Allow } from "../../access/request-auth";
import { VisibleTo } from "../../access/visible-to";
import { ApplicationType } from "../../applications/application.type";
import { namedApplication } from "../../applications/named-application";
import { toConnection } from "../../paging/page.type";
import {
  ApplicationCallArgs,
  applicationOfCall,
  CallConnection,
  CallObject,
  CallPageArgs,
  MarkCallsSeenPayload,
} from "./call.type";
import { watchApplicationCall, watchApplicationCalls, watchCalls } from "./call-changes";
import {
  BY_START,
  type Call,
  type CallLoads,
  findCall,
  listApplicationCalls,
  listCalls,
  noCall,
} from "./call-list";
import type { HistoryContext, HistoryDeps } from "./history-deps";
import { markCallsSeen } from "./missed-call-push";
import { CallTimelineEntry, toGraphqlEntry } from "./timeline/timeline.type";

/** Context of the resolvers of calls. */
interface CallContext extends HistoryContext {
  callHistory: HistoryDeps & CallLoads;
}

/** Arguments of the subscription. */
interface CallChangesArgs {
  applicationId?: string | null;
  id?: string | null;
  callId?: string | null;
}

const RECORD = "The call, by the identifier of its record.";

@Resolver()
export class CallResolver {
  @Allow("user")
  @Query(() => CallConnection, {
    description: "The calls that the signed-in user participates in, newest first.",
  })
  async calls(
    @Ctx() { callHistory, auth }: CallContext,
    @Args(() => CallPageArgs) page: CallPageArgs,
  ): Promise<CallConnection> {
    return toConnection(await listCalls(callHistory, await auth.user(), page));
  }

  @Allow("user", "support")
  @Query(() => CallObject, {
    description:
      "A call that the signed-in user participates in; for members of an account, a call of one of its applications. Takes either callId or id.",
  })
  async call(
    @Ctx() { callHistory, auth }: CallContext,
    @Arg("callId", () => ID, {
      nullable: true,
      description: "Id of the call, as in its signals; for users only.",
    })
    callId?: string | null,
    @Arg("id", () => ID, { nullable: true, description: RECORD }) id?: string | null,
  ): Promise<Call> {
    return findCall(callHistory, await auth.userOrMember(), { id, callId });
  }

  @Allow("user")
  @Mutation(() => MarkCallsSeenPayload, {
    description:
      "Notes that the signed-in user has seen the list of calls: the count of missed calls in pushes starts again, and missed-call pushes that were not sent are not sent any more.",
  })
  async markCallsSeen(@Ctx() { callHistory, auth }: CallContext): Promise<MarkCallsSeenPayload> {
    const { userId } = await auth.user();
    return { seenAt: await markCallsSeen(callHistory, userId) };
  }

  @Allow("user", "support")
  @Subscription(() => CallObject, {
    description:
      "The signed-in user's calls whenever their state changes, shortly after the signals that change it. A slow subscriber gets the last state of each.\n\nMembers of an account get the calls of one of its applications. The subscription begins with those that are live now, up to 1,000. With id it has only that call: first as it is, then whenever its state changes or its timeline grows.",
    subscribe: async ({ context, args }: { context: CallContext; args: CallChangesArgs }) => {
      const viewer = await context.auth.userOrMember();
      return viewer.kind === "member"
        ? watchAsMember(context, viewer, args)
        : watchAsUser(context, viewer, args);
    },
  })
  callChanges(
    @Root() call: Call,
    @Arg("callId", () => ID, {
      nullable: true,
      description: "Only changes of this call; of all calls when omitted. For users only.",
    })
    _callId?: string,
    @Arg("applicationId", () => ID, {
      nullable: true,
      description: "The application. Members of its account must name it.",
    })
    _applicationId?: string,
    @Arg("id", () => ID, {
      nullable: true,
      description: "Only changes of the call with this identifier of its record.",
    })
    _id?: string,
  ): Call {
    return call;
  }
}

async function watchAsUser(
  { callHistory }: CallContext,
  viewer: UserViewer,
  { applicationId, id, callId }: CallChangesArgs,
): Promise<AsyncIterableIterator<Call>> {
  await namedApplication(viewer, applicationId);
  const number = typeof id === "string" ? parseId(id) : null;
  if (typeof id === "string" && number === null) throw Fault.field("id", "must be a call's id");
  return watchCalls(callHistory, viewer, { id: number, callId });
}

async function watchAsMember(
  { auth, callHistory }: CallContext,
  viewer: MemberViewer,
  { applicationId, id, callId }: CallChangesArgs,
): Promise<AsyncIterableIterator<Call>> {
  const application = await namedApplication(viewer, applicationId);
  if (typeof callId === "string") throw Fault.field("callId", "is for users; use id");
  if (typeof id !== "string") {
    return eachWhileMember(auth, await watchApplicationCalls(callHistory, application));
  }
  const call = await findCall(callHistory, viewer, { id });
  if (call.applicationId !== application) throw noCall();
  return eachWhileMember(auth, await watchApplicationCall(callHistory, call));
}

@Resolver(() => ApplicationType)
export class ApplicationCallsResolver {
  @FieldResolver(() => CallConnection, {
    description: "Calls of the application's users, newest first.",
  })
  async calls(
    @Root() { id }: ApplicationType,
    @Ctx() { callHistory }: CallContext,
    @Args(() => ApplicationCallArgs) request: ApplicationCallArgs,
  ): Promise<CallConnection> {
    const page = await listApplicationCalls(callHistory, id, request);
    return toConnection(page, BY_START.cursorOf);
  }
}

@Resolver(() => CallObject)
export class CallFieldsResolver {
  @FieldResolver(() => Float, {
    nullable: true,
    description: "Seconds from the first `call` to the first `accept`; null if nobody accepted.",
  })
  answerSeconds(@Root() { startedAt, acceptedAt }: Call): number | null {
    return acceptedAt === null ? null : (acceptedAt.getTime() - startedAt.getTime()) / 1000;
  }

  @FieldResolver(() => [CallTimelineEntry], {
    nullable: true,
    description:
      "Its signals in the order in which the service accepted them, kept as long as the record. Null for everybody but members of the application's account.",
  })
  @VisibleTo("support", applicationOfCall)
  async timeline(
    @Root() { id }: Call,
    @Ctx() { callHistory }: CallContext,
  ): Promise<CallTimelineEntry[]> {
    return (await callHistory.timelines.load(id)).map(toGraphqlEntry);
  }
}
