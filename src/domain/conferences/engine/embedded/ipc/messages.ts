import { z } from "zod";
import { ERRORS, type ErrorCode, Fault } from "../../../../../core/errors";
import type { EngineEvent } from "../../engine";

/** Methods of the SFU's process: those of the engine's port, and the end. */
export type SfuMethod = "open" | "connect" | "signal" | "close" | "shutdown";

/** Where a process receives media. */
export interface NetworkMessage {
  /** The one UDP port of all its peers. */
  port: number;
  bindAddress: string;
  /** Replaces the host's addresses in candidates. */
  announcedAddress?: string;
}

/** What the gateway sends to the SFU's process. */
export type GatewayMessage =
  /** First of all. */
  | { type: "start"; network: NetworkMessage }
  | { type: "request"; id: number; method: SfuMethod; parameters: unknown[] }
  | { type: "ping" };

/** A fault as JSON. */
export interface FaultMessage {
  code: ErrorCode;
  message: string;
  fields?: Record<string, string[]>;
}

/** What the SFU's process sends to the gateway. */
export type SfuMessage =
  | { type: "started" }
  | { type: "result"; id: number; result?: unknown }
  | { type: "fault"; id: number; fault: FaultMessage }
  | { type: "event"; event: EngineEvent }
  | { type: "pong"; usage: { rooms: number; peers: number; tracks: number }; media: MediaLiveness };

/** Whether media passes through the library of a process. */
export interface MediaLiveness {
  /** Packets that were sent in a row without one that arrived; 0 before the first one has arrived. */
  missing: number;
  /** Number of checks in a row in which a thread of the library ran all the time without ever waiting. */
  stuck: number;
}

const count = z.number().int().nonnegative();
const name = z.string().max(200);
const amount = z.number().nonnegative();
const feed = z.object({ participant: z.number().int(), source: z.enum(["main", "screen"]) });
const streams = z
  .array(
    z.object({
      mid: z.string().max(32),
      kind: z.enum(["audio", "video"]),
      feed: feed.nullable(),
    }),
  )
  .max(64);
const sdp = z.string().max(65_536);

const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("up"), room: name, peer: name }),
  z.object({ type: z.literal("gone"), room: name, peer: name, reason: name }),
  z.object({ type: z.literal("streams"), room: name, peer: name, streams }),
  z.object({
    ...{ type: z.literal("limited"), room: name, peer: name },
    ...{ kind: z.enum(["audio", "video"]), dropped: z.boolean(), bitrate: amount },
  }),
  z.object({
    type: z.literal("statistics"),
    room: name,
    peer: name,
    statistics: z.object({
      audioBitrate: amount,
      videoBitrate: amount,
      packetLoss: z.number().min(0).max(1),
      roundTripMs: amount.nullable(),
    }),
  }),
]);

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

const message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started") }),
  z.object({ type: z.literal("result"), id: count, result: z.unknown().optional() }),
  z.object({
    type: z.literal("fault"),
    id: count,
    fault: z.object({
      code: z.enum(CODES),
      message: z.string().max(1_000),
      fields: z.record(name, z.array(z.string().max(1_000)).max(10)).optional(),
    }),
  }),
  z.object({ type: z.literal("event"), event }),
  z.object({
    type: z.literal("pong"),
    usage: z.object({ rooms: count, peers: count, tracks: count }),
    media: z.object({ missing: count, stuck: count }),
  }),
]);

/** The results of the methods. */
export const RESULTS = {
  open: z.object({ state: z.record(name, z.unknown()), resumed: z.array(name).max(1_024) }),
  connect: z.object({ peer: name, sdp, streams }),
  signal: z.object({
    sdp: sdp.optional(),
    streams: streams.optional(),
    replaced: z.boolean().optional(),
  }),
  close: z.undefined(),
  shutdown: z.undefined(),
};

/** Reads a message of the SFU's process. @returns null for one that it should not have sent */
export function readSfuMessage(value: unknown): SfuMessage | null {
  const { data } = message.safeParse(value);
  return data ?? null;
}

/** A fault for the other process. Other errors are masked as INTERNAL. */
export function faultMessage(error: unknown): FaultMessage {
  if (!(error instanceof Fault)) return { code: "INTERNAL", message: "The media server failed" };
  const { code, message, fields } = error;
  return { code, message: message.slice(0, 1_000), ...(fields && { fields }) };
}
