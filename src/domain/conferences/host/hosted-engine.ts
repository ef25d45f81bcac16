import { Fault } from "../../../core/errors";
import type {
  ConnectedPeer,
  EngineEvent,
  EngineState,
  Feed,
  MediaSource,
  PeerMessage,
  PeerResponse,
} from "../engine/engine";
import type { ConferenceEvent, ConferenceState } from "../model/conference-event";
import type { MemberStats, MuteChange, PeerOwner } from "../peers/peer";
import { Peers } from "../peers/peers";
import { ReportedStats } from "../peers/reported-stats";
import type { AcquiredConference, HostRef } from "../rows/host-queries";
import type { Member } from "../rows/member-queries";
import { disabledEngine } from "./disabled-engine";
import type { HostDeps } from "./host-deps";
import type { HostedMembers } from "./hosted-members";
import { MediaState, type StoredMedia } from "./media-state";
import { peerListener } from "./peer-listener";

/** What the media of a conference needs of it. */
export interface HostedEngineOptions {
  id: number;
  application: number;
  state(): ConferenceState;
  ref(): HostRef;
  /** What a moderator has muted of a member now. */
  blocked(memberId: number): Required<MuteChange>;
  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void;
  send(event: ConferenceEvent): void;
  /** The room is lost, with all peers. */
  onLost(): void;
  /** The room can be renewed, or must not open any more. */
  onRenewable(): void;
}

/** The engine of a conference with its stored state, as the row has them. */
type StoredEngine = Pick<AcquiredConference, "engine" | "engine_state">;

/** The media of one conference on its host: the room at the engine, and the peers. */
export class HostedEngine {
  private readonly peers: Peers;
  private readonly stored: MediaState;
  private opening: Promise<void> | null = null;
  private engineState: EngineState = {};
  private lost = false;
  private readonly reported = new ReportedStats();
  /** The engine opens the room no more, since it has harmed the engine again and again. */
  isHarmful = false;
  /** Whether the engine answers, as far as its events tell. */
  private answers = true;

  constructor(
    private readonly deps: HostDeps,
    private readonly options: HostedEngineOptions,
  ) {
    const engine = deps.engine ?? disabledEngine;
    this.peers = new Peers(
      engine,
      () => ({ room: this.room, generation: options.ref().generation }),
      peerListener(options),
      () => deps.clock.now(),
    );
    this.stored = new MediaState(deps, options.ref, () => ({
      engine: this.engineState,
      peers: this.peers.list(),
    }));
  }

  /** Name of the room at the engine. */
  private get room(): string {
    return `c-${this.options.id}`;
  }

  /** Resumes the peers of a stored state. @returns whether members must publish and watch again */
  async resume(
    { engine: engineName, engine_state: stored }: StoredEngine,
    members: Pick<HostedMembers, "has">,
  ): Promise<boolean> {
    const { engine } = this.deps;
    if (!engine) return false;
    const state = stored as StoredMedia | null;
    // Without a stored state the media has ended with the former host.
    if (!state || engineName !== engine.name) return true;
    try {
      const resumed = await this.open(state.engine);
      const kept = state.peers.filter((peer) => resumed.includes(peer.id) && members.has(peer));
      this.peers.restore(kept);
      // The former host may have ended before it has stored a peer, or closed those of a member who has left.
      const known = new Set(kept.map(({ id }) => id));
      const unknown = resumed.filter((id) => !known.has(id));
      await Promise.all(unknown.map((peer) => engine.close({ peer })));
      // The former host may have ended before it has blocked what its rows say.
      for (const memberId of new Set(kept.map((peer) => peer.memberId))) {
        await this.applyBlocks(memberId);
      }
      for (const { id: peer, memberId, generation } of state.peers) {
        if (resumed.includes(peer)) continue;
        const to = { memberId, generation };
        this.options.send({ type: "peer-closed", to, peer, reason: "the host was replaced" });
      }
      return kept.length === 0 && state.peers.length > 0;
    } catch (error) {
      this.deps.log.warn({ err: error }, "the media of a conference could not be resumed");
      return true;
    }
  }

  /** Whether media of a membership flows. @param source which; any when omitted */
  isUp({ memberId, generation }: Omit<PeerOwner, "number">, source?: MediaSource): boolean {
    const owned = this.peers
      .list()
      .filter((peer) => peer.memberId === memberId && peer.generation === generation);
    return owned.some(({ up, source: own }) => up && own && own === (source ?? own));
  }

  async publish(owner: PeerOwner, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    await this.ensureRoom();
    const connected = await this.peers.publish(owner, source, offer);
    try {
      await this.applyBlocks(owner.memberId);
    } catch (error) {
      await this.peers.closeOwned(owner, connected.peer);
      throw error;
    }
    await this.stored.save();
    return connected;
  }

  async watch(owner: PeerOwner, feed: Feed | undefined): Promise<ConnectedPeer> {
    await this.ensureRoom();
    const connected = await this.peers.watch(owner, feed);
    await this.stored.save();
    return connected;
  }

  signal(owner: PeerOwner, peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.peers.signal(owner, peer, message);
  }

  async closePeer(owner: PeerOwner, peer: string): Promise<void> {
    await this.peers.closeOwned(owner, peer);
    this.stored.changed();
  }

  /** Gives changed settings to the room, if it is open. */
  async update(): Promise<void> {
    try {
      if (!this.opening) return;
      await this.opening;
      await this.open();
    } catch (error) {
      // A room that is opened again has them.
      this.deps.log.warn({ err: error }, "changed settings could not be given to the media server");
    }
  }

  /** Closes all that a member has at the engine. */
  async closeMember({ id, number }: Pick<Member, "id" | "number">): Promise<void> {
    try {
      await this.peers.closeMember(id, number);
    } catch (error) {
      // The member has left either way; a reopened room will not contain it.
      this.deps.log.warn({ err: error }, "the media of a member could not be closed");
    }
    this.stored.changed();
  }

  /** Drops, or admits again, what a member publishes. @param kinds what may have changed */
  async block(memberId: number, kinds: MuteChange): Promise<void> {
    await this.peers.block(memberId, () => {
      const { audio, video } = this.options.blocked(memberId);
      return {
        ...(kinds.audio !== undefined && { audio }),
        ...(kinds.video !== undefined && { video }),
      };
    });
  }

  /** Drops what a moderator has muted of a member. */
  private applyBlocks(memberId: number): Promise<void> {
    const { audio, video } = this.options.blocked(memberId);
    return this.block(memberId, { ...(audio && { audio }), ...(video && { video }) });
  }

  stats(): MemberStats[] {
    return this.reported.of(this.peers.list());
  }

  repeatStreams(owner: PeerOwner): void {
    this.peers.repeatStreams(owner);
  }

  /** Leaves the room at the engine to the next host, which resumes it if the engine outlives this node. */
  async leaveRoom(): Promise<void> {
    await this.stored.flush();
    this.opening = null;
  }

  async closeRoom(): Promise<void> {
    this.stored.discard();
    this.peers.clear();
    if (!this.opening || this.lost) return;
    this.opening = null;
    try {
      await this.deps.engine?.close({ room: this.room });
    } catch (error) {
      this.deps.log.warn({ err: error }, "a room could not be closed");
    }
  }

  onEvent(event: EngineEvent): void {
    if (event.type === "lost") this.onLost();
    else if (event.type === "ready") this.onReady();
    else if (event.room === this.room) this.onRoomEvent(event);
  }

  private onRoomEvent(event: Exclude<EngineEvent, { type: "lost" | "ready" }>): void {
    if (event.type === "room-lost" || event.type === "room-ended") {
      this.isHarmful ||= event.type === "room-ended";
      this.onLost();
      this.onReady();
      return;
    }
    if (event.type === "up") this.peers.onUp(event.peer);
    if (event.type === "gone") this.peers.onGone(event.peer, event.reason);
    if (event.type === "streams") this.peers.onStreams(event.peer, event.streams);
    if (event.type === "statistics" || event.type === "limited") {
      const found = this.peers.find(event.peer);
      if (!found) return;
      const { id: peer, memberId, generation } = found;
      const own = { to: { memberId, generation }, peer };
      if (event.type === "statistics") {
        const { statistics } = event;
        this.reported.set(found, statistics);
        this.options.send({ type: "statistics", ...own, statistics });
      } else {
        const { kind, dropped, bitrate } = event;
        this.options.send({ type: "peer-limited", ...own, kind, dropped, bitrate });
      }
    } else this.stored.changed();
  }

  private onLost(): void {
    this.answers = false;
    if (this.lost || !this.opening) return;
    this.lost = true;
    this.opening = null;
    this.peers.clear();
    this.options.onLost();
  }

  private onReady(): void {
    this.answers = true;
    if (this.lost || this.isHarmful) this.options.onRenewable();
  }

  /** Whether the engine, which has lost the room, answers again. */
  isRenewable(): boolean {
    return this.lost && this.answers && !this.isHarmful;
  }

  /** Opens the room again, under a new generation of the conference. If that fails, the next publisher opens it. */
  async renew(): Promise<void> {
    // It may have been lost again.
    if (!this.isRenewable()) return;
    this.lost = false;
    await this.ensureRoom();
  }

  private async ensureRoom(): Promise<void> {
    if (this.lost || this.isHarmful) {
      throw new Fault("UNAVAILABLE", "The media server is restarting", undefined, 1);
    }
    this.opening ??= this.open().then(
      () => undefined,
      (error) => {
        this.opening = null;
        throw error;
      },
    );
    await this.opening;
  }

  private async open(stored?: EngineState): Promise<string[]> {
    const engine = this.deps.engine ?? disabledEngine;
    const { video, bitrate } = this.options.state();
    const { generation } = this.options.ref();
    const { state, resumed } = await engine.open(
      { room: this.room, application: this.options.application, generation, video, bitrate },
      stored,
    );
    this.engineState = state;
    if (stored) this.opening = Promise.resolve();
    return resumed;
  }
}
