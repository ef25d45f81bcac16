import { GraphQLSafeInt } from "graphql-scalars";
import { Args, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import { PageArgs, PageInfo, toConnection } from "../paging/page.type";
import type { SessionContext } from "./session-deps";
import { destroyOtherSessions, listSessions, sessionCursor } from "./session-list";

@ObjectType("SessionEntry", {
  description: "A session of the signed-in user, without its token.",
  simpleResolvers: true,
})
export class SessionEntryType {
  @Field(() => ID, { description: "Identifier of the session." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field({ description: "IP address that created the session." })
  ip!: string;

  @Field({
    description: "User-Agent header of the client that created the session; empty if it sent none.",
  })
  userAgent!: string;

  @Field(() => Date, { description: "When the session was last used." })
  lastActivityAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: "Always null.",
    deprecationReason: "Kept for REST-compatible clients, which expect the key.",
  })
  location!: string | null;

  @Field({ description: "Whether this is the session of the request's token." })
  current!: boolean;
}

@ObjectType({ description: "A session in a list.", simpleResolvers: true })
export class SessionEdge {
  @Field({ description: "Cursor of the session, which changes when the session is used." })
  cursor!: string;

  @Field(() => SessionEntryType, { description: "The session." })
  node!: SessionEntryType;
}

@ObjectType({
  description: "A page of a user's active sessions, most recently used first.",
  simpleResolvers: true,
})
export class SessionConnection {
  @Field(() => [SessionEntryType], { description: "The sessions." })
  nodes!: SessionEntryType[];

  @Field(() => [SessionEdge], { description: "The sessions with their cursors." })
  edges!: SessionEdge[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: "Number of all active sessions, up to 1,000." })
  totalCount!: number;
}

@ObjectType({ description: "Result of destroyOtherSessions.", simpleResolvers: true })
export class DestroyOtherSessionsPayload {
  @Field(() => Int, { description: "Number of sessions that were ended." })
  destroyedCount!: number;
}

@Resolver()
export class SessionListResolver {
  @Allow("user")
  @Query(() => SessionConnection, {
    description:
      "The active sessions of the signed-in user, limited to the 1,000 most recently used; a page has up to 1,000. A session that is used moves to the start of the list, so it may be missing from later pages.",
  })
  async sessions(
    @Ctx() { sessions, auth }: SessionContext,
    @Args(() => PageArgs) request: PageArgs,
  ): Promise<SessionConnection> {
    const viewer = await auth.user();
    const page = await listSessions(sessions, viewer, request);
    const nodes = page.nodes.map((entry) => ({
      ...entry,
      databaseId: entry.id,
      location: null,
      current: entry.id === viewer.sessionId,
    }));
    return {
      ...toConnection({ ...page, nodes }, sessionCursor),
      totalCount: page.totalCount,
    };
  }

  @Allow("user")
  @Mutation(() => DestroyOtherSessionsPayload, {
    description:
      "Ends every other session of the signed-in user, and closes the connections that those sessions opened.",
  })
  async destroyOtherSessions(
    @Ctx() { sessions, auth }: SessionContext,
  ): Promise<DestroyOtherSessionsPayload> {
    return { destroyedCount: await destroyOtherSessions(sessions, await auth.user()) };
  }
}
