import { Ctx, Query, Resolver } from "type-graphql";
import { Allow } from "../../identity/context";
import type { CallContext } from "../context";
import { IceServerType } from "./ice-server.type";
import { iceServers } from "./ice-servers";

@Resolver()
export class IceServerResolver {
  @Allow("user")
  @Query(() => [IceServerType], {
    description:
      "The STUN and TURN servers for one's calls, with credentials made now; ask before each call. Empty where this deployment has none.",
  })
  async iceServers(@Ctx() { identity, visit }: CallContext): Promise<IceServerType[]> {
    const viewer = await visit.user();
    return iceServers(identity.config, viewer, identity.clock.now());
  }
}
