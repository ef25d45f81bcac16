import { Fault } from "../../../src/core/errors";
import type {
  CloseTarget,
  ConnectedPeer,
  ConnectRequest,
  EngineListener,
  EngineRoom,
  Feed,
  OpenEngine,
  PeerMessage,
  PeerResponse,
  PeerStatistics,
  PeerStream,
} from "../../../src/domain/conferences/engine/engine";

/** A peer of the engine. */
export interface MemoryPeer {
  id: string;
  room: string;
  participant: number;
  source: "main" | "screen" | null;
  feeds: Feed[];
  messages: PeerMessage[];
}

/**
 * An engine without media, for tests of what is around it. An offer is any text but `invalid`; a publisher comes up
 * at once, and a watching peer gets a new offer with each change of its feeds.
 */
export class MemoryEngine implements OpenEngine {
  readonly name = "memory";
  readonly rooms = new Map<string, EngineRoom>();
  readonly peers = new Map<string, MemoryPeer>();
  /** While true, every call fails as that of an engine which is down. */
  down = false;
  /** What closing waits for, as for a media server that does not answer. */
  stall: Promise<void> | null = null;
  private lastId = 0;

  constructor(private readonly listener: EngineListener) {}

  async open(room: EngineRoom) {
    this.requireUp();
    this.rooms.set(room.room, room);
    return { state: {}, resumed: [] };
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    this.requireUp();
    const { room, participant, publish, watch } = request;
    if (!this.rooms.has(room)) throw new Fault("NOT_FOUND", "There is no such room");
    if (publish?.offer === "invalid") throw Fault.field("sdp", "has no fingerprint");
    const id = `peer-${++this.lastId}`;
    for (const peer of [...this.peers.values()]) {
      const isReplaced =
        publish && peer.participant === participant && peer.source === publish.source;
      if (isReplaced && peer.room === room) this.peers.delete(peer.id);
    }
    const feeds = watch?.feeds ?? [];
    const source = publish?.source ?? null;
    this.peers.set(id, { id, room, participant, source, feeds, messages: [] });
    if (publish) {
      setImmediate(() => this.listener({ type: "up", room, peer: id }));
      return { peer: id, sdp: `answer to ${publish.offer}`, streams: [] };
    }
    return { peer: id, sdp: feeds.length > 0 ? "offer" : "", streams: streamsOf(feeds) };
  }

  async signal(peer: string, message: PeerMessage): Promise<PeerResponse> {
    this.requireUp();
    const found = this.peers.get(peer);
    if (!found) throw new Fault("NOT_FOUND", "There is no such peer connection");
    found.messages.push(message);
    if (message.watch) {
      found.feeds = message.watch;
      return { sdp: "offer", streams: streamsOf(message.watch) };
    }
    if (message.restart) return { sdp: "restarted", replaced: true };
    return {};
  }

  async close(target: CloseTarget): Promise<void> {
    await this.stall;
    for (const { id, room, participant } of [...this.peers.values()]) {
      const isMeant =
        "peer" in target
          ? id === target.peer
          : room === target.room &&
            (!("participant" in target) || participant === target.participant);
      if (isMeant) this.peers.delete(id);
    }
    if ("room" in target && !("participant" in target)) this.rooms.delete(target.room);
  }

  usage() {
    const tracks = [...this.peers.values()].flatMap(({ feeds }) => streamsOf(feeds)).length;
    return { rooms: this.rooms.size, peers: this.peers.size, tracks };
  }

  async shutdown(): Promise<void> {
    this.peers.clear();
    this.rooms.clear();
  }

  /** Loses everything, as an engine that dies. */
  die(): void {
    this.down = true;
    this.peers.clear();
    this.rooms.clear();
    this.listener({ type: "lost", reason: "killed" });
  }

  /** Answers again. */
  recover(): void {
    this.down = false;
    this.listener({ type: "ready" });
  }

  /** Loses one room with its peers. */
  loseRoom(room: string): void {
    for (const peer of this.peers.values()) if (peer.room === room) this.peers.delete(peer.id);
    this.rooms.delete(room);
    this.listener({ type: "room-lost", room, reason: "its session has ended" });
  }

  /** Reports statistics of a peer. */
  report(peer: string, statistics: PeerStatistics): void {
    const room = this.peers.get(peer)?.room ?? "";
    this.listener({ type: "statistics", room, peer, statistics });
  }

  /** Drops the video of a peer beyond its cap, or forwards it again. */
  limit(peer: string, dropped: boolean): void {
    const room = this.peers.get(peer)?.room ?? "";
    const { bitrate = 0 } = this.rooms.get(room) ?? {};
    this.listener({ type: "limited", room, peer, kind: "video", dropped, bitrate });
  }

  /** Ends a peer by itself. */
  drop(peer: string): void {
    const found = this.peers.get(peer);
    if (!found) return;
    this.peers.delete(peer);
    this.listener({ type: "gone", room: found.room, peer, reason: "ICE failed" });
  }

  private requireUp(): void {
    if (this.down) throw new Fault("UNAVAILABLE", "The media server does not answer", undefined, 1);
  }
}

function streamsOf(feeds: Feed[]): PeerStream[] {
  return feeds.flatMap((feed, index) => [
    { mid: `${2 * index}`, kind: "audio" as const, feed },
    { mid: `${2 * index + 1}`, kind: "video" as const, feed },
  ]);
}
