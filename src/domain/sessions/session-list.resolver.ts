import { GraphQLSafeInt } from "graphql-scalars";
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from "type-graphql";
import type { SessionOrigin } from "../../platform/store/generated/enums";
import { Legacy } from "../access/legacy";
import { Allow, KeyScope } from "../access/request-auth";
import { VisibleTo } from "../access/visible-to";
import { ApplicationUserInput } from "../applications/application.input";
import { ApplicationType } from "../applications/application.type";
import { namedApplication } from "../applications/named-application";
import type { Total } from "../paging/capped-total";
import { connectionOf, edgeOf, PageArgs, toConnection } from "../paging/page.type";
import { requireUser } from "../users/users";
import type { SessionEntry } from "./session";
import type { SessionContext } from "./session-deps";
import {
  destroyOtherSessions,
  endSessionsOfUser,
  listApplicationSessions,
  listSessions,
  RECENTLY_USED_FIRST,
  type SessionPage,
} from "./session-list";

/** GraphQL names of the origins. */
const SessionOriginName: Record<string, SessionOrigin> = {
  CLIENT: "client",
  API_KEY: "api_key",
  JWT: "jwt",
};
registerEnumType(SessionOriginName, {
  name: "SessionOrigin",
  description: "What created a session.",
  valuesConfig: {
    CLIENT: { description: "A client, by a signed request." },
    API_KEY: { description: "The application's backend, by an API key." },
    JWT: { description: "A JWT that the application's backend has signed." },
  },
});

@ObjectType("SessionApiKey", {
  description: "The API key that created a session.",
  simpleResolvers: true,
})
class SessionApiKeyType {
  @Field(() => ID, { description: "The key." })
  id!: number;

  @Field(() => String, { nullable: true, description: "Its name; null once it is revoked." })
  name!: string | null;
}

@ObjectType("SessionEntry", {
  description: "A session in a list, without its token.",
  simpleResolvers: true,
})
export class SessionEntryType {
  @Field(() => ID, { description: "Identifier of the session." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field(() => ID, { nullable: true, description: "The user; null for a session without one." })
  userId!: number | null;

  @Field({ description: "IP address that created the session." })
  ip!: string;

  @Field({
    description: "User-Agent header of the client that created the session; empty if it sent none.",
  })
  userAgent!: string;

  @Field(() => Date, {
    description:
      "When the session was last used.\n\nMembers of the account see it with a delay of a few seconds.",
  })
  lastActivityAt!: Date;

  @Field(() => Date, { description: "When it expires unless it is used before." })
  expiresAt!: Date;

  @Legacy()
  @Field(() => String, { nullable: true, description: "Always null." })
  location!: string | null;

  @Field({ description: "Whether this is the session of the request's token." })
  current!: boolean;

  @Field(() => SessionOriginName as object, { description: "What created it." })
  origin!: SessionOrigin;

  @VisibleTo<SessionEntryType>("support", ({ applicationId }) => applicationId)
  @Field(() => SessionApiKeyType, {
    nullable: true,
    description:
      "The API key that created it; null if none did, and for everybody but members of the application's account.",
  })
  apiKey!: SessionApiKeyType | null;

  /** The application, whose account's members see all fields. */
  applicationId!: number;
}

const SessionEdge = edgeOf<SessionEntryType>("SessionEdge", "session", () => SessionEntryType);

@ObjectType({
  description:
    "A page of sessions: a user's own, most recently used first, whose cursors change when a session is used, or those of an application, newest first.",
})
export class SessionConnection extends connectionOf<SessionEntryType>(
  SessionEdge,
  "sessions",
  () => SessionEntryType,
) {
  total!: () => Promise<Total>;
}

@Resolver(() => SessionConnection)
export class SessionConnectionResolver {
  @FieldResolver(() => Int, {
    description:
      "Number of all active sessions: of a user's own up to 1,000, of an application's up to 10,000.",
  })
  async totalCount(@Root() { total }: SessionConnection): Promise<number> {
    return (await total()).count;
  }

  @FieldResolver(() => Boolean, {
    description: "Whether totalCount is exact; false if it may have stopped at its bound.",
  })
  async totalIsExact(@Root() { total }: SessionConnection): Promise<boolean> {
    return (await total()).exact;
  }
}

@ObjectType({ description: "Result of destroyOtherSessions.", simpleResolvers: true })
export class DestroyOtherSessionsPayload {
  @Field(() => Int, { description: "Number of sessions that were ended." })
  destroyedCount!: number;
}

@ObjectType({ description: "Result of endUserSessions.", simpleResolvers: true })
export class EndUserSessionsPayload {
  @Field(() => Int, { description: "Number of sessions that were ended." })
  endedCount!: number;
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
    return toSessionConnection(page, viewer.sessionId, RECENTLY_USED_FIRST.cursorOf);
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

  @Allow("developer")
  @KeyScope("sessions")
  @Mutation(() => EndUserSessionsPayload, {
    description: "Ends all sessions of a user and closes all of its connections.",
  })
  async endUserSessions(
    @Ctx() { sessions, auth }: SessionContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<EndUserSessionsPayload> {
    const application = await namedApplication(await auth.memberViewer(), applicationId);
    const { id } = await requireUser(sessions, application, userId);
    return { endedCount: await endSessionsOfUser(sessions, id) };
  }
}

@ArgsType()
class ApplicationSessionArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: "Only sessions of this user." })
  userId?: string | null;
}

@Resolver(() => ApplicationType)
export class ApplicationSessionsResolver {
  @FieldResolver(() => SessionConnection, {
    description: "Live sessions of the application, newest first.",
  })
  async sessions(
    @Root() { id }: ApplicationType,
    @Ctx() { sessions }: SessionContext,
    @Args(() => ApplicationSessionArgs) request: ApplicationSessionArgs,
  ): Promise<SessionConnection> {
    return toSessionConnection(await listApplicationSessions(sessions, id, request), null);
  }
}

/** @param current the session of the request's token; null without one */
function toSessionConnection(
  page: SessionPage,
  current: number | null,
  cursorOf?: (entry: SessionEntry) => string,
): SessionConnection {
  const nodes = page.nodes.map((entry) => ({
    ...entry,
    databaseId: entry.id,
    location: null,
    current: entry.id === current,
  }));
  return { ...toConnection({ ...page, nodes }, cursorOf), total: page.total };
}
