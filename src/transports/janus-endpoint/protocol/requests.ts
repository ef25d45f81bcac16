import type { TrickledCandidate } from "../../../domain/conferences/engine/engine";
import { SDP_MAX } from "../../../domain/conferences/engine/engine";
import { FieldReader, isMessageObject, MESSAGE_FIELDS, type Received } from "./fields";
import { VIDEOROOM } from "./frames";
import { JanusError } from "./janus-error";
import { type RoomRequest, readRoomRequest } from "./room-requests";

/** A session description of a client. */
export interface Jsep {
  type: "offer" | "answer";
  sdp: string;
}

interface HandleIds {
  sessionId: number;
  handleId: number;
}

/** A request to a handle. */
export type HandleRequest =
  | (HandleIds & { kind: "message"; body: RoomRequest; jsep: Jsep | null })
  | (HandleIds & { kind: "trickle"; candidate: TrickledCandidate })
  | (HandleIds & { kind: "hangup" | "detach" });

/** A request, with only the fields that this endpoint knows. */
export type JanusRequest =
  | { kind: "create" }
  | { kind: "claim" | "attach" | "keepalive" | "destroy"; sessionId: number }
  | HandleRequest;

/** What precedes the request in every message. */
export interface Envelope {
  transaction: string;
  /** Empty if the message has none. */
  token: string;
  sessionId: number | undefined;
  handleId: number | undefined;
}

/** The ids that the path of a polling request names; those of its body do not count. */
export interface PathIds {
  sessionId?: number;
  handleId?: number;
}

/** Maximum length of a transaction and of a token. */
const TRANSACTION_MAX = 128;
const TOKEN_MAX = 256;
/** Maximum lengths of the fields of a candidate. */
const CANDIDATE_MAX = 2_048;
const MID_MAX = 64;
/** Maximum number of a media section. */
const LINE_INDEX_MAX = 255;

/** The transaction of a message, also if the rest of it is invalid. */
export function transactionOf(message: Received): string | undefined {
  const value = Object.hasOwn(message, "transaction") ? message.transaction : undefined;
  return typeof value === "string" && value.length <= TRANSACTION_MAX ? value : undefined;
}

/**
 * Reads what every message has.
 * @param path the ids of a polling request; undefined for a message of a socket
 * @throws JanusError 456, 467
 */
export function readEnvelope(message: Received, path: PathIds | undefined): Envelope {
  const fields = new FieldReader(message, MESSAGE_FIELDS);
  const transaction = fields.required("transaction", fields.text("transaction", TRANSACTION_MAX));
  return {
    transaction,
    token: fields.text("token", TOKEN_MAX) ?? "",
    sessionId: path ? path.sessionId : fields.id("session_id"),
    handleId: path ? path.handleId : fields.id("handle_id"),
  };
}

/** The requests that the endpoint answers, and whether each names a session and a handle. */
const KINDS = new Map<string, { session: boolean; handle: boolean }>([
  ["create", { session: false, handle: false }],
  ["claim", { session: true, handle: false }],
  ["attach", { session: true, handle: false }],
  ["keepalive", { session: true, handle: false }],
  ["destroy", { session: true, handle: false }],
  ["message", { session: true, handle: true }],
  ["trickle", { session: true, handle: true }],
  ["hangup", { session: true, handle: true }],
  ["detach", { session: true, handle: true }],
]);

/** The kind of a request. @throws JanusError 456 without one, 403 for one that is not on the list */
export function kindOf(message: Received): JanusRequest["kind"] {
  const fields = new FieldReader(message, MESSAGE_FIELDS);
  const kind = fields.required("janus", fields.text("janus", TRANSACTION_MAX));
  if (!KINDS.has(kind)) throw new JanusError(403, "This request is not allowed");
  return kind as JanusRequest["kind"];
}

/**
 * Reads a request. Unknown fields are dropped.
 * @throws JanusError 403 for a request that is not on the list, 457 for one that does not belong to a session or
 *   handle, and others for missing and invalid fields
 */
export function readRequest(message: Received, envelope: Envelope): JanusRequest {
  const kind = kindOf(message);
  const { sessionId = 0, handleId = 0 } = envelope;
  const { session, handle } = KINDS.get(kind) ?? { session: false, handle: false };
  // A keepalive may name the handle too.
  const foreignHandle = handleId !== 0 && !handle && kind !== "keepalive";
  if (session !== sessionId > 0 || (handle && handleId === 0) || foreignHandle) {
    throw new JanusError(457, `Unhandled request '${kind}' at this path`);
  }
  switch (kind) {
    case "create":
      return { kind };
    case "attach":
      readPlugin(message);
      return { kind, sessionId };
    case "message":
      return { kind, sessionId, handleId, ...readMessage(message) };
    case "trickle":
      return { kind, sessionId, handleId, candidate: readTrickle(message) };
    case "hangup":
    case "detach":
      return { kind, sessionId, handleId };
    default:
      return { kind, sessionId };
  }
}

function readPlugin(message: Received): void {
  const fields = new FieldReader(message, MESSAGE_FIELDS);
  const plugin = fields.required("plugin", fields.text("plugin", TRANSACTION_MAX));
  if (plugin !== VIDEOROOM) throw new JanusError(460, `No such plugin: only ${VIDEOROOM}`);
}

function readMessage(message: Received): { body: RoomRequest; jsep: Jsep | null } {
  if (message.body === null) throw new JanusError(421, "No message");
  const fields = new FieldReader(message, MESSAGE_FIELDS);
  const body = fields.required("body", fields.get("body"));
  if (!isMessageObject(body)) throw new JanusError(455, "Invalid body object");
  const jsep = readJsep(fields.get("jsep"));
  return { body: readRoomRequest(body), jsep };
}

function readJsep(value: unknown): Jsep | null {
  if (value === undefined) return null;
  if (!isMessageObject(value)) throw new JanusError(455, "Invalid jsep object");
  const fields = new FieldReader(value, MESSAGE_FIELDS);
  const type = fields.required("type", fields.get("type"));
  if (type !== "offer" && type !== "answer") throw new JanusError(464, "Unknown jsep type");
  const sdp = fields.required("sdp", fields.text("sdp", SDP_MAX));
  if (!sdp.startsWith("v=0")) throw new JanusError(465, "Invalid SDP");
  return { type, sdp };
}

/** The end of the candidates. */
const COMPLETED: TrickledCandidate = { candidate: "", sdpMid: null, sdpMLineIndex: null };

function readTrickle(message: Received): TrickledCandidate {
  const fields = new FieldReader(message, MESSAGE_FIELDS);
  const value = fields.required("candidate", fields.get("candidate"));
  if (!isMessageObject(value)) throw new JanusError(455, "Invalid candidate object");
  const candidate = new FieldReader(value, MESSAGE_FIELDS);
  if (candidate.flag("completed") === true) return COMPLETED;
  return {
    candidate: candidate.required("candidate", candidate.text("candidate", CANDIDATE_MAX)),
    sdpMid: readMid(candidate),
    sdpMLineIndex: readLineIndex(candidate),
  };
}

/** Some clients send the `mid` as a number. */
function readMid(fields: FieldReader): string | null {
  const value = fields.get("sdpMid");
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return fields.text("sdpMid", MID_MAX) ?? null;
}

function readLineIndex(fields: FieldReader): number | null {
  const value = fields.get("sdpMLineIndex");
  if (value === undefined) return null;
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > LINE_INDEX_MAX) {
    throw fields.invalid("sdpMLineIndex", `an integer from 0 to ${LINE_INDEX_MAX}`);
  }
  return value as number;
}
