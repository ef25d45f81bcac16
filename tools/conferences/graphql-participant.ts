import { type GatewayNode, graphql } from "../graphql/graphql-http";
import { openSocket } from "../graphql/graphql-socket";

/**
 * Time after which {@link passes} gives up, in milliseconds: far longer than anything that it waits for. The longest is
 * Janus, which notices after 12 s that a connection does not come up.
 */
const PATIENCE_MS = 120_000;

/** Runs a check again until it passes. @throws its last error when it never does */
export async function passes<T>(check: () => Promise<T> | T): Promise<T> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** What the events of a test select. */
const PARTICIPANT =
  "id userId name device moderator publishing sharingScreen audioMuted videoMuted";
const SETTINGS = "id name seats video access locked bitrate emptyAfterSeconds";
const EVENTS = `subscription ($m: ID!, $after: String) {
  conferenceEvents(membershipId: $m, after: $after) {
    __typename cursor
    ... on ConferenceSnapshotEvent { conference { ${SETTINGS} } participants { ${PARTICIPANT} } }
    ... on ConferenceParticipantJoinedEvent { participant { ${PARTICIPANT} } }
    ... on ConferenceParticipantUpdatedEvent { participant { ${PARTICIPANT} } rejoined }
    ... on ConferenceParticipantLeftEvent { participantId reason }
    ... on ConferenceUpdatedEvent { conference { ${SETTINGS} } }
    ... on ConferenceStreamsEvent { peerId offer streams { mid kind participantId source } }
    ... on ConferenceEndedEvent { reason }
    ... on ConferencePeerClosedEvent { peerId detail }
    ... on ConferencePeerLimitedEvent { peerId kind dropped bitrate }
    ... on ConferenceStatisticsEvent { peerId statistics { audioBitrate videoBitrate packetLoss roundTripMs } }
  }
}`;

/** An event with what {@link EVENTS} selects of it. */
export interface ReceivedEvent {
  __typename: string;
  cursor: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely by tests
  [field: string]: any;
}

/** A participant that uses GraphQL. */
export interface GraphqlParticipant {
  token: string;
  membershipId: string;
  participantId: string;
  /** The events received so far. */
  events: ReceivedEvent[];
  /** Whether the subscription has ended. */
  isOver(): boolean;
  /** Whether the service has ended the subscription, rather than the connection. */
  hasEnded(): boolean;
  /** The errors with which the subscription was refused. */
  refused(): unknown;
  /** The names of the participants, as the events tell. */
  names(): string[];
  /** Runs a mutation with the membership in its input. @throws Error with the code of the error */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  mutate(name: string, fields: string, input?: Record<string, unknown>): Promise<any>;
  /** Waits for an event. */
  event(type: string, matches?: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
  /** Closes the socket, without leaving. */
  disconnect(): Promise<void>;
  /** Closes the socket and leaves, unless the node or the session is gone: a user has few seats. */
  leave(): Promise<void>;
}

/** Runs a mutation with one argument `input`. @throws Error with code and fields */
export async function mutate(
  node: GatewayNode,
  name: string,
  fields: string,
  input: Record<string, unknown>,
  token?: string,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
): Promise<any> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const inputType = INPUTS[name] ?? `${type}Input`;
  const query = `mutation ($i: ${inputType}!) { ${name}(input: $i) { ${fields} } }`;
  const { data, errors } = await graphql(node, query, { i: input }, token);
  const [error] = errors ?? [];
  if (error) {
    const { code, fields: invalid } = error.extensions ?? {};
    throw new Error([code, error.message, JSON.stringify(invalid ?? {})].join(" "));
  }
  return data[name];
}

/** Operations that share an input type. */
const INPUTS: Record<string, string> = {
  joinConference: "ConferenceInput",
  closeConference: "ConferenceInput",
  leaveConference: "MembershipInput",
  watchConference: "MembershipInput",
  closeConferencePeer: "ConferencePeerInput",
};

/** Creates a conference. @returns its id */
export async function createConference(
  node: GatewayNode,
  token: string,
  input: Record<string, unknown> = {},
): Promise<string> {
  const name = `room ${++rooms}`;
  const created = await mutate(
    node,
    "createConference",
    "conference { id }",
    { name, ...input },
    token,
  );
  return created.conference.id;
}
let rooms = 0;

/** Joins a conference and subscribes to its events. @param after cursor to resume after */
export async function joinConference(
  node: GatewayNode,
  conferenceId: string,
  token: string,
  after?: string,
): Promise<GraphqlParticipant> {
  const fields = "membershipId participant { id }";
  const joined = await mutate(node, "joinConference", fields, { conferenceId }, token);
  return watchEvents(node, token, joined.membershipId, joined.participant.id, after);
}

/** Subscribes to the events of a membership. @param onEvent called for each event at once */
export async function watchEvents(
  node: GatewayNode,
  token: string,
  membershipId: string,
  participantId: string,
  after?: string,
  onEvent: (event: ReceivedEvent) => void = () => undefined,
): Promise<GraphqlParticipant> {
  const socket = await openSocket(node, token);
  const events: ReceivedEvent[] = [];
  let over = false;
  let refused: unknown;
  const id = "events";
  socket.socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.id !== id) return;
    if (message.type === "next" && message.payload.data) {
      const event: ReceivedEvent = message.payload.data.conferenceEvents;
      events.push(event);
      onEvent(event);
    } else {
      over = true;
      if (message.type === "error") refused = message.payload;
      if (message.payload?.errors) refused = message.payload.errors;
    }
  });
  const variables = { m: membershipId, after: after ?? null };
  socket.send({ id, type: "subscribe", payload: { query: EVENTS, variables } });
  const participant: GraphqlParticipant = {
    token,
    membershipId,
    participantId,
    events,
    isOver: () => over || socket.socket.readyState !== socket.socket.OPEN,
    hasEnded: () => over,
    refused: () => refused,
    names: () => namesOf(events),
    mutate: (name, fields, input = {}) =>
      mutate(node, name, fields, { membershipId, ...input }, token),
    event: (type, matches = () => true) =>
      passes(async () => {
        const found = events.find((event) => event.__typename === type && matches(event));
        if (!found) {
          throw new Error(`no ${type} yet, but ${events.map((event) => event.__typename)}`);
        }
        return found;
      }),
    disconnect: () => socket.close(),
    async leave() {
      await socket.close();
      await mutate(node, "leaveConference", "done", { membershipId }, token).catch(() => undefined);
    },
  };
  if (after === undefined) {
    await passes(async () => {
      if (events.length === 0 && !participant.isOver()) throw new Error("no snapshot yet");
    });
    if (refused) {
      await socket.close();
      throw new Error(JSON.stringify(refused));
    }
    if (events.length === 0) {
      // The service closes the socket of a guest whose link is withdrawn in between.
      const end = over ? "by itself" : `with ${(await socket.closed).code}`;
      throw new Error(`the subscription ended ${end} before its first event`);
    }
  }
  return participant;
}

function namesOf(events: ReceivedEvent[]): string[] {
  let participants = new Map<string, string>();
  for (const event of events) {
    if (event.__typename === "ConferenceSnapshotEvent") {
      participants = new Map(
        event.participants.map(({ id, name }: { id: string; name: string }) => [id, name]),
      );
    }
    if (event.participant) participants.set(event.participant.id, event.participant.name);
    if (event.__typename === "ConferenceParticipantLeftEvent")
      participants.delete(event.participantId);
  }
  return [...participants.values()];
}
