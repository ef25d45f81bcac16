import { z } from "zod";

/**
 * What a gateway node needs to resume a room after a restart. It is stored as the description of the room at Janus,
 * which only the gateway reads: Janus returns the handles of a session to nobody. A full room's has less than 64 KiB.
 */
const roomRecord = z.object({
  generation: z.number().int(),
  /** The handle of the gateway's own participant, and its private id, which subscriptions name. */
  control: z.number(),
  privateId: z.number(),
  peers: z.array(
    z.object({
      peer: z.string(),
      handle: z.number(),
      participant: z.number(),
      /** Of a publisher. */
      source: z.enum(["main", "screen"]).optional(),
      /** Of a publisher: the fingerprint of its certificate. */
      fingerprint: z.string().optional(),
      /** Of a watching peer. */
      sections: z.enum(["all", "one"]).optional(),
      /** Of a watching peer: whether its client owes an answer. */
      awaiting: z.boolean().optional(),
      /** Of a watching peer: the sections that its client has paused, and those that its network does not allow. */
      unwanted: z.array(z.string()).optional(),
      disallowed: z.array(z.string()).optional(),
      /** The media sections: mid, kind, and of a watching peer the id of the feed. */
      streams: z.array(z.tuple([z.string(), z.enum(["audio", "video"]), z.string().nullable()])),
    }),
  ),
});

/** The record of a room. */
export type RoomRecord = z.infer<typeof roomRecord>;
/** The record of a peer. */
export type PeerRecord = RoomRecord["peers"][number];

/** The record of a room without peers. */
export const emptyRecord = (generation: number): RoomRecord => ({
  generation,
  control: 0,
  privateId: 0,
  peers: [],
});

/** Parses a record. A room without a valid one counts as a room of generation 0 without peers. */
export function parseRecord(text: string): RoomRecord {
  try {
    return roomRecord.parse(JSON.parse(text));
  } catch {
    return emptyRecord(0);
  }
}
