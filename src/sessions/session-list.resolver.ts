import { GraphQLSafeInt } from "graphql-scalars";
import { Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import type { SessionContext } from "./session-deps";
import { destroyOtherSessions, listSessions } from "./session-list";

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

@ObjectType({ description: "The active sessions of a user.", simpleResolvers: true })
export class SessionConnection {
  @Field(() => [SessionEntryType], { description: "The sessions, most recently used first." })
  nodes!: SessionEntryType[];

  @Field(() => Int, { description: "Number of sessions in `nodes`." })
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
      "The active sessions of the signed-in user, limited to the 1,000 most recently used.",
  })
  async sessions(@Ctx() { sessions, auth }: SessionContext): Promise<SessionConnection> {
    const viewer = await auth.user();
    const nodes = (await listSessions(sessions, viewer)).map((entry) => ({
      ...entry,
      databaseId: entry.id,
      location: null,
      current: entry.id === viewer.sessionId,
    }));
    return { nodes, totalCount: nodes.length };
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
