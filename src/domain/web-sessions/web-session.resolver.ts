import { Arg, Ctx, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { Limited } from "../../platform/limits/rate-limits";
import { Allow } from "../access/request-auth";
import type { Session } from "../sessions/session";
import { SessionType, toGraphqlSession } from "../sessions/session.type";
import type { SessionContext } from "../sessions/session-deps";
import type { RequestParameters } from "../sessions/signature";
import { watchBinding } from "./binding-watch";
import {
  BindWebSessionInput,
  BindWebSessionPayload,
  CreateWebSessionInput,
  CreateWebSessionPayload,
} from "./web-session.type";
import { bindWebSession, createWebSession } from "./web-sessions";

@Resolver()
export class WebSessionResolver {
  @Allow("public")
  @Limited("session")
  @Mutation(() => CreateWebSessionPayload, {
    description:
      "Creates a session for a web client. The client shows a QR code, by which a signed-in user binds it.",
  })
  async createWebSession(
    @Ctx() { sessions, auth, caller }: SessionContext,
    @Arg("input", () => CreateWebSessionInput, { description: "The signed request." })
    input: CreateWebSessionInput,
  ): Promise<CreateWebSessionPayload> {
    const { session, token, bindingCode } = await createWebSession(
      sessions,
      {
        signature: input.signature,
        parameters: caller.parameters?.() ?? parametersOf(input),
        long: input.long ?? false,
      },
      { ...caller, onApplication: (id) => auth.noteApplication(id) },
    );
    // Loaded lazily to save its memory where no web client is bound.
    const { toString: drawQrCode } = require("qrcode") as typeof import("qrcode");
    return {
      session: toGraphqlSession(session, token),
      qrCode: await drawQrCode(bindingCode, { type: "svg" }),
    };
  }

  @Allow("user")
  @Mutation(() => BindWebSessionPayload, {
    description: "Signs a web client in as the signed-in user, who must not be a guest.",
  })
  async bindWebSession(
    @Ctx() { sessions, auth }: SessionContext,
    @Arg("input", () => BindWebSessionInput, { description: "The web session to bind." })
    input: BindWebSessionInput,
  ): Promise<BindWebSessionPayload> {
    await bindWebSession(sessions, await auth.user(), input.codeOrToken);
    return { bound: true };
  }

  @Allow("session")
  @Subscription(() => SessionType, {
    description:
      "Delivers the web session of the request's token once it is bound to a user, then completes.",
    subscribe: async ({ context: { sessions, auth } }: { context: SessionContext }) =>
      watchBinding(sessions, await auth.session(), auth.token),
  })
  sessionBound(@Ctx() { auth }: SessionContext, @Root() session: Session): SessionType {
    auth.replaceSession(session);
    return toGraphqlSession(session, auth.token);
  }
}

/** The parameters by their REST names, which are the names that the client signs. */
function parametersOf(input: CreateWebSessionInput): RequestParameters {
  const { applicationId, authKey, timestamp, nonce, long } = input;
  const parameters: Array<[string, string]> = [
    ["application_id", String(applicationId)],
    ["auth_key", authKey],
    ["nonce", String(nonce)],
    ["timestamp", String(timestamp)],
  ];
  if (typeof long === "boolean") parameters.push(["long", long ? "1" : "0"]);
  return parameters;
}
