import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import type { RequestContext } from "../access/request-context";
import { type EndCallDeps, endCall } from "./end-call";
import { EndCallInput, EndCallPayload } from "./history/call.type";

@Resolver()
export class EndCallResolver {
  @Allow("developer")
  @Mutation(() => EndCallPayload, {
    description:
      "Ends a call that is in progress: each participant gets a `hangUp` from the others, and its endReason is ENDED_BY_MEMBER. CONFLICT if it has ended otherwise.",
  })
  async endCall(
    @Ctx() { auth, callHistory, router }: RequestContext & EndCallDeps,
    @Arg("input", () => EndCallInput, { description: "The call." }) { id }: EndCallInput,
  ): Promise<EndCallPayload> {
    const deps = { callHistory, router };
    return { call: await endCall(deps, await auth.memberViewer(), id) };
  }
}
