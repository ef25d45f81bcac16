import {
  createConference,
  type GraphqlMember,
  mutate,
  type ReceivedEvent,
  watchEvents,
} from "../../test/support/conferences/graphql-member";
import { JANUS_KEYS, startJanus } from "../../test/support/conferences/janus-server";
import type { SyntheticPeers } from "../../test/support/conferences/synthetic-peer";
import { pinServer } from "../process-pins";
import { usageOf } from "../process-usage";
import { type ServiceLocation, startService } from "../service";
import type { BenchConference, EngineName, Subject, SubjectUsage } from "./subject";
import { SyntheticMember } from "./synthetic-member";

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

class GatewayConference implements BenchConference {
  private readonly members: SyntheticMember[] = [];
  private readonly connections: GraphqlMember[] = [];

  private constructor(
    private readonly node: { graphqlUrl: string },
    private readonly id: string,
    private readonly tokens: string[],
    private readonly peers: SyntheticPeers,
  ) {}

  static async open(
    node: { graphqlUrl: string },
    tokens: string[],
    peers: SyntheticPeers,
  ): Promise<GatewayConference> {
    const id = await createConference(node, tokens[0] ?? "", { access: "EVERYONE" });
    return new GatewayConference(node, id, tokens, peers);
  }

  /** Joins as the page of demo/conference does: then it subscribes, and meanwhile publishes and watches. */
  async join(): Promise<SyntheticMember> {
    const node = this.node;
    const conferenceId = this.id;
    const token = this.tokens[this.members.length] ?? "";
    const fields = "membershipId member { id }";
    const joined = await mutate(node, "joinConference", fields, { conferenceId }, token);
    const { membershipId } = joined;
    const call = (name: string, result: string, input: Record<string, unknown>) =>
      mutate(node, name, result, { membershipId, ...input }, token);
    const member = new SyntheticMember(this.peers, this.members.length + 1, {
      publish: (offer) => call("publishConferenceMedia", "answer", { offer }),
      watch: () => call("watchConference", "peerId offer streams { mid kind memberId source }", {}),
      answer: (peerId, answer) => call("answerConferencePeer", "done", { peerId, answer }),
    });
    this.members.push(member);
    const onEvent = (event: ReceivedEvent) => {
      if (event.__typename === "ConferenceStreamsEvent")
        member.onStreams(event.peerId, event.offer);
      if (event.__typename === "ConferencePeerClosedEvent") member.onEnded(event.detail);
    };
    const [connection] = await Promise.all([
      watchEvents(node, token, membershipId, joined.member.id, undefined, onEvent),
      member.open(),
    ]);
    this.connections.push(connection);
    return member;
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((member) => member.mutate("leaveConference", "done")));
    await Promise.all(this.connections.map((member) => member.disconnect()));
    await Promise.all(this.members.map((member) => member.close()));
  }
}
