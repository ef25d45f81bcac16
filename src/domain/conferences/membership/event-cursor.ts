import { Fault } from "../../../core/errors";

/** The client's form of a position in the events of a conference. */
export function encodeEventCursor(conferenceId: number, position: string): string {
  return Buffer.from(`${conferenceId}:${position}`).toString("base64url");
}

/** Maximum length of a cursor, in characters. */
const LENGTH_MAX = 200;

/**
 * Reads a cursor. Anything else than {@link encodeEventCursor} has made for the conference is refused.
 * @returns undefined if none was given
 * @throws Fault INVALID on `after`
 */
export function decodeEventCursor(
  conferenceId: number,
  cursor: string | null | undefined,
): string | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const prefix = `${conferenceId}:`;
  const text = cursor.length > LENGTH_MAX ? "" : Buffer.from(cursor, "base64url").toString();
  if (!text.startsWith(prefix)) throw Fault.field("after", "is not a cursor of this conference");
  return text.slice(prefix.length);
}
