import {
  createConference,
  type GraphqlMember,
  mutate,
  type ReceivedEvent,
  watchEvents,
} from "../graphql-member";
import type { SyntheticPeers } from "../synthetic-peer";
import { type MemberOptions, SyntheticMember } from "./synthetic-member";

/** A node of the gateway. */
export interface GatewayNode {
  graphqlUrl: string;
}

/** Options of {@link GatewayConference.open}. */
export interface GatewayConferenceOptions extends MemberOptions {
  /** Of createConference. */
  settings?: Record<string, unknown>;
  /** Called for each event of each member. */
  onEvent?(member: number, event: ReceivedEvent): void;
}

/** A conference of synthetic members, who reach the engine through the gateway. */
export class GatewayConference {
  /** The members by number, which count from 1. */
  readonly members = new Map<number, SyntheticMember>();
  private readonly connections = new Map<number, GraphqlMember>();

  private constructor(
    private readonly node: GatewayNode,
    readonly id: string,
    private readonly tokens: string[],
    private readonly peers: SyntheticPeers,
    private readonly options: GatewayConferenceOptions,
  ) {}

  /** Creates the conference. @param tokens of different users, one for each member; the first one creates it */
  static async open(
    node: GatewayNode,
    tokens: string[],
    peers: SyntheticPeers,
    options: GatewayConferenceOptions = {},
  ): Promise<GatewayConference> {
    const settings = { access: "EVERYONE", ...options.settings };
    const id = await createConference(node, tokens[0] ?? "", settings);
    return new GatewayConference(node, id, tokens, peers, options);
  }

  /**
   * Joins as the page of demo/conference does: then it subscribes, and meanwhile publishes and watches.
   * @param number the next one, or that of a member who was cut
   */
  async join(number = this.members.size + 1, node = this.node): Promise<SyntheticMember> {
    const conferenceId = this.id;
    const token = this.tokens[number - 1] ?? "";
    const fields = "membershipId member { id }";
    const joined = await mutate(node, "joinConference", fields, { conferenceId }, token);
    const { membershipId } = joined;
    const call = (name: string, result: string, input: Record<string, unknown>) =>
      mutate(node, name, result, { membershipId, ...input }, token);
    const member = new SyntheticMember(
      this.peers,
      number,
      {
        publish: (offer, source) =>
          call("publishConferenceMedia", "peerId answer", { offer, source: source.toUpperCase() }),
        watch: () =>
          call("watchConference", "peerId offer streams { mid kind memberId source }", {}),
        answer: (peerId, answer) => call("answerConferencePeer", "done", { peerId, answer }),
      },
      this.options,
    );
    this.members.set(number, member);
    const onEvent = (event: ReceivedEvent) => {
      this.options.onEvent?.(number, event);
      const type = event.__typename;
      if (type === "ConferenceStreamsEvent") member.onStreams(event.peerId, event.offer);
      if (type === "ConferencePeerClosedEvent") member.onEnded(event.detail, event.peerId);
      if (type === "ConferenceReconnectEvent") member.onReconnect();
    };
    const [connection] = await Promise.all([
      watchEvents(node, token, membershipId, joined.member.id, undefined, onEvent),
      member.open(),
    ]);
    this.connections.set(number, connection);
    return member;
  }

  /** Cuts a member off: its peer connections and its subscription end without a word. */
  async cut(number: number): Promise<void> {
    await this.connections.get(number)?.disconnect();
    this.connections.delete(number);
    await this.members.get(number)?.close();
  }

  /** Runs a mutation of a member. */
  mutate(number: number, name: string, fields: string, input: Record<string, unknown>) {
    const token = this.tokens[number - 1];
    return mutate(this.node, name, fields, { conferenceId: this.id, ...input }, token);
  }

  /** All members leave. */
  async close(): Promise<void> {
    const connections = [...this.connections.values()];
    await Promise.all(connections.map((member) => member.mutate("leaveConference", "done")));
    await this.abandon();
  }

  /** Ends the members without a word to the gateway. */
  async abandon(): Promise<void> {
    await Promise.all([...this.connections.values()].map((member) => member.disconnect()));
    await Promise.all([...this.members.values()].map((member) => member.close()));
  }
}
