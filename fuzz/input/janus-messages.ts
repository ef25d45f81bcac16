import type { Random } from "../../tools/seeded-random";
import { chance, pick, several } from "./random";
import { mutateSdp, OFFER } from "./sdp";
import { hostileText, hostileValue, toJson, urlEncode } from "./values";

const REQUESTS = ["attach", "message", "trickle", "keepalive", "hangup", "detach", "destroy"];
const ROOM_REQUESTS = [
  "join",
  "configure",
  "start",
  "publish",
  "unpublish",
  "leave",
  "listparticipants",
];
const FOREIGN = ["claim", "create", "list", "edit", "kick", "moderate", "constructor", ""];
/** Fields of the messages, with hostile values in some of them. */
const FIELDS = ["room", "id", "feed", "ptype", "display", "audio", "keyframe", "record", "secret"];

/** What a client has learned from the answers. */
export interface Known {
  sessions: number[];
  handles: number[];
}

/** Remembers the session or handle of an answer, if it has one. */
export function learn(known: Known, message: string): void {
  const { janus: kind, session_id: session, data } = JSON.parse(message);
  if (kind !== "success" || typeof data?.id !== "number") return;
  (session === undefined || session === data.id ? known.sessions : known.handles).push(data.id);
}

/** A request of the Janus protocol, in any order and with hostile parts. */
export function nextMessage(random: Random, known: Known, token: string | undefined): unknown {
  if (chance(random, 3)) return hostileValue(random);
  if (chance(random, 1)) return "x".repeat(random(100_000));
  const janus = chance(random, 92) ? pick(random, REQUESTS) : pick(random, FOREIGN);
  const message: Record<string, unknown> = {
    janus,
    transaction: chance(random, 96) ? String(random(1_000)) : hostileValue(random),
    token: chance(random, 95) ? token : hostileText(random),
    session_id: idOf(random, known.sessions),
  };
  if (janus === "attach") message.plugin = "janus.plugin.videoroom";
  else if (chance(random, 90)) message.handle_id = idOf(random, known.handles);
  if (janus === "message") Object.assign(message, roomMessage(random));
  if (janus === "trickle") message.candidate = candidateOf(random);
  return message;
}

/** As {@link idOf}, as a part of a path. */
export function pathId(random: Random, ids: number[]): string {
  const id = idOf(random, ids);
  return urlEncode(typeof id === "object" ? toJson(id) : String(id)).slice(0, 4_000);
}

/** An id that the client knows, or another. */
function idOf(random: Random, ids: number[]): unknown {
  if (ids.length > 0 && chance(random, 92)) return pick(random, ids);
  return chance(random, 50) ? random(1_000_000) : hostileValue(random);
}

function roomMessage(random: Random): object {
  const request = chance(random, 90) ? pick(random, ROOM_REQUESTS) : pick(random, FOREIGN);
  const body: Record<string, unknown> = {
    request,
    room: chance(random, 90) ? `room ${random(4)}` : hostileValue(random),
    ptype: pick(random, ["publisher", "publisher", "listener", "subscriber"]),
    ...(chance(random, 30) && { feed: random(40) }),
  };
  for (const field of several(random, 0, 2, () => pick(random, FIELDS))) {
    if (chance(random, 30)) body[field] = hostileValue(random);
  }
  const jsep = { type: pick(random, ["offer", "answer"]), sdp: sdpOf(random) };
  return chance(random, 50) ? { body } : { body, jsep };
}

function sdpOf(random: Random): unknown {
  if (chance(random, 90)) return mutateSdp(random, OFFER);
  return chance(random, 50) ? `${OFFER}${"a=x\r\n".repeat(random(4_000))}` : hostileValue(random);
}

function candidateOf(random: Random): unknown {
  if (chance(random, 15)) return { completed: true };
  if (chance(random, 15)) return hostileValue(random);
  const candidate = chance(random, 70)
    ? `candidate:1 1 udp ${random(2 ** 31)} 192.0.2.${random(256)} ${random(65_536)} typ host`
    : hostileText(random);
  return { candidate, sdpMid: String(random(3)), sdpMLineIndex: random(3) };
}
