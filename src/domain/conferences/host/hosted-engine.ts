import { Fault } from "../../../core/errors";
import type {
  ConferenceEngine,
  ConnectedPeer,
  EngineEvent,
  EngineState,
  Feed,
  MediaSource,
  PeerMessage,
  PeerResponse,
  PeerStream,
} from "../engine/engine";
import type { ConferenceEvent, ConferenceState } from "../model/conference-event";
import type { MuteChange, ParticipantStats, Peer, PeerListener, PeerOwner } from "../peers/peer";
import { Peers } from "../peers/peers";
import { ReportedStats } from "../peers/reported-stats";
import { type AcquiredConference, type HostRef, writeEngineState } from "../rows/host-queries";
import type { Participant } from "../rows/participant-queries";
import type { HostDeps } from "./host-deps";

/** It is open, or opens: back to `closed` if that fails, and when the host leaves or closes it. */
interface OpenRoom {
  state: "open";
  opened: Promise<void>;
}

/** The room of a conference at the engine (docs/CONFERENCES.md has the diagram of its states). */
type Room =
  /** The next participant who publishes or watches opens it. */
  | { state: "closed" }
  | OpenRoom
  /** The engine has lost it, and does not answer. Until it is open again, participants get UNAVAILABLE. */
  | { state: "lost" }
  /** As `lost`, but the engine answers again: the conference raises its generation, and opens the room. */
  | { state: "renewable" }
  /** It has harmed the engine again and again: it never opens again, and the conference ends. */
  | { state: "harmful" };

/** What the media of a conference needs of it. */
export interface EngineOwner extends Pick<PeerListener, "onFeed"> {
  readonly id: number;
  readonly application: number;
  readonly settings: ConferenceState;
  ref(): HostRef;
  /** Whether a membership is the current one of a participant. */
  has(membership: Pick<PeerOwner, "participantId" | "generation">): boolean;
  /** What a moderator has muted of a participant now. */
  blocked(participantId: number): Required<MuteChange>;
  send(event: ConferenceEvent): void;
  /** The open room is lost, with all peers. */
  onRoomLost(): void;
  /** The room is renewable or harmful. */
  check(): void;
}

/** The engine of a conference with its stored state, as the row has them. */
type StoredEngine = Pick<AcquiredConference, "engine" | "engine_state">;

/** What the row of a conference has of its media: the engine's state, and the peers. */
interface StoredMedia {
  engine: EngineState;
  peers: Peer[];
}

/** Delay until changed media is stored, in milliseconds; several changes are stored together. */
const STORE_MS = 200;

/**
 * The media of one conference on its host: the room at the engine, and the peers. They are stored for a restart of this
 * node, if the engine outlives it.
 */
export class HostedEngine implements PeerListener {
  private readonly engine: ConferenceEngine;
  /** Name of the room at the engine. */
  private readonly roomName: string;
  private room: Room = { state: "closed" };
  private readonly peers: Peers;
  private readonly reported = new ReportedStats();
  /** What the engine needs to resume the room that was opened last. */
  private engineState: EngineState = {};
  /** Set while a change waits to be stored. */
  private storeTimer: NodeJS.Timeout | null = null;
  private storing: Promise<void> | null = null;

  constructor(
    private readonly deps: Pick<HostDeps, "engine" | "store" | "clock" | "log">,
    private readonly owner: EngineOwner,
  ) {
    this.engine = deps.engine ?? disabledEngine;
    this.roomName = `c-${owner.id}`;
    this.peers = new Peers(
      this.engine,
      () => ({ room: this.roomName, generation: owner.ref().generation }),
      this,
      () => deps.clock.now(),
    );
  }

  /** The state of the room. */
  get state(): Room["state"] {
    return this.room.state;
  }

  // The room

  /** Resumes the peers of a stored state. @returns whether participants must publish and watch again */
  async resume({ engine: engineName, engine_state: stored }: StoredEngine): Promise<boolean> {
    const { engine, log } = this.deps;
    if (!engine) return false;
    const state = stored as StoredMedia | null;
    // Without a stored state the media has ended with the former host.
    if (!state || engineName !== engine.name) return true;
    try {
      const resumed = await this.open(state.engine);
      if (this.room.state === "closed") this.room = { state: "open", opened: Promise.resolve() };
      const kept = state.peers.filter((peer) => resumed.includes(peer.id) && this.owner.has(peer));
      this.peers.restore(kept);
      // The former host may have ended before it has stored a peer, or closed those of a participant who has left.
      const known = new Set(kept.map(({ id }) => id));
      const unknown = resumed.filter((id) => !known.has(id));
      await Promise.all(unknown.map((peer) => engine.close({ peer })));
      // The former host may have ended before it has blocked what its rows say.
      for (const participantId of new Set(kept.map((peer) => peer.participantId))) {
        await this.applyBlocks(participantId);
      }
      for (const peer of state.peers) {
        if (!resumed.includes(peer.id)) this.onEnded(peer, "the host was replaced");
      }
      return kept.length === 0 && state.peers.length > 0;
    } catch (error) {
      log.warn({ err: error }, "the media of a conference could not be resumed");
      return true;
    }
  }

  /**
   * Opens a renewable room again, under a new generation of the conference. If that fails, the next publisher opens it.
   */
  async renew(): Promise<void> {
    // It may have been lost again.
    if (this.room.state !== "renewable") return;
    this.room = this.opening();
    await this.room.opened;
  }

  /** Gives changed settings to the room, if it is open. */
  async update(): Promise<void> {
    if (this.room.state !== "open") return;
    try {
      await this.room.opened;
      await this.open();
    } catch (error) {
      // A room that is opened again has them.
      this.deps.log.warn({ err: error }, "changed settings could not be given to the media server");
    }
  }

  /** Leaves the room at the engine to the next host, which resumes it if the engine outlives this node. */
  async leaveRoom(): Promise<void> {
    await this.flush();
    if (this.room.state === "open") this.room = { state: "closed" };
  }

  /** Closes the room, and forgets the peers. */
  async closeRoom(): Promise<void> {
    this.stopStoreTimer();
    this.peers.clear();
    if (this.room.state !== "open") return;
    this.room = { state: "closed" };
    try {
      await this.engine.close({ room: this.roomName });
    } catch (error) {
      this.deps.log.warn({ err: error }, "a room could not be closed");
    }
  }

  private async ensureRoom(): Promise<void> {
    if (this.room.state === "closed") this.room = this.opening();
    if (this.room.state !== "open") {
      throw new Fault("UNAVAILABLE", "The media server is restarting", undefined, 1);
    }
    await this.room.opened;
  }

  private opening(): OpenRoom {
    const opened = this.open().then(
      () => undefined,
      (error) => {
        if (this.room === room) this.room = { state: "closed" };
        throw error;
      },
    );
    const room: OpenRoom = { state: "open", opened };
    return room;
  }

  private async open(stored?: EngineState): Promise<string[]> {
    const { application, settings } = this.owner;
    const { video, bitrate } = settings;
    const { generation } = this.owner.ref();
    const { state, resumed } = await this.engine.open(
      { room: this.roomName, application, generation, video, bitrate },
      stored,
    );
    this.engineState = state;
    return resumed;
  }

  // Events of the engine

  /** Takes an event of the engine, of any room. */
  onEvent(event: EngineEvent): void {
    if (event.type === "lost") this.onLost("lost");
    else if (event.type === "ready") this.onReady();
    else if (event.room === this.roomName) this.onRoomEvent(event);
  }

  private onRoomEvent(event: Exclude<EngineEvent, { type: "lost" | "ready" }>): void {
    if (event.type === "room-lost" || event.type === "room-ended") {
      this.onLost(event.type === "room-ended" ? "harmful" : "lost");
      this.onReady();
    } else if (event.type === "statistics" || event.type === "limited") {
      this.onReport(event);
    } else {
      if (event.type === "up") this.peers.onUp(event.peer);
      if (event.type === "gone") this.peers.onGone(event.peer, event.reason);
      if (event.type === "streams") this.peers.onStreams(event.peer, event.streams);
      this.storeSoon();
    }
  }

  private onReport(event: Extract<EngineEvent, { type: "statistics" | "limited" }>): void {
    const peer = this.peers.find(event.peer);
    if (!peer) return;
    if (event.type === "statistics") {
      const { statistics } = event;
      this.reported.set(peer, statistics);
      this.owner.send({ type: "statistics", ...addressOf(peer), statistics });
    } else {
      const { kind, dropped, bitrate } = event;
      this.owner.send({ type: "peer-limited", ...addressOf(peer), kind, dropped, bitrate });
    }
  }

  private onLost(next: "lost" | "harmful"): void {
    const { state } = this.room;
    if (next === "harmful" || state === "open" || state === "renewable")
      this.room = { state: next };
    if (state !== "open") return;
    this.peers.clear();
    this.owner.onRoomLost();
  }

  private onReady(): void {
    if (this.room.state === "lost") this.room = { state: "renewable" };
    if (this.room.state === "renewable" || this.room.state === "harmful") this.owner.check();
  }

  // Peers

  async publish(owner: PeerOwner, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    await this.ensureRoom();
    const connected = await this.peers.publish(owner, source, offer);
    try {
      await this.applyBlocks(owner.participantId);
    } catch (error) {
      await this.peers.closeOwned(owner, connected.peer);
      throw error;
    }
    await this.store();
    return connected;
  }

  async watch(owner: PeerOwner, feed: Feed | undefined): Promise<ConnectedPeer> {
    await this.ensureRoom();
    const connected = await this.peers.watch(owner, feed);
    await this.store();
    return connected;
  }

  signal(owner: PeerOwner, peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.peers.signal(owner, peer, message);
  }

  async closePeer(owner: PeerOwner, peer: string): Promise<void> {
    await this.peers.closeOwned(owner, peer);
    this.storeSoon();
  }

  /** Closes all that a participant has at the engine. */
  async closeParticipant({ id, number }: Pick<Participant, "id" | "number">): Promise<void> {
    try {
      await this.peers.closeParticipant(id, number);
    } catch (error) {
      // The participant has left either way; a reopened room will not contain it.
      this.deps.log.warn({ err: error }, "the media of a participant could not be closed");
    }
    this.storeSoon();
  }

  /** Drops, or admits again, what a participant publishes. @param kinds what may have changed */
  async block(participantId: number, kinds: MuteChange): Promise<void> {
    await this.peers.block(participantId, () => {
      const { audio, video } = this.owner.blocked(participantId);
      return {
        ...(kinds.audio !== undefined && { audio }),
        ...(kinds.video !== undefined && { video }),
      };
    });
  }

  /** Drops what a moderator has muted of a participant. */
  private applyBlocks(participantId: number): Promise<void> {
    const { audio, video } = this.owner.blocked(participantId);
    return this.block(participantId, { ...(audio && { audio }), ...(video && { video }) });
  }

  /** Whether media of a membership flows. @param source which; any when omitted */
  isUp({ participantId, generation }: Omit<PeerOwner, "number">, source?: MediaSource): boolean {
    const owned = this.peers
      .list()
      .filter((peer) => peer.participantId === participantId && peer.generation === generation);
    return owned.some(({ up, source: own }) => up && own && own === (source ?? own));
  }

  stats(): ParticipantStats[] {
    return this.reported.of(this.peers.list());
  }

  repeatStreams(owner: PeerOwner): void {
    this.peers.repeatStreams(owner);
  }

  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void {
    this.owner.onFeed(owner, source, up);
  }

  onStreams(peer: Peer, streams: PeerStream[], offer: string | undefined): void {
    const changed = { streams, ...(offer !== undefined && { offer }) };
    this.owner.send({ type: "streams", ...addressOf(peer), ...changed });
  }

  onEnded(peer: Peer, reason: string): void {
    this.owner.send({ type: "peer-closed", ...addressOf(peer), reason });
  }

  // What the next host resumes

  private storeSoon(): void {
    if (this.storeTimer || Object.keys(this.engineState).length === 0) return;
    this.storeTimer = setTimeout(() => void this.flush(), STORE_MS);
    this.storeTimer.unref();
  }

  /**
   * Stores a new peer before its client has it: the next host closes a peer that is not stored, and can tell nobody.
   */
  private async store(): Promise<void> {
    this.storeSoon();
    await this.flush();
  }

  /**
   * Stores what has changed at once. What changes while a write runs is stored with the next one, together.
   * A failure is logged: media does not wait for a database that is away.
   */
  private async flush(): Promise<void> {
    // It may have begun before the last change.
    await this.storing;
    if (this.storeTimer) {
      this.storing ??= this.write().finally(() => {
        this.storing = null;
      });
    }
    await this.storing;
  }

  private async write(): Promise<void> {
    this.stopStoreTimer();
    const { engine, store, log } = this.deps;
    const media: StoredMedia = { engine: this.engineState, peers: this.peers.list() };
    try {
      await writeEngineState(store, this.owner.ref(), engine?.name ?? "", media);
    } catch (error) {
      log.warn({ err: error }, "the media of a conference could not be stored");
    }
  }

  private stopStoreTimer(): void {
    if (this.storeTimer) clearTimeout(this.storeTimer);
    this.storeTimer = null;
  }
}

/** The membership that an event of a peer is for, and the peer. */
function addressOf({ id: peer, participantId, generation }: Peer) {
  return { to: { participantId, generation }, peer };
}

/** The engine with CONFERENCES=off: nothing opens. */
const disabledEngine: ConferenceEngine = {
  open: unsupported,
  connect: unsupported,
  signal: unsupported,
  close: async () => undefined,
};

function unsupported(): Promise<never> {
  return Promise.reject(new Fault("UNSUPPORTED", "Conferences are off on this server"));
}
