import { GraphQLSafeInt } from "graphql-scalars";
import { Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from "type-graphql";
import { Allow, type IdentityContext } from "../context";
import { destroyOtherSessions, listSessions } from "./session-list";

@ObjectType("SessionEntry", {
  description: "A session of the calling user, without its token.",
  simpleResolvers: true,
})
export class SessionEntryType {
  @Field(() => ID, { description: "Identifier of the session." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field({ description: "Address that the session was created from." })
  ip!: string;

  @Field({
    description: "Client that created the session, as it called itself; empty if it did not.",
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

  @Field({ description: "Whether it is the session of the token sent." })
  current!: boolean;
}

@ObjectType({ description: "The active sessions of a user.", simpleResolvers: true })
export class SessionConnection {
  @Field(() => [SessionEntryType], { description: "The sessions, newest activity first." })
  nodes!: SessionEntryType[];

  @Field(() => Int, { description: "How many there are." })
  totalCount!: number;
}

@ObjectType({ description: "What destroyOtherSessions answers.", simpleResolvers: true })
export class DestroyOtherSessionsPayload {
  @Field(() => Int, { description: "How many sessions ended." })
  destroyedCount!: number;
}

@Resolver()
export class SessionListResolver {
  @Allow("user")
  @Query(() => SessionConnection, {
    description: "The active sessions of the calling user; the 1,000 used last, if there are more.",
  })
  async sessions(@Ctx() { identity, visit }: IdentityContext): Promise<SessionConnection> {
    const viewer = await visit.user();
    const nodes = (await listSessions(identity, viewer)).map((entry) => ({
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
      "Ends every other session of the calling user, and every connection that those opened.",
  })
  async destroyOtherSessions(
    @Ctx() { identity, visit }: IdentityContext,
  ): Promise<DestroyOtherSessionsPayload> {
    return { destroyedCount: await destroyOtherSessions(identity, await visit.user()) };
  }
}
