import { Ctx, Query, Resolver } from "type-graphql";
import type { Clock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { Allow } from "../../access/request-auth";
import type { RequestContext } from "../../access/request-context";
import { IceServerType } from "./ice-server.type";
import { iceServers } from "./ice-servers";

/** Context of the resolver of this module. */
export interface IceContext extends RequestContext {
  ice: { config: Config; clock: Clock };
}

@Resolver()
export class IceServerResolver {
  @Allow("user")
  @Query(() => [IceServerType], {
    description:
      "The STUN and TURN servers for the signed-in user's calls, with new credentials; query before each call. Empty if this deployment has none.",
  })
  async iceServers(@Ctx() { ice, auth }: IceContext): Promise<IceServerType[]> {
    const viewer = await auth.user();
    return iceServers(ice.config, viewer, ice.clock.now());
  }
}
