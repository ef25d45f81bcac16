import type { GatewayNode } from "../../graphql/graphql-http";
import {
  createConference,
  type GraphqlMember,
  mutate,
  type ReceivedEvent,
  watchEvents,
} from "../graphql-member";
import type { SyntheticPeers } from "../synthetic-peer";
import { type MemberOptions, SyntheticMember } from "./synthetic-member";

/** Options of {@link GatewayConference.open}. */
export interface GatewayConferenceOptions extends MemberOptions {
  /** Of createConference. */
  settings?: Record<string, unknown>;
  /** Called for each event of each member. */
  onEvent?(member: number, event: ReceivedEvent): void;
}

/** How a member reaches the gateway. */
interface Connection {
  /** The node of its mutations and of its subscription. */
  node: GatewayNode;
  /** Its subscription; the first one is not open yet while it is null. */
  events: GraphqlMember | null;
}

/** A conference of synthetic members, who reach the engine through the gateway. */
export class GatewayConference {
  /** The members by number, which count from 1. */
  readonly members = new Map<number, SyntheticMember>();
  private readonly connections = new Map<number, Connection>();

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
   * Joins as the page of demo/conference does: then it subscribes, and meanwhile publishes and watches. A member that
   * recovers subscribes first: these clients do not notice by themselves that a media server is gone, so they must not
   * miss the event that says so.
   * @param number the next one, or that of a member who was cut
   */
  async join(number = this.members.size + 1, node = this.node): Promise<SyntheticMember> {
    const conferenceId = this.id;
    const token = this.tokens[number - 1] ?? "";
    const fields = "membershipId member { id }";
    const joined = await mutate(node, "joinConference", fields, { conferenceId }, token);
    const { membershipId } = joined;
    const connection: Connection = { node, events: null };
    const call = (name: string, result: string, input: Record<string, unknown>) =>
      mutate(connection.node, name, result, { membershipId, ...input }, token);
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
    this.connections.set(number, connection);
    const onEvent = this.handler(number);
    const subscribed = watchEvents(node, token, membershipId, joined.member.id, undefined, onEvent);
    try {
      if (this.options.recovers) await subscribed;
      [connection.events] = await Promise.all([subscribed, member.open()]);
    } catch (error) {
      await this.cut(number);
      throw error;
    }
    return member;
  }

  /** What a member has been told; undefined before it has joined. */
  eventsOf(number: number): GraphqlMember | undefined {
    return this.connections.get(number)?.events ?? undefined;
  }

  /** Continues the subscription of a member at another node, after its last event. */
  async resume(number: number, node: GatewayNode): Promise<void> {
    const connection = this.connections.get(number);
    if (!connection?.events) throw new Error(`member ${number} has not joined`);
    connection.node = node;
    const { token, membershipId, memberId, events: before } = connection.events;
    await connection.events.disconnect();
    const after = before.at(-1)?.cursor;
    const onEvent = this.handler(number);
    const resumed = await watchEvents(node, token, membershipId, memberId, after, onEvent);
    resumed.events.unshift(...before);
    connection.events = resumed;
  }

  private handler(number: number): (event: ReceivedEvent) => void {
    const member = this.members.get(number);
    return (event) => {
      this.options.onEvent?.(number, event);
      const type = event.__typename;
      if (type === "ConferenceStreamsEvent") member?.onStreams(event.peerId, event.offer);
      if (type === "ConferencePeerClosedEvent") member?.onEnded(event.detail, event.peerId);
      if (type === "ConferenceReconnectEvent") member?.onReconnect();
    };
  }

  /** Cuts a member off: its peer connections and its subscription end without a word. */
  async cut(number: number): Promise<void> {
    await this.connections.get(number)?.events?.disconnect();
    this.connections.delete(number);
    await this.members.get(number)?.close();
    this.members.delete(number);
  }

  /** Runs a mutation of a member. */
  mutate(
    number: number,
    name: string,
    fields: string,
    input: Record<string, unknown>,
    node = this.node,
  ) {
    const token = this.tokens[number - 1];
    return mutate(node, name, fields, { conferenceId: this.id, ...input }, token);
  }

  /** All members leave. */
  async close(): Promise<void> {
    const connections = [...this.connections.values()];
    await Promise.all(connections.map(({ events }) => events?.mutate("leaveConference", "done")));
    await this.abandon();
  }

  /** Ends the members without a word to the gateway. */
  async abandon(): Promise<void> {
    await Promise.all([...this.members.keys()].map((number) => this.cut(number)));
  }
}
