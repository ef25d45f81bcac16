import type { JsonObject } from "../../../core/json";
import type { JanusError } from "./janus-error";

/** The plugin whose protocol this endpoint speaks. */
export const VIDEOROOM = "janus.plugin.videoroom";

/** A message to a client. */
export interface Frame {
  janus: string;
  session_id?: number;
  transaction?: string;
  sender?: number;
  data?: JsonObject;
  plugindata?: { plugin: string; data: JsonObject };
  jsep?: { type: "offer" | "answer"; sdp: string };
  error?: { code: number; reason: string };
  reason?: string;
}

/** Sends the reply to a request; called once. */
export type Reply = (frame: Frame) => void;

/** The session that a reply belongs to, and the transaction of the request, as far as they are known. */
export interface ReplyTo {
  session_id?: number;
  transaction?: string;
}

/** The request succeeded, and has no further result. */
export function successFrame(to: ReplyTo, data?: JsonObject): Frame {
  return { janus: "success", ...to, ...(data ? { data } : {}) };
}

/** The request is accepted; an event has its result, if any. */
export function ackFrame(to: ReplyTo): Frame {
  return { janus: "ack", ...to };
}

/** The request is refused. */
export function errorFrame(to: ReplyTo, { code, reason }: JanusError): Frame {
  return { janus: "error", ...to, error: { code, reason } };
}

/** The result of a synchronous request to the room. */
export function resultFrame(to: ReplyTo, sender: number, data: JsonObject): Frame {
  return { janus: "success", ...to, sender, plugindata: { plugin: VIDEOROOM, data } };
}

/** An event of the room, as the result of a request or by itself. */
export function eventFrame(
  to: ReplyTo,
  sender: number,
  data: JsonObject,
  jsep?: Frame["jsep"],
): Frame {
  const plugindata = { plugin: VIDEOROOM, data };
  return { janus: "event", ...to, sender, plugindata, ...(jsep ? { jsep } : {}) };
}
