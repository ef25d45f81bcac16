import { createHmac } from "node:crypto";
import { type EngineRoom, ROOM_PARTICIPANTS_MAX } from "../engine";
import { isJanusError, JANUS_CODE } from "./connection/janus-faults";
import type { JanusServer } from "./connection/janus-options";
import type { VideoRoomSession } from "./connection/janus-session";
import { newReaderId } from "./gateway-id";
import { emptyRecord, parseRecord, type RoomRecord } from "./room-record";

/**
 * Publishers that Janus allows: a camera and a screen of each participant, and some more, since a replaced publisher
 * hangs up up to a second later. The seats of a conference are counted elsewhere, so this does not change with them.
 */
const PUBLISHERS_MAX = 2 * ROOM_PARTICIPANTS_MAX + 2;

/**
 * Requests on rooms as a whole, through any handle.
 *
 * The secret of a room is derived from its name and generation, so that every gateway node knows it, and so that a
 * node with an older generation can no longer change the room (fencing).
 */
export class RoomAccess {
  constructor(private readonly server: JanusServer) {}

  /** The secret of a room in a generation; it never leaves the gateway and Janus. */
  secret(room: string, generation: number): string {
    const key = `${this.server.apiSecret}:${this.server.adminKey}`;
    return createHmac("sha256", key).update(`${room}:${generation}`).digest("base64url");
  }

  /** Creates a room. @returns false if the room exists */
  async create(session: VideoRoomSession, handle: number, room: EngineRoom): Promise<boolean> {
    try {
      await session.send(handle, {
        request: "create",
        admin_key: this.server.adminKey,
        room: room.room,
        secret: this.secret(room.room, room.generation),
        description: JSON.stringify(emptyRecord(room.generation)),
        is_private: true,
        require_pvtid: true,
        notify_joining: true,
        lock_record: true,
        publishers: PUBLISHERS_MAX,
        bitrate: room.bitrate,
        fir_freq: 10,
        audiocodec: "opus",
        opus_fec: true,
        audiolevel_ext: true,
        videocodec: "vp8,h264",
      });
      return true;
    } catch (error) {
      if (isJanusError(error, JANUS_CODE.roomExists)) return false;
      throw error;
    }
  }

  /**
   * What is recorded of a room; null if the room does not exist. Janus tells the description of one room only to who
   * joins it, and otherwise lists all rooms at once, which has no bound.
   */
  async read(session: VideoRoomSession, room: string): Promise<RoomRecord | null> {
    const handle = await session.attach();
    try {
      const body = { request: "join", ptype: "publisher", room, id: newReaderId() };
      const { data } = await session.send(handle, body);
      return parseRecord(data.description ?? "");
    } catch (error) {
      if (isJanusError(error, JANUS_CODE.noSuchRoom)) return null;
      throw error;
    } finally {
      await session.detach(handle).catch(() => undefined);
    }
  }

  /**
   * Records what a node needs to resume a room, and may move the room to a higher generation.
   * @throws VideoRoomError `unauthorized` if the room belongs to another generation
   */
  async write(
    session: VideoRoomSession,
    handle: number,
    at: { room: string; generation: number },
    record: RoomRecord,
  ): Promise<void> {
    const moves = record.generation !== at.generation;
    await session.send(handle, {
      request: "edit",
      room: at.room,
      secret: this.secret(at.room, at.generation),
      ...(moves && { new_secret: this.secret(at.room, record.generation) }),
      new_description: JSON.stringify(record),
    });
  }

  /** Changes the bitrate cap of participants who publish from now on, in bits per second. */
  async capBitrate(
    session: VideoRoomSession,
    handle: number,
    at: { room: string; generation: number },
    bitrate: number,
  ): Promise<void> {
    const secret = this.secret(at.room, at.generation);
    const body = { request: "edit", room: at.room, secret, new_bitrate: bitrate };
    await session.send(handle, body);
  }

  /**
   * Destroys a room of a generation.
   * @returns false if the room belongs to another generation; true also if the room does not exist
   */
  async destroy(
    session: VideoRoomSession,
    handle: number,
    at: { room: string; generation: number },
  ): Promise<boolean> {
    const secret = this.secret(at.room, at.generation);
    try {
      await session.send(handle, { request: "destroy", room: at.room, secret });
      return true;
    } catch (error) {
      if (isJanusError(error, JANUS_CODE.unauthorized)) return false;
      if (isJanusError(error, JANUS_CODE.noSuchRoom)) return true;
      throw error;
    }
  }
}
