import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow, type IdentityContext } from "../context";
import { Limited } from "../limits";
import {
  CreateSessionInput,
  CreateSessionPayload,
  DestroySessionPayload,
  LoginInput,
  LoginPayload,
  LogoutPayload,
  SessionType,
  showSession,
} from "./session.type";
import { createSession, destroySession, login, setSessionUser } from "./sessions";
import type { Parameters } from "./signature";

@Resolver()
export class SessionResolver {
  @Allow("session")
  @Query(() => SessionType, { description: "The session of the request's token." })
  async currentSession(@Ctx() { visit }: IdentityContext): Promise<SessionType> {
    return showSession(await visit.session(), visit.ownToken);
  }

  @Allow("public")
  @Limited("session")
  @Mutation(() => CreateSessionPayload, {
    description:
      "Creates a session from a signed request: an application session, or with credentials a user session.",
  })
  async createSession(
    @Ctx() { identity, caller }: IdentityContext,
    @Arg("input", () => CreateSessionInput, { description: "The signed request." })
    input: CreateSessionInput,
  ): Promise<CreateSessionPayload> {
    const { session, token } = await createSession(
      identity,
      {
        signature: input.signature,
        parameters: caller.parameters?.() ?? parametersOf(input),
        signIn: { ...input, ...input.user },
      },
      caller,
    );
    return { session: showSession(session, token) };
  }

  @Allow("session")
  @Mutation(() => DestroySessionPayload, {
    description:
      "Ends the session of the request's token and closes the connections that it opened.",
  })
  async destroySession(
    @Ctx() { identity, visit, caller }: IdentityContext,
  ): Promise<DestroySessionPayload> {
    const session = await visit.session();
    caller.answerFirst?.();
    await destroySession(identity, session);
    visit.end();
    return { destroyed: true };
  }

  @Allow("application")
  @Mutation(() => LoginPayload, {
    description: "Signs a user in on the session of the request's token.",
  })
  async login(
    @Ctx() { identity, visit, caller }: IdentityContext,
    @Arg("input", () => LoginInput, { description: "The user's credentials." }) input: LoginInput,
  ): Promise<LoginPayload> {
    const before = await visit.session();
    caller.answerFirst?.();
    const session = await login(identity, before, input, caller);
    visit.replace(session);
    return { user: session.user!, session: showSession(session, visit.ownToken) };
  }

  @Allow("user")
  @Mutation(() => LogoutPayload, {
    description:
      "Signs the user out. The session stays valid as an application session; its connections are closed.",
  })
  async logout(@Ctx() { identity, visit, caller }: IdentityContext): Promise<LogoutPayload> {
    const before = await visit.session();
    caller.answerFirst?.();
    const session = await setSessionUser(identity, before, null);
    visit.replace(session);
    return { session: showSession(session, visit.ownToken) };
  }
}

/** The parameters by their REST names, which are the names that the client signs. */
function parametersOf(input: CreateSessionInput): Parameters {
  const { applicationId, authKey, timestamp, nonce, user, provider, keys, firebasePhone } = input;
  const named: Array<[string, unknown]> = [
    ["application_id", applicationId],
    ["auth_key", authKey],
    ["nonce", nonce],
    ["timestamp", timestamp],
    ["user[login]", user?.login],
    ["user[email]", user?.email],
    ["user[password]", user?.password],
    ["user[guest]", user?.guest],
    ["user[full_name]", user?.fullName],
    ["provider", provider],
    ["keys[token]", keys?.token],
    ["keys[secret]", keys?.secret],
    ["firebase_phone[project_id]", firebasePhone?.projectId],
    ["firebase_phone[access_token]", firebasePhone?.accessToken],
  ];
  return named.flatMap(
    ([name, value]): Array<[string, string]> =>
      value === undefined || value === null ? [] : [[name, String(value)]],
  );
}
