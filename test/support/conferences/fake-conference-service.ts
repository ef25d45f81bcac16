import { Fault } from "../../../src/core/errors";
import type {
  ConnectedPeer,
  Feed,
  MediaSource,
  PeerMessage,
  PeerResponse,
} from "../../../src/domain/conferences/engine/engine";
import type {
  Conference,
  ConferenceParticipantState,
  ParticipantIdentity,
  ParticipantRef,
} from "../../../src/domain/conferences/model/conference";
import type {
  ConferenceEvent,
  LeaveReason,
} from "../../../src/domain/conferences/model/conference-event";
import type {
  ConferenceService,
  DeliveredEvent,
  EventSubscriber,
  JoinedConference,
} from "../../../src/domain/conferences/model/conference-service";

interface Peer {
  id: string;
  source?: MediaSource;
  feed?: Feed;
}

interface Participant {
  state: ConferenceParticipantState;
  generation: number;
  peers: Map<string, Peer>;
}

interface Subscription {
  subscriber: EventSubscriber;
  /** Position in the log of the room. */
  next: number;
  delivering: boolean;
  /** Set when the membership has ended: `end` follows the events up to this position. */
  endsAt: number | null;
  ended: boolean;
}

interface Room {
  conference: Conference;
  participants: Map<number, Participant>;
  log: ConferenceEvent[];
  sequence: number;
  subscriptions: Set<Subscription>;
}

/** An event without its sequence. */
type Unnumbered<E> = E extends { sequence: number } ? Omit<E, "sequence"> : E;
type Method = Exclude<keyof ConferenceService, "participants"> | "participants";

let numbers = 0;

/**
 * Conferences in memory, without media: seats, generations and events in sequence as the service has them. A
 * published feed is up at once unless `automaticUp` is false.
 */
export class FakeConferenceService implements ConferenceService {
  automaticUp = true;
  seats = 12;
  /** Every message to a peer, in order. */
  readonly signals: Array<{ peer: string; message: PeerMessage }> = [];
  /** Every call, as the name of its method. */
  readonly calls: Method[] = [];
  private readonly rooms = new Map<number, Room>();
  private readonly failures = new Map<Method, Fault>();
  private readonly held = new Map<Method, Promise<void>>();

  /** Makes the calls of a method fail, until `null`. */
  fail(method: Method, fault: Fault | null): void {
    if (fault) this.failures.set(method, fault);
    else this.failures.delete(method);
  }

  /** Makes the calls of a method wait. @returns lets them continue */
  hold(method: Method): () => void {
    let release = () => {};
    this.held.set(method, new Promise((resolve) => (release = resolve)));
    return () => {
      this.held.delete(method);
      release();
    };
  }

  async openByName({ applicationId }: ParticipantIdentity, name: string): Promise<Conference> {
    await this.called("openByName");
    const found = this.room(applicationId, name);
    if (found) return found.conference;
    const conference: Conference = {
      id: ++numbers,
      applicationId,
      name,
      seats: this.seats,
      video: true,
      access: "everyone",
      origin: "legacy",
      locked: false,
      emptyAfterSeconds: 30,
      bitrate: 1_000_000,
      createdBy: null,
      createdAt: new Date(0),
      closedAt: null,
      host: null,
      sequence: 0,
    };
    this.rooms.set(conference.id, {
      conference,
      participants: new Map(),
      log: [],
      sequence: 0,
      subscriptions: new Set(),
    });
    return conference;
  }

  async join(
    identity: ParticipantIdentity,
    conferenceId: number,
    { legacy = false }: { legacy?: boolean } = {},
  ): Promise<JoinedConference> {
    await this.called("join");
    const room = this.roomOf(conferenceId);
    const { number, kind, name, device } = identity;
    let participant = [...room.participants.values()].find(({ state }) => state.number === number);
    if (participant) {
      this.push(room, {
        type: "replaced",
        to: { participantId: participant.state.id, generation: participant.generation },
      });
      this.endSubscriptions(room, participant.state.id);
      for (const peer of [...participant.peers.values()]) this.dropPeer(room, participant, peer);
      participant.generation += 1;
      participant.state = { ...participant.state, device, publishing: false, screen: false };
      this.push(room, {
        type: "participant-updated",
        participant: participant.state,
        rejoined: true,
      });
    } else {
      if (room.participants.size >= room.conference.seats)
        throw new Fault("FULL", "No seat is free");
      const muted = legacy ? null : false;
      const state: ConferenceParticipantState = {
        id: ++numbers,
        number,
        kind,
        name,
        device,
        moderator: false,
        joinedAt: new Date(0).toISOString(),
        publishing: false,
        screen: false,
        audioMuted: muted,
        videoMuted: muted,
      };
      participant = { state, generation: 1, peers: new Map() };
      room.participants.set(state.id, participant);
      this.push(room, { type: "participant-joined", participant: state });
    }
    return {
      ref: {
        conferenceId,
        participantId: participant.state.id,
        number,
        generation: participant.generation,
      },
      participant: participant.state,
      conference: room.conference,
      participants: statesOf(room),
    };
  }

  async leave({ conferenceId, participantId, generation }: ParticipantRef): Promise<void> {
    await this.called("leave");
    const room = this.rooms.get(conferenceId);
    const participant = room?.participants.get(participantId);
    if (room && participant && participant.generation === generation)
      this.endParticipant(room, participant, "left");
  }

  async participants(conferenceId: number): Promise<ConferenceParticipantState[]> {
    await this.called("participants");
    return statesOf(this.roomOf(conferenceId));
  }

  async publish(ref: ParticipantRef, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    await this.called("publish");
    const { room, participant } = this.participantOf(ref);
    requireFingerprint(offer);
    for (const peer of [...participant.peers.values()]) {
      if (peer.source === source) this.dropPeer(room, participant, peer);
    }
    const peer = this.addPeer(participant, { source });
    if (this.automaticUp) setImmediate(() => this.up(room, participant, peer));
    return { peer: peer.id, sdp: sdpOf(`answer for ${participant.state.number}`), streams: [] };
  }

  async watch(ref: ParticipantRef, feed?: Feed): Promise<ConnectedPeer> {
    await this.called("watch");
    const { room, participant } = this.participantOf(ref);
    const published = [...room.participants.values()].some(
      ({ state }) =>
        state.number === feed?.participant &&
        (feed.source === "main" ? state.publishing : state.screen),
    );
    if (!feed || !published) throw new Fault("NOT_FOUND", "No such feed");
    const peer = this.addPeer(participant, { feed });
    return { peer: peer.id, sdp: sdpOf(`offer of ${feed.participant}`), streams: [] };
  }

  async signal(ref: ParticipantRef, peer: string, message: PeerMessage): Promise<PeerResponse> {
    await this.called("signal");
    const { participant } = this.participantOf(ref);
    if (!participant.peers.has(peer)) throw new Fault("NOT_FOUND", "No such peer");
    if (message.answer !== undefined) requireFingerprint(message.answer);
    this.signals.push({ peer, message });
    return {};
  }

  async closePeer(ref: ParticipantRef, id: string): Promise<void> {
    await this.called("closePeer");
    const { room, participant } = this.participantOf(ref);
    const peer = participant.peers.get(id);
    if (peer) this.dropPeer(room, participant, peer);
  }

  async subscribe(subscriber: EventSubscriber, after?: string): Promise<() => Promise<void>> {
    await this.called("subscribe");
    const { room } = this.participantOf(subscriber.ref);
    const next = after === undefined ? room.log.length : Number(after);
    const subscription: Subscription = {
      subscriber,
      next,
      delivering: false,
      endsAt: null,
      ended: false,
    };
    room.subscriptions.add(subscription);
    void this.deliver(room, subscription);
    return async () => {
      subscription.ended = true;
      room.subscriptions.delete(subscription);
    };
  }

  // What tests do to conferences and look at.

  /** The room of a name; undefined if nobody has opened it. */
  room(applicationId: number, name: string): Room | undefined {
    return [...this.rooms.values()].find(
      ({ conference }) => conference.applicationId === applicationId && conference.name === name,
    );
  }

  /** The names of all open rooms. */
  names(): string[] {
    return [...this.rooms.values()].map(({ conference }) => conference.name);
  }

  /** Numbers of the participants of a room. */
  numbersIn(name: string, applicationId = 7): number[] {
    const room = this.room(applicationId, name);
    return room ? statesOf(room).map(({ number }) => number) : [];
  }

  /** Media of a participant flows, which waited for this because of `automaticUp`. */
  bringUp(name: string, number: number): void {
    const { room, participant } = this.found(name, number);
    const peer = [...participant.peers.values()].find(({ source }) => source === "main");
    if (peer) this.up(room, participant, peer);
  }

  /** Sets properties of a participant that others see. */
  change(name: string, number: number, changes: Partial<ConferenceParticipantState>): void {
    const { room, participant } = this.found(name, number);
    participant.state = { ...participant.state, ...changes };
    this.push(room, {
      type: "participant-updated",
      participant: participant.state,
      rejoined: false,
    });
  }

  /** Ends a membership. */
  remove(name: string, number: number, reason: LeaveReason = "removed"): void {
    const { room, participant } = this.found(name, number);
    this.endParticipant(room, participant, reason);
  }

  /** Ends a peer connection of a participant: its publishing one, or that of a feed. */
  closeOwnPeer(name: string, number: number, feed?: number): void {
    const { room, participant } = this.found(name, number);
    const peer = [...participant.peers.values()].find((each) =>
      feed === undefined ? each.source === "main" : each.feed?.participant === feed,
    );
    if (!peer) throw new Error("no such peer");
    this.dropPeer(room, participant, peer, "ICE failed");
  }

  /** The media server is lost. */
  loseEngine(name: string): void {
    const room = this.room(7, name);
    if (room) this.push(room, { type: "reconnect" });
  }

  /** Sends the whole state again, as after a gap. */
  resend(name: string): void {
    const room = this.room(7, name);
    if (!room) return;
    this.push(room, {
      type: "snapshot",
      conference: room.conference,
      participants: statesOf(room),
    });
  }

  /** Changes the participants without any event: those were lost. */
  loseEvents(name: string, change: () => void): void {
    const room = this.room(7, name);
    if (!room) return;
    const { length } = room.log;
    change();
    room.log.splice(length);
  }

  /** Closes a conference. */
  end(name: string): void {
    const room = this.room(7, name);
    if (!room) return;
    this.push(room, { type: "ended", reason: "conference-closed" });
    for (const { state } of room.participants.values()) this.endSubscriptions(room, state.id);
    this.rooms.delete(room.conference.id);
  }

  private async called(method: Method): Promise<void> {
    this.calls.push(method);
    await this.held.get(method);
    const fault = this.failures.get(method);
    if (fault) throw fault;
  }

  private roomOf(conferenceId: number): Room {
    const room = this.rooms.get(conferenceId);
    if (!room) throw new Fault("NOT_FOUND", "No such conference");
    return room;
  }

  private participantOf({ conferenceId, participantId, generation }: ParticipantRef): {
    room: Room;
    participant: Participant;
  } {
    const room = this.roomOf(conferenceId);
    const participant = room.participants.get(participantId);
    if (!participant) throw new Fault("NOT_FOUND", "No such participant");
    if (participant.generation !== generation) {
      throw new Fault("CONFLICT", "Another device has replaced this one");
    }
    return { room, participant };
  }

  private found(name: string, number: number): { room: Room; participant: Participant } {
    const room = this.room(7, name);
    const participant = [...(room?.participants.values() ?? [])].find(
      ({ state }) => state.number === number,
    );
    if (!room || !participant) throw new Error(`${number} is not in ${name}`);
    return { room, participant };
  }

  private addPeer(participant: Participant, what: Omit<Peer, "id">): Peer {
    const peer = { id: `peer-${++numbers}`, ...what };
    participant.peers.set(peer.id, peer);
    return peer;
  }

  private up(room: Room, participant: Participant, { id, source }: Peer): void {
    if (!participant.peers.has(id) || !room.participants.has(participant.state.id)) return;
    const flows = source === "screen" ? { screen: true } : { publishing: true };
    participant.state = { ...participant.state, ...flows };
    this.push(room, {
      type: "participant-updated",
      participant: participant.state,
      rejoined: false,
    });
  }

  /** Closes a peer connection, and those that watch it. */
  private dropPeer(
    room: Room,
    participant: Participant,
    { id, source }: Peer,
    reason = "Closed",
  ): void {
    participant.peers.delete(id);
    const to = { participantId: participant.state.id, generation: participant.generation };
    this.push(room, { type: "peer-closed", to, peer: id, reason });
    if (source === undefined) return;
    if (source === "main" ? participant.state.publishing : participant.state.screen) {
      const silent = source === "main" ? { publishing: false } : { screen: false };
      participant.state = { ...participant.state, ...silent };
      this.push(room, {
        type: "participant-updated",
        participant: participant.state,
        rejoined: false,
      });
    }
    for (const other of room.participants.values()) {
      for (const peer of [...other.peers.values()]) {
        const { feed } = peer;
        if (feed?.participant === participant.state.number && feed.source === source) {
          this.dropPeer(room, other, peer, "The feed has ended");
        }
      }
    }
  }

  private endParticipant(room: Room, participant: Participant, reason: LeaveReason): void {
    const { id: participantId, number } = participant.state;
    room.participants.delete(participantId);
    this.push(room, { type: "participant-left", participantId, number, reason });
    this.endSubscriptions(room, participantId);
    for (const peer of [...participant.peers.values()]) this.dropPeer(room, participant, peer);
  }

  private endSubscriptions(room: Room, participantId: number): void {
    for (const subscription of room.subscriptions) {
      if (subscription.subscriber.ref.participantId !== participantId) continue;
      subscription.endsAt ??= room.log.length;
      void this.deliver(room, subscription);
    }
  }

  private push(room: Room, event: Unnumbered<ConferenceEvent>): void {
    const numbered = "to" in event ? event : { ...event, sequence: ++room.sequence };
    room.log.push(numbered as ConferenceEvent);
    for (const subscription of room.subscriptions) void this.deliver(room, subscription);
  }

  private async deliver(room: Room, subscription: Subscription): Promise<void> {
    if (subscription.delivering) return;
    subscription.delivering = true;
    const { subscriber } = subscription;
    // As over a bus: never within the call that caused the event.
    await new Promise(setImmediate);
    while (!subscription.ended && subscription.next < (subscription.endsAt ?? room.log.length)) {
      await subscriber.whenDrained();
      if (subscription.ended) break;
      const event = room.log[subscription.next++];
      if (event && isFor(event, subscriber.ref)) {
        const delivered: DeliveredEvent = { cursor: String(subscription.next), event };
        subscriber.receive(delivered);
      }
    }
    subscription.delivering = false;
    if (subscription.ended || subscription.endsAt === null) return;
    subscription.ended = true;
    room.subscriptions.delete(subscription);
    subscriber.end();
  }
}

function isFor(event: ConferenceEvent, ref: ParticipantRef): boolean {
  return (
    !("to" in event) ||
    (event.to.participantId === ref.participantId && event.to.generation === ref.generation)
  );
}

function statesOf(room: Room): ConferenceParticipantState[] {
  return [...room.participants.values()].map(({ state }) => state);
}

/** An engine refuses a description without the fingerprint of a certificate. */
function requireFingerprint(sdp: string): void {
  if (!sdp.includes("a=fingerprint:")) throw Fault.field("sdp", "has no fingerprint");
}

/** A session description, which names what it is in its session name. */
export function sdpOf(name: string): string {
  const fingerprint = Array(32).fill("AB").join(":");
  return [
    "v=0",
    "o=- 1 1 IN IP4 127.0.0.1",
    `s=${name}`,
    "t=0 0",
    `a=fingerprint:sha-256 ${fingerprint}`,
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    "a=mid:0",
    "",
  ].join("\r\n");
}
