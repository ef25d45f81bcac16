import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import { Limited } from "../../platform/limits/rate-limits";
import { Allow, KeyScope } from "../access/request-auth";
import type { AuditContext } from "../audit/entries/audit-entry";
import { AuditsItself } from "../audit/entries/audited";
import { actorOf } from "../audit/entries/audited-mutation";
import { runAudited } from "../audit/entries/record-entry";
import type { OnReach } from "../sign-in/vouched-users";
import { createServerSession } from "./server-session";
import {
  CreateSessionForUserInput,
  CreateSessionForUserPayload,
  CreateSessionInput,
  CreateSessionPayload,
  DestroySessionInput,
  DestroySessionPayload,
  LoginInput,
  LoginPayload,
  LogoutPayload,
  SessionType,
  toGraphqlSession,
} from "./session.type";
import type { SessionContext } from "./session-deps";
import { createSession, destroySession, destroySessionOf, login, setSessionUser } from "./sessions";
import type { RequestParameters } from "./signature";

@Resolver()
export class SessionResolver {
  @Allow("session")
  @Query(() => SessionType, { description: "The session of the request's token." })
  async currentSession(@Ctx() { auth }: SessionContext): Promise<SessionType> {
    return toGraphqlSession(await auth.session(), auth.token);
  }

  @Allow("public")
  @Limited("session")
  @Mutation(() => CreateSessionPayload, {
    description:
      "Creates a session from a signed request: an application session, or with credentials a user session.",
  })
  async createSession(
    @Ctx() { sessions, auth, caller }: SessionContext,
    @Arg("input", () => CreateSessionInput, { description: "The signed request." })
    input: CreateSessionInput,
  ): Promise<CreateSessionPayload> {
    const { session, token } = await createSession(
      sessions,
      {
        signature: input.signature,
        parameters: caller.parameters?.() ?? parametersOf(input),
        signIn: { ...input, ...input.user },
      },
      { ...caller, onApplication: (id) => auth.noteApplication(id) },
    );
    return { session: toGraphqlSession(session, token) };
  }

  @Allow("public")
  @KeyScope("sessions")
  @AuditsItself()
  @Mutation(() => CreateSessionForUserPayload, {
    description:
      "Creates a session of a user for whom the application's backend vouches: by an API key (header Svc-Api-Key) with the scope SESSIONS, or by a JWT that the backend has signed. Needs neither a session nor a password.\n\nThe setting serverSessionsCreateUsers lets the first session for a login or an external id create the user, with whom the name stays. A user who signed up by itself is then reached by the name only with serverSessionsReachSignedUpUsers. Without serverSessionsCreateUsers the name reaches the user who has it, also one who signed up.",
  })
  async createSessionForUser(
    @Ctx() { sessions, auth, caller, audit }: SessionContext & AuditContext,
    @Arg("input", () => CreateSessionForUserInput, { description: "The user." })
    input: CreateSessionForUserInput,
  ): Promise<CreateSessionForUserPayload> {
    const key = auth.hasApiKey ? await auth.apiKey() : null;
    const client = { ...caller, onApplication: (id: number) => auth.noteApplication(id) };
    // A JWT is no member's: its sessions tell that they are by one.
    const onReach: OnReach = async ({ id, applicationId }, note) => {
      if (key === null) return note();
      const targets = Object.entries({ applicationId, userId: id }).map(([name, value]) => ({
        name,
        id: String(value),
      }));
      const action = { actor: actorOf(key), action: "createSessionForUser", caller };
      await runAudited(audit, { ...action, input: { targets, fields: [] } }, note);
    };
    const created = await createServerSession(sessions, key, input, client, onReach);
    const { session, token, user } = created;
    return { session: toGraphqlSession(session, token), user };
  }

  @Allow("session", "developer")
  @KeyScope("sessions")
  @Mutation(() => DestroySessionPayload, {
    description:
      "Ends the session of the request's token and closes the connections that it opened.\n\nWith input it ends another session: users end their own sessions, and developers and owners of an account those of its applications.",
  })
  async destroySession(
    @Ctx() { sessions, auth, caller }: SessionContext,
    @Arg("input", () => DestroySessionInput, {
      nullable: true,
      description: "The session; that of the request's token when omitted. Members must name it.",
    })
    input?: DestroySessionInput | null,
  ): Promise<DestroySessionPayload> {
    const own = auth.callsForAccount ? null : await auth.session();
    if (own !== null && (!input || parseId(input.id) === own.id)) {
      caller.deferClose?.();
      await destroySession(sessions, own.id);
      auth.clearSession();
      return { destroyed: true, userId: own.userId };
    }
    if (!input) throw Fault.field("input", "is required");
    const viewer = await auth.userOrMember();
    return { destroyed: true, userId: await destroySessionOf(sessions, viewer, input.id) };
  }

  @Allow("application")
  @Mutation(() => LoginPayload, {
    description: "Signs a user in on the session of the request's token.",
  })
  async login(
    @Ctx() { sessions, auth, caller }: SessionContext,
    @Arg("input", () => LoginInput, { description: "The user's credentials." }) input: LoginInput,
  ): Promise<LoginPayload> {
    const before = await auth.session();
    caller.deferClose?.();
    const session = await login(sessions, before, input, caller);
    auth.replaceSession(session);
    return { user: session.user!, session: toGraphqlSession(session, auth.token) };
  }

  @Allow("user")
  @Mutation(() => LogoutPayload, {
    description:
      "Signs the user out. The session stays valid as an application session; its connections are closed.",
  })
  async logout(@Ctx() { sessions, auth, caller }: SessionContext): Promise<LogoutPayload> {
    const before = await auth.session();
    caller.deferClose?.();
    const session = await setSessionUser(sessions, before, null);
    auth.replaceSession(session);
    return { session: toGraphqlSession(session, auth.token) };
  }
}

/** The parameters by their REST names, which are the names that the client signs. */
function parametersOf(input: CreateSessionInput): RequestParameters {
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
