import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { Allow } from "../access/request-auth";
import { SessionType, toGraphqlSession } from "./session.type";
import type { SessionContext } from "./session-deps";
import { findSession } from "./sessions";

@InputType({ description: "The session that the socket continues with." })
export class RenewSocketInput {
  @Field({ description: "Token of another session of the same user and application." })
  token!: string;
}

@ObjectType({ description: "Result of renewSocket.", simpleResolvers: true })
export class RenewSocketPayload {
  @Field(() => SessionType, { description: "The session that the socket now belongs to." })
  session!: SessionType;
}

@Resolver()
export class SocketRenewalResolver {
  @Allow("session")
  @Mutation(() => RenewSocketPayload, {
    description: `Moves the WebSocket of this request to a new session of the same user. Subscriptions continue,
later operations use the new token, and the end of the old session no longer closes the socket. Fails with
UNSUPPORTED over HTTP, where every request carries its own token.`,
  })
  async renewSocket(
    @Ctx() { sessions, caller, auth }: SessionContext,
    @Arg("input", () => RenewSocketInput, { description: "The new session." })
    { token }: RenewSocketInput,
  ): Promise<RenewSocketPayload> {
    if (!caller.renewSession) {
      throw new Fault("UNSUPPORTED", "renewSocket works only over a GraphQL WebSocket");
    }
    await caller.renewSession(token);
    const session = await findSession(sessions, token);
    auth.replaceSession(session);
    return { session: toGraphqlSession(session, token) };
  }
}
