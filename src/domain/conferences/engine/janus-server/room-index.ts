import type { JanusPeer } from "./janus-peer";
import type { JanusRoom } from "./janus-room";

/** The open rooms of an engine, by name, by session and by peer. */
export class RoomIndex {
  private readonly byName = new Map<string, JanusRoom>();
  private readonly bySession = new Map<number, JanusRoom>();

  /** @param byPeer the rooms of all peers, which the rooms themselves keep */
  constructor(private readonly byPeer: ReadonlyMap<string, JanusRoom>) {}

  add(room: JanusRoom): void {
    this.byName.set(room.room, room);
    this.bySession.set(room.session.id, room);
  }

  /** Removes a room and stops it. @returns false if it has been removed already */
  remove(room: JanusRoom): boolean {
    if (this.byName.get(room.room) !== room) return false;
    this.byName.delete(room.room);
    this.bySession.delete(room.session.id);
    room.end();
    return true;
  }

  get(name: string): JanusRoom | undefined {
    return this.byName.get(name);
  }

  ofSession(id: number): JanusRoom | undefined {
    return this.bySession.get(id);
  }

  find(peer: string): { room: JanusRoom; peer: JanusPeer } | undefined {
    const room = this.byPeer.get(peer);
    const found = room?.peers.get(peer);
    return room && found && { room, peer: found };
  }

  /** All rooms, as they are now. */
  list(): JanusRoom[] {
    return [...this.byName.values()];
  }
}
