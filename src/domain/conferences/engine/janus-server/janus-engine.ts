import type {
  CloseTarget,
  ConnectedPeer,
  ConnectRequest,
  EngineListener,
  EngineRoom,
  EngineState,
  OpenEngine,
  PeerMessage,
  PeerResponse,
} from "../engine";
import { VideoRoomConnection } from "./connection/janus-connection";
import {
  isJanusError,
  JANUS_CODE,
  janusFault,
  mediaServerUnavailable,
  notFound,
} from "./connection/janus-faults";
import type { JanusMessage } from "./connection/janus-messages";
import { clientEndpoint, type JanusAdmin, type JanusOptions } from "./connection/janus-options";
import { VideoRoomSession } from "./connection/janus-session";
import type { JanusRoom, RoomDeps } from "./janus-room";
import { createRoom, destroyRoom, resumeRoom, stateOf, superseded } from "./open-room";
import { QualityPoll } from "./quality-poll";
import { repeatedly } from "./repeatedly";
import { RoomAccess } from "./room-access";
import { RoomIndex } from "./room-index";
import { openVerified } from "./verify-keys";

/** Interval of keep-alives, in milliseconds; sessions end after 60 s without. */
const KEEP_ALIVE_MS = 25_000;
const AUDIT_MS = 30_000;
const POLL_MS = 5_000;
/** Errors that mean that Janus has a room no more. */
const ROOM_GONE = [JANUS_CODE.noSuchSession, JANUS_CODE.noSuchRoom];

/**
 * Opens the engine on a Janus server. It resolves also when Janus does not answer yet; then `ready` follows.
 * @param notify receives its events
 */
export async function openJanusEngine(
  options: JanusOptions,
  notify: EngineListener,
): Promise<OpenEngine> {
  const engine = new JanusEngine(options, notify);
  await engine.start();
  return engine;
}

class JanusEngine implements OpenEngine {
  readonly name = "janus";
  private readonly rooms: RoomIndex;
  /** The last operation that opens or closes each room. */
  private readonly opening = new Map<string, Promise<unknown>>();
  /** Rooms that a lost connection leaves at Janus. */
  private stale: JanusRoom[] = [];
  private readonly connection: VideoRoomConnection;
  private readonly deps: RoomDeps;
  private readonly stops: (() => void)[] = [];
  private quality: QualityPoll | undefined;
  /** Whether the owner counts the engine as working. */
  private announced = true;
  /** Called after the first attempt to connect. */
  private started: () => void = () => undefined;

  constructor(
    private readonly options: JanusOptions,
    private readonly notify: EngineListener,
  ) {
    const roomOfPeer = new Map<string, JanusRoom>();
    this.rooms = new RoomIndex(roomOfPeer);
    this.deps = { access: new RoomAccess(options), roomOfPeer, notify, log: options.log };
    this.connection = new VideoRoomConnection(clientEndpoint(options, options.log), {
      connected: () => this.connected(),
      ready: () => this.ready(),
      disconnected: (reason) => this.disconnected(reason),
      message: (message) => this.receive(message),
      failed: () => {
        this.announced = false;
        this.started();
      },
    });
  }

  async start(): Promise<void> {
    this.stops.push(repeatedly(KEEP_ALIVE_MS, () => this.keepAlive()));
    this.stops.push(repeatedly(this.options.auditMs ?? AUDIT_MS, () => this.audit()));
    if (this.options.admin) this.pollQuality(this.options.admin);
    await new Promise<void>((resolve) => {
      this.started = resolve;
      this.connection.connect();
    });
  }

  async open(spec: EngineRoom, state?: EngineState) {
    return this.inOrder(spec.room, async () => {
      const existing = this.rooms.get(spec.room);
      if (existing?.open && existing.spec.generation === spec.generation) {
        await this.inRoom(existing, () => existing.capBitrate(spec.bitrate));
        return { state: stateOf(existing), resumed: [...existing.peers.keys()] };
      }
      if (existing && existing.spec.generation > spec.generation) throw superseded();
      if (existing) await this.destroy(existing);
      const resumed = state && (await resumeRoom(this.deps, this.connection, spec, state));
      const room = resumed || (await createRoom(this.deps, this.connection, spec));
      this.rooms.add(room);
      return { state: stateOf(room), resumed: [...room.peers.keys()] };
    });
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    return this.translated(async () => {
      const room = this.rooms.get(request.room);
      if (!room?.open || room.spec.generation !== request.generation) throw notFound("conference");
      return this.inRoom(room, () => room.connect(request));
    });
  }

  async signal(id: string, message: PeerMessage): Promise<PeerResponse> {
    return this.translated(async () => {
      const found = this.rooms.find(id);
      if (!found) throw notFound("peer");
      const response = await this.inRoom(found.room, () => found.peer.signal(message));
      found.room.changed();
      return response;
    });
  }

  async close(target: CloseTarget): Promise<void> {
    // With the connection all rooms are gone; what Janus still has of them is destroyed with the next one.
    if (!this.connection.up) return;
    if ("room" in target && !("participant" in target)) {
      return this.inOrder(target.room, async () => {
        const room = this.rooms.get(target.room);
        if (room) await this.destroy(room);
      });
    }
    for (const { room, peer } of this.targets(target)) {
      await this.translated(() => room.close(peer));
    }
  }

  usage(): { rooms: number; peers: number; tracks: number } {
    const rooms = this.rooms.list();
    const sum = (count: (room: JanusRoom) => number) =>
      rooms.reduce((total, room) => total + count(room), 0);
    return {
      rooms: rooms.length,
      peers: sum((room) => room.peers.size),
      tracks: sum((room) => room.tracks),
    };
  }

  /** Leaves the rooms at Janus, so that the next process can resume them. */
  async shutdown(): Promise<void> {
    for (const stop of this.stops) stop();
    await Promise.all([this.connection.close(), this.quality?.close()]);
  }

  private pollQuality(admin: JanusAdmin): void {
    const { log, pollMs } = this.options;
    const quality = new QualityPoll(admin, log, () => this.rooms.list(), this.notify);
    this.quality = quality;
    quality.connect();
    this.stops.push(repeatedly(pollMs ?? POLL_MS, () => quality.poll()));
  }

  /** Checks the keys, and destroys what an earlier connection has left. */
  private async connected(): Promise<void> {
    try {
      const { session, handle } = await openVerified(this.connection, this.options);
      for (const room of this.stale) {
        // Another node that has moved the room to a later generation may use its session.
        const destroyed = await this.deps.access.destroy(session, handle, room.spec);
        if (destroyed) await VideoRoomSession.end(this.connection, room.session.id);
      }
      this.stale = [];
      await session.destroy();
    } catch (error) {
      this.options.log.error({ err: error }, "Janus cannot be used");
      throw error;
    }
  }

  private ready(): void {
    this.options.log.info("connected to Janus");
    this.started();
    if (!this.announced) this.notify({ type: "ready" });
    this.announced = true;
  }

  private disconnected(reason: string): void {
    for (const room of this.rooms.list()) {
      this.rooms.remove(room);
      this.stale.push(room);
    }
    this.announced = false;
    this.notify({ type: "lost", reason });
  }

  private receive({ janus, session_id, sender, reason, plugindata }: JanusMessage): void {
    const room = session_id === undefined ? undefined : this.rooms.ofSession(session_id);
    if (!room) return;
    if (janus === "timeout") this.lose(room, "its session has timed out");
    if (sender === undefined) return;
    const data = plugindata?.data;
    if (sender === room.control && (janus === "detached" || data?.videoroom === "destroyed")) {
      this.lose(room, "the room was destroyed");
    } else if (janus === "webrtcup") room.handleUp(sender);
    else if (janus === "hangup") room.handleGone(sender, reason ?? "closed");
    else if (janus === "detached") room.handleGone(sender, "closed");
    else if (data) room.roomEvent(sender, data);
  }

  /** Janus has a room no more. Nobody keeps its session alive from here on, so that the session ends as well. */
  private lose(room: JanusRoom, reason: string): void {
    if (!this.rooms.remove(room)) return;
    this.options.log.warn({ room: room.room, reason }, "a room of Janus is lost");
    // What cannot be ended times out.
    room.session.destroy().catch(() => undefined);
    this.notify({ type: "room-lost", room: room.room, reason });
  }

  /** Uses a room. @throws Fault UNAVAILABLE if it proves to be lost: it is opened again */
  private async inRoom<T>(room: JanusRoom, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!isJanusError(error, ...ROOM_GONE)) throw error;
      this.lose(room, error.message);
      throw mediaServerUnavailable();
    }
  }

  private targets(target: { peer: string } | { room: string; participant: number }) {
    if ("peer" in target) {
      const found = this.rooms.find(target.peer);
      return found ? [found] : [];
    }
    const room = this.rooms.get(target.room);
    if (!room) return [];
    const peers = [...room.peers.values()].filter(
      ({ participant }) => participant === target.participant,
    );
    return peers.map((peer) => ({ room, peer }));
  }

  private async destroy(room: JanusRoom): Promise<void> {
    this.rooms.remove(room);
    await destroyRoom(this.deps, room);
  }

  private async keepAlive(): Promise<void> {
    const rooms = this.rooms.list();
    // Without a response the pings end the connection.
    await Promise.allSettled(
      rooms.map((room) => this.inRoom(room, () => room.session.keepAlive())),
    );
  }

  private async audit(): Promise<void> {
    for (const room of this.rooms.list()) {
      if (!room.open) continue;
      try {
        await this.inRoom(room, () => room.audit());
      } catch (error) {
        if (isJanusError(error, JANUS_CODE.noSuchHandle)) this.lose(room, error.message);
        else this.options.log.warn({ err: error, room: room.room }, "a room could not be audited");
      }
    }
  }

  /** Runs an operation after the earlier ones of the same room. */
  private async inOrder<T>(room: string, act: () => Promise<T>): Promise<T> {
    const earlier = this.opening.get(room) ?? Promise.resolve();
    const result = earlier.then(() => this.translated(act));
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.opening.set(room, settled);
    try {
      return await result;
    } finally {
      if (this.opening.get(room) === settled) this.opening.delete(room);
    }
  }

  /** Runs an operation and translates its errors. */
  private async translated<T>(act: () => Promise<T>): Promise<T> {
    if (!this.connection.up) throw mediaServerUnavailable();
    try {
      return await act();
    } catch (error) {
      const fault = janusFault(error, this.options.log);
      throw fault;
    }
  }
}
