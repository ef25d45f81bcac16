import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  Float,
  ID,
  Resolver,
  Root,
  Subscription,
} from "type-graphql";
import { eachWhileMember } from "../../../access/member-stream";
import { Allow } from "../../../access/request-auth";
import { ApplicationType } from "../../../applications/application.type";
import type { ApplicationDeps } from "../../../applications/application-deps";
import { findOwnedApplication } from "../../../applications/owned-applications";
import { toConnection } from "../../../paging/page.type";
import { timeCursor } from "../../../paging/time-page";
import type { HistoryContext, HistoryDeps } from "../history-deps";
import {
  ApplicationCallArgs,
  ApplicationCallConnection,
  ApplicationCallObject,
  CallTimeLineEntry,
  toGraphqlEntry,
} from "./application-call.type";
import {
  type ApplicationCall,
  answerSeconds,
  connectSeconds,
  findApplicationCall,
  listApplicationCalls,
  type OwnerCallLoads,
  watchApplicationCall,
  watchLiveCalls,
} from "./application-calls";

/** Context of the owners' operations on calls. */
interface OwnerCallContext extends HistoryContext {
  callHistory: HistoryDeps & OwnerCallLoads;
  admin: ApplicationDeps;
}

const APPLICATION = { description: "The application." } as const;
const CALL = { description: "Identifier of the record." } as const;

/** Finds the application of an argument. @throws Fault NOT_FOUND */
async function ownApplication({ admin, auth }: OwnerCallContext, id: string): Promise<number> {
  const { accountId } = await auth.account();
  return (await findOwnedApplication(admin, accountId, id)).id;
}

@Resolver(() => ApplicationType)
export class ApplicationCallsResolver {
  @FieldResolver(() => ApplicationCallConnection, {
    description: "Calls of the application's users, newest first.",
  })
  async calls(
    @Root() { id }: ApplicationType,
    @Ctx() { callHistory }: OwnerCallContext,
    @Args(() => ApplicationCallArgs) request: ApplicationCallArgs,
  ): Promise<ApplicationCallConnection> {
    const page = await listApplicationCalls(callHistory, id, request);
    return toConnection(page, (call) => timeCursor({ at: call.startedAt, id: call.id }));
  }

  @FieldResolver(() => ApplicationCallObject, {
    nullable: true,
    description: "A call of the application's users; null if there is no such call.",
  })
  call(
    @Root() { id: applicationId }: ApplicationType,
    @Ctx() { callHistory }: OwnerCallContext,
    @Arg("id", () => ID, CALL) id: string,
  ): Promise<ApplicationCall | null> {
    return findApplicationCall(callHistory, applicationId, id);
  }
}

@Resolver(() => ApplicationCallObject)
export class ApplicationCallFieldsResolver {
  @FieldResolver(() => Float, {
    nullable: true,
    description: "Seconds from the first `call` to the first `accept`; null if nobody accepted.",
  })
  answerSeconds(@Root() call: ApplicationCall): number | null {
    return answerSeconds(call);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Seconds from the first `accept` to the last `iceCandidates` that a participant sent within about half a minute of it: how long the participants looked for a connection. Null without candidates after an `accept`. The service sees signals and no media: when media began to flow, and whether it did, is unknown, and it mostly flows before the last candidates.",
  })
  async connectSeconds(
    @Root() call: ApplicationCall,
    @Ctx() { callHistory }: OwnerCallContext,
  ): Promise<number | null> {
    if (call.acceptedAt === null) return null;
    return connectSeconds(call, await callHistory.timeLines.load(call.id));
  }

  @FieldResolver(() => [CallTimeLineEntry], {
    description:
      "Its signals in the order in which the service accepted them, kept as long as the record.",
  })
  async timeLine(
    @Root() { id }: ApplicationCall,
    @Ctx() { callHistory }: OwnerCallContext,
  ): Promise<CallTimeLineEntry[]> {
    return (await callHistory.timeLines.load(id)).map(toGraphqlEntry);
  }
}

@Resolver()
export class ApplicationCallStreamResolver {
  @Allow("support")
  @Subscription(() => ApplicationCallObject, {
    description:
      "Calls of one of the account's applications: first those that are live now, up to 1,000, then each call whenever its state changes, shortly after the signals that change it. A slow subscriber gets the last state of each.",
    subscribe: async ({
      context,
      args,
    }: {
      context: OwnerCallContext;
      args: { applicationId: string };
    }) => {
      const applicationId = await ownApplication(context, args.applicationId);
      const calls = await watchLiveCalls(context.callHistory, applicationId);
      return eachWhileMember(context.auth, calls);
    },
  })
  applicationCalls(
    @Root() call: ApplicationCall,
    @Arg("applicationId", () => ID, APPLICATION) _applicationId: string,
  ): ApplicationCall {
    return call;
  }

  @Allow("support")
  @Subscription(() => ApplicationCallObject, {
    description:
      "A call of one of the account's applications: first as it is, then whenever its state changes or its time line grows.",
    subscribe: async ({
      context,
      args,
    }: {
      context: OwnerCallContext;
      args: { applicationId: string; id: string };
    }) => {
      const applicationId = await ownApplication(context, args.applicationId);
      const changes = await watchApplicationCall(context.callHistory, applicationId, args.id);
      return eachWhileMember(context.auth, changes);
    },
  })
  applicationCall(
    @Root() call: ApplicationCall,
    @Arg("applicationId", () => ID, APPLICATION) _applicationId: string,
    @Arg("id", () => ID, CALL) _id: string,
  ): ApplicationCall {
    return call;
  }
}
