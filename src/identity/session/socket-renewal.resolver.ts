import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { Allow, type IdentityContext } from "../context";
import { SessionType, showSession } from "./session.type";
import { findSession } from "./sessions";

@InputType({ description: "The session that a socket goes on with." })
export class RenewSocketInput {
  @Field({ description: "Token of another session of the same user and application." })
  token!: string;
}

@ObjectType({ description: "What renewSocket answers.", simpleResolvers: true })
export class RenewSocketPayload {
  @Field(() => SessionType, { description: "The session that the socket belongs to now." })
  session!: SessionType;
}

@Resolver()
export class SocketRenewalResolver {
  @Allow("session")
  @Mutation(() => RenewSocketPayload, {
    description: `Moves the WebSocket that it is sent over to a fresh session of the same user. Subscriptions go on,
later operations use the new token, and the end of the old session no longer closes the socket. Over HTTP
it is UNSUPPORTED: there every request brings its token.`,
  })
  async renewSocket(
    @Ctx() { identity, caller, visit }: IdentityContext,
    @Arg("input", () => RenewSocketInput, { description: "The fresh session." })
    { token }: RenewSocketInput,
  ): Promise<RenewSocketPayload> {
    if (!caller.renew) {
      throw new Fault("UNSUPPORTED", "Only a GraphQL socket is renewed; send it over one");
    }
    await caller.renew(token);
    const session = await findSession(identity, token);
    visit.replace(session);
    return { session: showSession(session, token) };
  }
}
