import { z } from "zod";
import { Fault } from "../../../../core/errors";
import type { EngineRoom, EngineState } from "../engine";
import type { VideoRoomConnection } from "./connection/janus-connection";
import { isJanusError, JANUS_CODE } from "./connection/janus-faults";
import { VideoRoomError } from "./connection/janus-messages";
import { VideoRoomSession } from "./connection/janus-session";
import { feedIdOf } from "./feed-id";
import { GATEWAY_ID } from "./gateway-id";
import { JanusRoom, type RoomDeps } from "./janus-room";
import { JanusPublisher } from "./publisher";
import type { PeerRecord, RoomRecord } from "./room-record";
import { JanusWatcher } from "./watcher";

const storedState = z.object({ session: z.number() });

/** The state to store of a room: its session. What else is needed stands in the room's record at Janus. */
export const stateOf = (room: JanusRoom): EngineState => ({ session: room.session.id });

/** NOT_FOUND for an earlier generation: another node has opened the room in a later generation. */
export const superseded = () => new Fault("NOT_FOUND", "The conference has moved");

/**
 * Claims the session of a room and resumes its peers.
 * @returns null if there is nothing to resume
 * @throws Fault NOT_FOUND if the room belongs to a later generation
 */
export async function resumeRoom(
  deps: RoomDeps,
  connection: VideoRoomConnection,
  spec: EngineRoom,
  state: EngineState,
): Promise<JanusRoom | null> {
  const stored = storedState.safeParse(state);
  if (!stored.success) return null;
  const { session: id } = stored.data;
  try {
    const record = await takeRoom(deps, connection, spec);
    if (record) return await claimRoom(deps, connection, spec, id, record);
    await VideoRoomSession.end(connection, id);
  } catch (error) {
    if (error instanceof Fault) throw error;
    deps.log.warn({ err: error }, "a room of Janus could not be resumed");
  }
  return null;
}

/**
 * Moves a room to the generation: from here on a node with an earlier one cannot change it. The session of the room is
 * not claimed yet, because a node with a later generation may use it.
 * @returns the record of the room; null if it does not describe an open room
 * @throws VideoRoomError, Fault NOT_FOUND if the room belongs to a later generation
 */
async function takeRoom(
  deps: RoomDeps,
  connection: VideoRoomConnection,
  spec: EngineRoom,
): Promise<RoomRecord | null> {
  const session = await VideoRoomSession.create(connection);
  try {
    const record = await deps.access.read(session, spec.room);
    if (record && record.generation > spec.generation) throw superseded();
    if (!record || record.control === 0) return null;
    const at = { room: spec.room, generation: record.generation };
    const moved = { ...record, generation: spec.generation };
    await deps.access.write(session, await session.attach(), at, moved);
    return record;
  } finally {
    await session.destroy().catch(() => undefined);
  }
}

/** @returns null if the session has ended */
async function claimRoom(
  deps: RoomDeps,
  connection: VideoRoomConnection,
  spec: EngineRoom,
  id: number,
  record: RoomRecord,
): Promise<JanusRoom | null> {
  const session = await VideoRoomSession.claim(connection, id);
  if (!session) return null;
  const room = new JanusRoom(deps, spec, session, record.control, record.privateId);
  try {
    await resumePeers(room, record);
    return room;
  } catch (error) {
    room.end();
    await session.destroy().catch(() => undefined);
    throw error;
  }
}

async function resumePeers(room: JanusRoom, record: RoomRecord): Promise<void> {
  const body = { request: "listparticipants", room: room.room };
  const { data } = await room.session.send(room.control, body);
  const live = new Set(
    (data.participants ?? []).filter((each) => each.publisher).map(({ id }) => id),
  );
  for (const each of record.peers) {
    if (each.source === undefined) continue;
    const id = feedIdOf({ participant: each.participant, source: each.source });
    if (live.has(id)) room.add(JanusPublisher.resume(room, each, each.source));
    else await room.detach(each.handle);
  }
  for (const each of record.peers) {
    if (each.sections === undefined || !(await isSubscribed(room.session, each))) continue;
    room.add(JanusWatcher.resume(room, each, each.sections));
  }
}

/** Whether the handle of a watching peer still has its subscription. */
async function isSubscribed(session: VideoRoomSession, { handle }: PeerRecord): Promise<boolean> {
  try {
    await session.send(handle, { request: "configure" });
    return true;
  } catch (error) {
    if (error instanceof VideoRoomError) return false;
    throw error;
  }
}

/**
 * Creates a room, in place of one of the same or an earlier generation.
 * @throws VideoRoomError, Fault NOT_FOUND if the room belongs to a later generation
 */
export async function createRoom(
  deps: RoomDeps,
  connection: VideoRoomConnection,
  spec: EngineRoom,
): Promise<JanusRoom> {
  const session = await VideoRoomSession.create(connection);
  try {
    const control = await session.attach();
    if (!(await deps.access.create(session, control, spec))) {
      await destroyEarlier(deps, session, control, spec);
      if (!(await deps.access.create(session, control, spec))) throw superseded();
    }
    const { data } = await session.send(control, {
      request: "join",
      ptype: "publisher",
      room: spec.room,
      id: GATEWAY_ID,
    });
    if (data.private_id === undefined) throw new VideoRoomError(0, "no private id");
    const room = new JanusRoom(deps, spec, session, control, data.private_id);
    room.changed();
    return room;
  } catch (error) {
    await session.destroy().catch(() => undefined);
    throw error;
  }
}

async function destroyEarlier(
  deps: RoomDeps,
  session: VideoRoomSession,
  handle: number,
  spec: EngineRoom,
): Promise<void> {
  const record = await deps.access.read(session, spec.room);
  if (!record) return;
  if (record.generation > spec.generation) throw superseded();
  const at = { room: spec.room, generation: record.generation };
  if (await deps.access.destroy(session, handle, at)) return;
  deps.log.error({ room: spec.room }, "another program has created a room of this name at Janus");
  throw new VideoRoomError(JANUS_CODE.unauthorized, "a room with another secret");
}

/** Destroys a room and ends its session, unless another node has the room in a later generation. */
export async function destroyRoom(deps: RoomDeps, room: JanusRoom): Promise<void> {
  try {
    const destroyed = await deps.access.destroy(room.session, room.control, room.spec);
    if (destroyed) await room.session.destroy();
  } catch (error) {
    if (!isJanusError(error, JANUS_CODE.noSuchSession, JANUS_CODE.noSuchHandle)) throw error;
  }
}
