import { GatewayConference } from "../../tools/conferences/gateway/gateway-conference";
import { JANUS_KEYS, startJanus } from "../../tools/conferences/janus-server";
import type { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import { pinServer } from "../process-pins";
import { usageOf } from "../process-usage";
import { type ServiceLocation, startService } from "../service";
import type { EngineName, Subject, SubjectUsage } from "./subject";

/** Starts the service as it is deployed, with one of its engines on the same core. */
export async function startGateway(
  engine: EngineName,
  location: ServiceLocation,
  tokens: string[],
  peers: SyntheticPeers,
  profile?: string,
): Promise<Subject> {
  const janus = engine === "Janus" ? await startJanus() : null;
  if (janus) await pinServer(janus.pid);
  const service = await startService(location, profile, {
    RTC_PORT: "0",
    RTC_BIND_ADDRESS: "127.0.0.1",
    ...(janus && {
      JANUS_URL: janus.url,
      JANUS_API_SECRET: JANUS_KEYS.apiSecret,
      JANUS_ADMIN_KEY: JANUS_KEYS.adminKey,
    }),
  }).catch(async (error) => {
    await janus?.stop();
    throw error;
  });
  const node = { graphqlUrl: `${service.baseUrl}/graphql` };
  return {
    engine,
    way: "gateway",
    open: () => GatewayConference.open(node, tokens, peers),
    usage: () => usageOfGateway(service.pid, janus?.pid, () => service.usage()),
    async stop() {
      await service.stop();
      await janus?.stop();
    },
  };
}

/** The usage of the gateway's own process, and of the engine: Janus, or the gateway's child. */
function usageOfGateway(
  pid: number,
  janus: number | undefined,
  usageOfAll: () => SubjectUsage["engine"],
): SubjectUsage {
  const gateway = usageOf(pid);
  if (janus !== undefined) return { gateway, engine: usageOf(janus) };
  const all = usageOfAll();
  return {
    gateway,
    engine: { cpuMicros: all.cpuMicros - gateway.cpuMicros, rssMb: all.rssMb - gateway.rssMb },
  };
}
