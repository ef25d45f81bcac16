import { BODY_FIELDS, FieldReader, type Received } from "./fields";
import { JanusError } from "./janus-error";

/** Name of a room as the client wrote it: legacy clients use numbers too, and compare what comes back. */
export type RoomName = string | number;

/** A request to a room, with only the fields that this endpoint knows. */
export type RoomRequest =
  | { request: "join"; as: "publisher"; room: RoomName; id: number | undefined }
  | { request: "join"; as: "listener"; room: RoomName; feed: number }
  | { request: "configure" | "publish"; room: RoomName | undefined; keyFrame: boolean }
  | { request: "start" | "leave" | "unpublish"; room: RoomName | undefined }
  | { request: "listparticipants"; room: RoomName };

/** Maximum length of the texts that this file reads. */
const NAME_MAX = 128;

/**
 * Reads the body of a message. Unknown fields are dropped, and so is `display`: the name is that of the profile.
 * @throws JanusError 403 for a request that is not on the list, 429 for a missing field, 430 for an invalid one
 */
export function readRoomRequest(body: Received): RoomRequest {
  const fields = new FieldReader(body, BODY_FIELDS);
  const request = fields.required("request", fields.text("request", NAME_MAX));
  switch (request) {
    case "join":
      return readJoin(fields);
    case "configure":
    case "publish":
      return {
        request,
        room: readRoom(fields),
        keyFrame: request === "configure" && fields.flag("keyframe") === true,
      };
    case "start":
    case "leave":
    case "unpublish":
      return { request, room: readRoom(fields) };
    case "listparticipants":
      return { request, room: fields.required("room", readRoom(fields)) };
    default:
      throw new JanusError(403, "This request to the room is not allowed");
  }
}

function readJoin(fields: FieldReader): RoomRequest {
  const room = fields.required("room", readRoom(fields));
  const type = fields.required("ptype", fields.text("ptype", NAME_MAX));
  if (type === "publisher") return { request: "join", as: "publisher", room, id: fields.id("id") };
  if (type !== "listener" && type !== "subscriber") {
    throw new JanusError(430, "Invalid element (ptype)");
  }
  return {
    request: "join",
    as: "listener",
    room,
    feed: fields.required("feed", fields.id("feed")),
  };
}

/** A text of 1 to 128 characters, or a number that is the same when it is written as text. */
function readRoom(fields: FieldReader): RoomName | undefined {
  const value = fields.get("room");
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  if (typeof value === "number") throw fields.invalid("room", "a safe integer or a text");
  const text = fields.text("room", 2 * NAME_MAX);
  if (text !== undefined && (text === "" || [...text].length > NAME_MAX)) {
    throw fields.invalid("room", `a text of 1 to ${NAME_MAX} characters`);
  }
  return text;
}
