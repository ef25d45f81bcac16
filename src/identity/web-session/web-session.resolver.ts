import { toString as drawQrCode } from "qrcode";
import { Arg, Ctx, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { Allow, type IdentityContext } from "../context";
import { Limited } from "../limits";
import type { Session } from "../session/session";
import { SessionType, showSession } from "../session/session.type";
import type { Parameters } from "../session/signature";
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
      "Creates a session for a web client, which a user takes over by the QR code that the client shows.",
  })
  async createWebSession(
    @Ctx() { identity, caller }: IdentityContext,
    @Arg("input", () => CreateWebSessionInput, { description: "The signed request." })
    input: CreateWebSessionInput,
  ): Promise<CreateWebSessionPayload> {
    const { session, token, bindingCode } = await createWebSession(
      identity,
      {
        signature: input.signature,
        parameters: caller.parameters?.() ?? parametersOf(input),
        long: input.long ?? false,
      },
      caller,
    );
    return {
      session: showSession(session, token),
      qrCode: await drawQrCode(bindingCode, { type: "svg" }),
    };
  }

  @Allow("user")
  @Mutation(() => BindWebSessionPayload, {
    description: "Signs a web client in as the calling user, who may not be a guest.",
  })
  async bindWebSession(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => BindWebSessionInput, { description: "The web session." })
    input: BindWebSessionInput,
  ): Promise<BindWebSessionPayload> {
    await bindWebSession(identity, await visit.user(), input.webToken);
    return { bound: true };
  }

  @Allow("session")
  @Subscription(() => SessionType, {
    description:
      "The web session of the token sent, once a user is bound to it, or at once if one is; then it is over.",
    subscribe: async ({ context: { identity, visit } }: { context: IdentityContext }) =>
      watchBinding(identity, await visit.session(), visit.ownToken),
  })
  sessionBound(@Ctx() { visit }: IdentityContext, @Root() session: Session): SessionType {
    visit.replace(session);
    return showSession(session, visit.ownToken);
  }
}

/** The parameters by the names that REST gives them, which are the names that are signed. */
function parametersOf(input: CreateWebSessionInput): Parameters {
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
