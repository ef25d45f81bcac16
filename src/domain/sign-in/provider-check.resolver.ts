import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import type { RequestContext } from "../access/request-context";
import { checkProvider } from "./check-provider";
import { CheckProviderInput, CheckProviderPayload } from "./provider-check.type";
import type { SignInDeps } from "./sign-in-deps";

/** Context of the resolver; the dependencies are part of those of sessions. */
interface ProviderCheckContext extends RequestContext {
  sessions: SignInDeps;
}

@Resolver()
export class ProviderCheckResolver {
  @Allow("developer")
  @Mutation(() => CheckProviderPayload, {
    description:
      "Asks a sign-in provider whether it accepts the settings of one of the account's applications. Signs nobody in and changes nothing.",
  })
  async checkProvider(
    @Ctx() { auth, sessions }: ProviderCheckContext,
    @Arg("input", () => CheckProviderInput, { description: "The provider." })
    { applicationId, provider }: CheckProviderInput,
  ): Promise<CheckProviderPayload> {
    const { accountId } = await auth.account();
    return { provider, ...(await checkProvider(sessions, accountId, applicationId, provider)) };
  }
}
