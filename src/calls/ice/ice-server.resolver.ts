import { Ctx, Query, Resolver } from "type-graphql";
import { Allow } from "../../access/request-auth";
import type { CallContext } from "../context";
import { IceServerType } from "./ice-server.type";
import { iceServers } from "./ice-servers";

@Resolver()
export class IceServerResolver {
  @Allow("user")
  @Query(() => [IceServerType], {
    description:
      "The STUN and TURN servers for the calling user's calls, with new credentials; query before each call. Empty if this deployment has none.",
  })
  async iceServers(@Ctx() { identity, auth }: CallContext): Promise<IceServerType[]> {
    const viewer = await auth.user();
    return iceServers(identity.config, viewer, identity.clock.now());
  }
}
