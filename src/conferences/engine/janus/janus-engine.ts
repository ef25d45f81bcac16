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
import { janusFault, mediaServerUnavailable, notFound } from "./connection/janus-faults";
import type { JanusMessage } from "./connection/janus-messages";
import { clientEndpoint, type JanusAdmin, type JanusOptions } from "./connection/janus-options";
import { VideoRoomSession } from "./connection/janus-session";
import type { JanusPeer } from "./janus-peer";
import type { JanusRoom, RoomDeps } from "./janus-room";
import { createRoom, destroyRoom, resumeRoom, stateOf, superseded } from "./open-room";
import { QualityPoll } from "./quality-poll";
import { RoomAccess } from "./room-access";
import { openVerified } from "./verify-keys";

/** Interval of keep-alives, in milliseconds; sessions end after 60 s without. */
const KEEP_ALIVE_MS = 25_000;
const AUDIT_MS = 30_000;
const POLL_MS = 5_000;

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
  private readonly rooms = new Map<string, JanusRoom>();
  /** The last operation that opens or closes each room. */
  private readonly opening = new Map<string, Promise<unknown>>();
  /** Rooms that a lost connection leaves at Janus. */
  private stale: JanusRoom[] = [];
  private readonly connection: VideoRoomConnection;
  private readonly deps: RoomDeps;
  private readonly stops: (() => void)[] = [];
  private session: VideoRoomSession | undefined;
  private quality: QualityPoll | undefined;
  /** Whether the owner counts the engine as working. */
  private announced = true;
  /** Called after the first attempt to connect. */
  private started: () => void = () => undefined;

  constructor(
    private readonly options: JanusOptions,
    private readonly notify: EngineListener,
  ) {
    this.deps = { access: new RoomAccess(options), notify, log: options.log };
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
        await existing.capBitrate(spec.bitrate);
        return { state: stateOf(existing), resumed: [...existing.peers.keys()] };
      }
      if (existing && existing.spec.generation > spec.generation) throw superseded();
      if (existing) await this.destroy(existing);
      const resumed = state && (await resumeRoom(this.deps, this.connection, spec, state));
      const room = resumed || (await createRoom(this.deps, this.connection, spec));
      this.rooms.set(spec.room, room);
      return { state: stateOf(room), resumed: [...room.peers.keys()] };
    });
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    return this.translated(async () => {
      const room = this.rooms.get(request.room);
      if (!room?.open || room.spec.generation !== request.generation) throw notFound("conference");
      return room.connect(request);
    });
  }

  async signal(id: string, message: PeerMessage): Promise<PeerResponse> {
    return this.translated(async () => {
      const found = this.find(id);
      if (!found) throw notFound("peer");
      const response = await found.peer.signal(message);
      found.room.changed();
      return response;
    });
  }

  async close(target: CloseTarget): Promise<void> {
    // With the connection all rooms are gone; what Janus still has of them is destroyed with the next one.
    if (!this.connection.up) return;
    if ("room" in target && !("member" in target)) {
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
    const rooms = [...this.rooms.values()];
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
    const quality = new QualityPoll(admin, log, () => this.rooms.values(), this.notify);
    this.quality = quality;
    quality.connect();
    this.stops.push(repeatedly(pollMs ?? POLL_MS, () => quality.poll()));
  }

  /** Checks the keys, and destroys what an earlier connection has left. */
  private async connected(): Promise<void> {
    try {
      const { session, handle } = await openVerified(this.connection, this.options);
      this.session = session;
      for (const room of this.stale) {
        await this.deps.access.destroy(session, handle, room.spec);
        await VideoRoomSession.end(this.connection, room.session.id);
      }
      this.stale = [];
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
    for (const room of this.rooms.values()) room.end();
    this.stale.push(...this.rooms.values());
    this.rooms.clear();
    this.announced = false;
    this.notify({ type: "lost", reason });
  }

  private receive(message: JanusMessage): void {
    if (message.janus === "timeout") this.connection.abort("a session has timed out");
    const { sender } = message;
    const room = [...this.rooms.values()].find(({ session }) => session.id === message.session_id);
    if (!room || sender === undefined) return;
    if (message.janus === "webrtcup") room.handleUp(sender);
    else if (message.janus === "hangup") room.handleGone(sender, message.reason ?? "closed");
    else if (message.janus === "detached") room.handleGone(sender, "closed");
    else if (message.plugindata?.data) room.roomEvent(sender, message.plugindata.data);
    if (!room.open) this.rooms.delete(room.room);
  }

  private find(id: string): { room: JanusRoom; peer: JanusPeer } | undefined {
    for (const room of this.rooms.values()) {
      const peer = room.peers.get(id);
      if (peer) return { room, peer };
    }
    return undefined;
  }

  private targets(target: { peer: string } | { room: string; member: number }) {
    if ("peer" in target) {
      const found = this.find(target.peer);
      return found ? [found] : [];
    }
    const room = this.rooms.get(target.room);
    if (!room) return [];
    const peers = [...room.peers.values()].filter(({ member }) => member === target.member);
    return peers.map((peer) => ({ room, peer }));
  }

  private async destroy(room: JanusRoom): Promise<void> {
    this.rooms.delete(room.room);
    await destroyRoom(this.deps, room);
  }

  private async keepAlive(): Promise<void> {
    const sessions = [this.session, ...[...this.rooms.values()].map(({ session }) => session)];
    await Promise.allSettled(sessions.map((session) => session?.keepAlive()));
  }

  private async audit(): Promise<void> {
    for (const room of [...this.rooms.values()]) {
      if (!room.open) continue;
      await room.audit().catch((error: unknown) => {
        this.options.log.warn({ err: error, room: room.room }, "a room could not be audited");
      });
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

/**
 * Repeats work at an interval, but never while the last run is still going on.
 * @param act must not reject
 * @returns stops it
 */
function repeatedly(ms: number, act: () => Promise<void>): () => void {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void act().finally(() => {
      running = false;
    });
  }, ms);
  timer.unref();
  return () => clearInterval(timer);
}
