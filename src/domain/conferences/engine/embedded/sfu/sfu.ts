import { monotonicNow } from "../../../../../core/clock";
import { Fault } from "../../../../../core/errors";
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
import { APPLICATION_ROOMS_MAX, ROOMS_MAX } from "./bounds/limits";
import { PeerPlaces } from "./bounds/peer-places";
import type { Network } from "./native-connection";
import { OfferTransport } from "./offer-transport";
import { Room } from "./room";

const REPAIR_MS = 40;
const ADAPT_MS = 1_000;
const REPORT_MS = 5_000;

const noRoom = () => new Fault("NOT_FOUND", "The conference is not open at the media server");

/** The SFU of a process: its rooms, and their periodic work. */
export class Sfu implements ConferenceEngine {
  private readonly rooms = new Map<string, Room>();
  private readonly timers: NodeJS.Timeout[];
  private readonly transport: OfferTransport;
  private readonly places = new PeerPlaces();

  constructor(
    private readonly network: Network,
    private readonly emit: (event: EngineEvent) => void,
  ) {
    this.transport = new OfferTransport(network);
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
    const opened = new Room(room, this.network, this.transport, this.places, this.emit);
    if (open) open.close();
    else this.checkRooms(opened.application);
    this.rooms.set(room.room, opened);
    return { state: {}, resumed: [] };
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    const room = this.rooms.get(request.room);
    if (!room || room.generation !== request.generation) throw noRoom();
    const connected = await room.connect(request);
    if (this.rooms.get(request.room) === room) return connected;
    // The room has been closed since.
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
    if ("participant" in target) {
      room?.close({ participant: target.participant });
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

  /** @throws Fault UNAVAILABLE if the application or the process has as many rooms as it may */
  private checkRooms(application: number): void {
    const own = [...this.rooms.values()].filter((room) => room.application === application);
    if (own.length >= APPLICATION_ROOMS_MAX) {
      throw new Fault(
        "UNAVAILABLE",
        "The application has too many conferences at the media server",
      );
    }
    if (this.rooms.size >= ROOMS_MAX) {
      throw new Fault("UNAVAILABLE", "The media server has too many conferences");
    }
  }

  private roomOf(peer: string): Room | undefined {
    for (const room of this.rooms.values()) if (room.has(peer)) return room;
    return undefined;
  }
}
