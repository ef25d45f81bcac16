import type { Log } from "../../../../core/log";
import type { ConnectedPeer, ConnectRequest, EngineListener, EngineRoom } from "../engine";
import { isJanusError, JANUS_CODE, notFound } from "./connection/janus-faults";
import type { VideoRoomData } from "./connection/janus-messages";
import type { VideoRoomSession } from "./connection/janus-session";
import { feedIdOf } from "./feed-id";
import { isGatewayId } from "./gateway-id";
import type { JanusPeer } from "./janus-peer";
import { offerFor } from "./offered-sdp";
import { JanusPublisher, type PublisherRoom } from "./publisher";
import { PublisherIndex } from "./publisher-index";
import type { RoomAccess } from "./room-access";
import type { RoomRecord } from "./room-record";
import { JanusWatcher, type WatcherRoom } from "./watcher";

/** What the rooms of an engine share. */
export interface RoomDeps {
  access: RoomAccess;
  /** The rooms of all peers. */
  roomOfPeer: Map<string, JanusRoom>;
  notify: EngineListener;
  log: Log;
}

/** An open room: a session at Janus, in which a handle is a peer. */
export class JanusRoom implements PublisherRoom, WatcherRoom {
  readonly peers = new Map<string, JanusPeer>();
  readonly publishers = new PublisherIndex();
  private readonly handles = new Map<number, JanusPeer>();
  /** Ids of feeds that are joining at this moment. */
  private readonly joining = new Set<string>();
  private writing = false;
  private dirty = false;
  private closed = false;

  constructor(
    private readonly deps: RoomDeps,
    public spec: EngineRoom,
    readonly session: VideoRoomSession,
    /** The handle of the gateway's own participant. */
    readonly control: number,
    readonly privateId: number,
  ) {}

  get room(): string {
    return this.spec.room;
  }

  get video(): boolean {
    return this.spec.video;
  }

  get bitrate(): number {
    return this.spec.bitrate;
  }

  /** Number of tracks that Janus forwards. */
  get tracks(): number {
    let count = 0;
    for (const peer of this.peers.values()) if (peer instanceof JanusWatcher) count += peer.tracks;
    return count;
  }

  /** Caps the video of participants who publish from now on, in bits per second. @throws VideoRoomError, Fault */
  async capBitrate(bitrate: number): Promise<void> {
    if (bitrate === this.spec.bitrate) return;
    await this.deps.access.capBitrate(this.session, this.control, this.spec, bitrate);
    this.spec = { ...this.spec, bitrate };
  }

  /** Opens a peer. @throws VideoRoomError, Fault */
  async connect({ participant, publish, watch }: ConnectRequest): Promise<ConnectedPeer> {
    if (publish) return this.publish({ participant, source: publish.source }, publish.offer);
    const peer = new JanusWatcher(this, participant, watch?.sections ?? "all");
    try {
      const opened = await peer.open(watch?.feeds ?? []);
      this.add(peer);
      return { peer: peer.id, ...opened };
    } catch (error) {
      if (peer.handle !== undefined) await this.detach(peer.handle);
      throw error;
    }
  }

  /** Adds an open peer. @throws Fault NOT_FOUND if the room has ended */
  add(peer: JanusPeer): void {
    if (this.closed) throw notFound("conference");
    this.peers.set(peer.id, peer);
    this.deps.roomOfPeer.set(peer.id, this);
    if (peer.handle !== undefined) this.handles.set(peer.handle, peer);
    if (peer instanceof JanusPublisher) this.publishers.add(peer);
    this.changed();
  }

  async attach(peer: JanusPeer): Promise<number> {
    const handle = await this.session.attach();
    this.handles.set(handle, peer);
    return handle;
  }

  async reattach(peer: JanusPublisher): Promise<number> {
    const { handle } = peer;
    // Its end is no event of the peer any more.
    this.handles.delete(handle);
    this.publisherEnded(peer.id);
    await this.kick(peer.feedId);
    await this.detach(handle);
    return this.attach(peer);
  }

  async detach(handle: number): Promise<void> {
    this.handles.delete(handle);
    await this.session.detach(handle).catch((error: unknown) => {
      this.deps.log.debug({ err: error }, "a handle of Janus could not be closed");
    });
  }

  async kick(feedId: string): Promise<void> {
    const secret = this.secret();
    try {
      await this.session.send(this.control, {
        request: "kick",
        room: this.room,
        secret,
        id: feedId,
      });
    } catch (error) {
      if (!isJanusError(error, JANUS_CODE.noSuchFeed)) throw error;
    }
  }

  async moderate(feedId: string, mid: string, mute: boolean): Promise<void> {
    const secret = this.secret();
    const body = { request: "moderate", room: this.room, secret, id: feedId, mid, mute };
    await this.session.send(this.control, body);
  }

  /** Closes a peer on request. */
  async close(peer: JanusPeer): Promise<void> {
    this.forget(peer);
    if (peer instanceof JanusPublisher) await this.kick(peer.feedId);
    if (peer.handle !== undefined) await this.detach(peer.handle);
  }

  /** The media of a handle flows. */
  handleUp(handle: number): void {
    const peer = this.handles.get(handle);
    // A client whose connection restarts reports the same again.
    if (!peer || peer.up || !this.peers.has(peer.id)) return;
    peer.up = true;
    this.changed();
    this.deps.notify({ type: "up", room: this.room, peer: peer.id });
  }

  /** A handle has ended by itself. */
  handleGone(handle: number, reason: string): void {
    const peer = this.handles.get(handle);
    if (peer && this.peers.has(peer.id) && peer.handle === handle) this.peerGone(peer, reason);
  }

  /** An event of the plugin on a handle. */
  roomEvent(handle: number, data: VideoRoomData): void {
    if (data.leaving === "ok") this.handleGone(handle, data.reason ?? "left");
    if (handle !== this.control) return;
    if (data.joining && !this.isExpected(data.joining.id)) this.kickForeign(data.joining.id);
  }

  /** Compares the peers with the participants that Janus has. @throws VideoRoomError */
  async audit(): Promise<void> {
    const before = new Set(this.publishers);
    const body = { request: "listparticipants", room: this.room };
    const { data } = await this.session.send(this.control, body);
    const present = new Set((data.participants ?? []).map(({ id }) => id));
    for (const id of present) if (!this.isExpected(id)) this.kickForeign(id);
    for (const publisher of before) {
      const current = this.publishers.get(publisher.feedId) === publisher;
      if (current && !present.has(publisher.feedId)) this.peerGone(publisher, "not in the room");
    }
  }

  /** Stops recording the room, because it is closed or lost, or another node has it. */
  end(): void {
    this.closed = true;
    for (const id of this.peers.keys()) this.deps.roomOfPeer.delete(id);
  }

  /** Whether the room takes peers. */
  get open(): boolean {
    return !this.closed;
  }

  private async publish(feed: JanusPublisher["feed"], offer: string): Promise<ConnectedPeer> {
    // An offer that is refused does not end the earlier peer.
    offerFor(this, offer);
    const id = feedIdOf(feed);
    const earlier = this.publishers.get(id);
    if (earlier) await this.close(earlier);
    this.joining.add(id);
    const handle = await this.session.attach();
    try {
      const { peer, connected } = await JanusPublisher.open(this, handle, feed, offer);
      this.add(peer);
      return connected;
    } catch (error) {
      await this.detach(handle);
      throw error;
    } finally {
      this.joining.delete(id);
    }
  }

  private isExpected(id: string): boolean {
    return isGatewayId(id) || this.joining.has(id) || this.publishers.get(id) !== undefined;
  }

  private kickForeign(id: string): void {
    this.deps.log.warn({ room: this.room }, "removing an unknown participant of a room at Janus");
    this.kick(id).catch((error: unknown) => {
      this.deps.log.warn({ err: error }, "the participant could not be removed");
    });
  }

  private peerGone(peer: JanusPeer, reason: string): void {
    this.forget(peer);
    if (peer.handle !== undefined) void this.detach(peer.handle);
    this.deps.notify({ type: "gone", room: this.room, peer: peer.id, reason });
  }

  private forget(peer: JanusPeer): void {
    this.peers.delete(peer.id);
    this.deps.roomOfPeer.delete(peer.id);
    if (peer instanceof JanusPublisher) {
      this.publishers.remove(peer);
      this.publisherEnded(peer.id);
    }
    this.changed();
  }

  private publisherEnded(publisher: string): void {
    for (const peer of [...this.peers.values()]) {
      if (!(peer instanceof JanusWatcher) || !peer.publisherEnded(publisher)) continue;
      if (peer.sections === "one") this.peerGone(peer, "its feed has ended");
      else this.streamsChanged(peer);
    }
  }

  private streamsChanged({ id, streams }: JanusWatcher): void {
    this.deps.notify({ type: "streams", room: this.room, peer: id, streams });
  }

  private secret(): string {
    return this.deps.access.secret(this.room, this.spec.generation);
  }

  /** Records the room. Changes during a write are written together after it. */
  changed(): void {
    if (this.closed) return;
    this.dirty = true;
    if (!this.writing) void this.writeRecord();
  }

  private async writeRecord(): Promise<void> {
    this.writing = true;
    try {
      while (this.dirty && !this.closed) {
        this.dirty = false;
        await this.deps.access.write(this.session, this.control, this.spec, this.snapshot());
      }
    } catch (error) {
      this.deps.log.debug({ err: error }, "the record of a room could not be written");
    } finally {
      this.writing = false;
    }
  }

  private snapshot(): RoomRecord {
    const { control, privateId } = this;
    const peers = [...this.peers.values()].flatMap((peer) => peer.record() ?? []);
    return { generation: this.spec.generation, control, privateId, peers };
  }
}
