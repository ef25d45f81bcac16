import { monotonicNow } from "../../../../core/clock";
import { Fault } from "../../../../core/errors";
import type {
  CloseTarget,
  ConferenceEngine,
  ConnectedPeer,
  ConnectRequest,
  EngineEvent,
  EngineRoom,
  EngineState,
  PeerMessage,
  PeerResponse,
} from "../../engine";
import type { Network } from "./connection";
import { PEERS_MAX, ROOMS_MAX } from "./limits";
import { Room } from "./room";

const REPAIR_MS = 40;
const ADAPT_MS = 1_000;
const REPORT_MS = 5_000;

const noRoom = () => new Fault("NOT_FOUND", "The conference is not open at the media server");

/** The SFU of a process: its rooms, and their periodic work. */
export class Sfu implements ConferenceEngine {
  private readonly rooms = new Map<string, Room>();
  private readonly timers: NodeJS.Timeout[];
  /** Requests to connect that have not finished; they count as peers. */
  private connecting = 0;

  constructor(
    private readonly network: Network,
    private readonly emit: (event: EngineEvent) => void,
  ) {
    const every = (ms: number, act: (room: Room) => void) =>
      setInterval(() => {
        for (const room of this.rooms.values()) act(room);
      }, ms);
    this.timers = [
      every(REPAIR_MS, (room) => room.repair(monotonicNow())),
      every(ADAPT_MS, (room) => room.adapt(monotonicNow())),
      every(REPORT_MS, (room) => room.report(REPORT_MS / 1000)),
    ];
  }

  /** Rooms, peers and forwarded tracks. */
  usage(): { rooms: number; peers: number; tracks: number } {
    let peers = 0;
    let tracks = 0;
    for (const room of this.rooms.values()) {
      peers += room.peerIds.length;
      tracks += room.tracks;
    }
    return { rooms: this.rooms.size, peers, tracks };
  }

  async open(room: EngineRoom): Promise<{ state: EngineState; resumed: string[] }> {
    const open = this.rooms.get(room.room);
    if (open && open.generation > room.generation) throw noRoom();
    if (open && open.generation === room.generation) {
      open.update(room);
      return { state: {}, resumed: open.peerIds };
    }
    if (!open && this.rooms.size >= ROOMS_MAX) {
      throw new Fault("UNAVAILABLE", "The media server has too many conferences");
    }
    open?.close();
    this.rooms.set(room.room, new Room(room, this.network, this.emit));
    return { state: {}, resumed: [] };
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    const room = this.rooms.get(request.room);
    if (!room || room.generation !== request.generation) throw noRoom();
    if (this.usage().peers + this.connecting >= PEERS_MAX) {
      throw new Fault("UNAVAILABLE", "The media server has too many peer connections");
    }
    this.connecting += 1;
    let connected: ConnectedPeer;
    try {
      connected = await room.connect(request);
    } finally {
      this.connecting -= 1;
    }
    if (this.rooms.get(request.room) === room) return connected;
    // The room was closed meanwhile.
    room.close();
    throw noRoom();
  }

  async signal(peer: string, message: PeerMessage): Promise<PeerResponse> {
    const room = this.roomOf(peer);
    if (!room) throw new Fault("NOT_FOUND", "The peer does not exist");
    return room.signal(peer, message);
  }

  async close(target: CloseTarget): Promise<void> {
    if ("peer" in target) {
      this.roomOf(target.peer)?.close({ peer: target.peer });
      return;
    }
    const room = this.rooms.get(target.room);
    if ("member" in target) {
      room?.close({ member: target.member });
      return;
    }
    this.rooms.delete(target.room);
    room?.close();
  }

  /** Closes all connections, so that clients notice it at once. */
  shutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
    for (const room of this.rooms.values()) room.close();
    this.rooms.clear();
  }

  private roomOf(peer: string): Room | undefined {
    for (const room of this.rooms.values()) if (room.has(peer)) return room;
    return undefined;
  }
}
