import { Fault } from "../../../core/errors";

/**
 * Encodes a cursor of a user's inbox for clients: the bus's cursor, a tilde and the user's id. With the id, a
 * cursor of another inbox (as `sendSignal` returns) is recognized as foreign.
 */
export function encodeCursor(cursor: string, userId: number): string {
  return `${cursor}~${userId.toString(36)}`;
}

/**
 * Decodes a cursor that {@link encodeCursor} created for this user; undefined if there is none.
 * @throws Fault INVALID on `after` for any other text
 */
export function decodeCursor(text: string | null | undefined, userId: number): string | undefined {
  if (text === null || text === undefined) return undefined;
  const suffix = encodeCursor("", userId);
  if (!text.endsWith(suffix) || text === suffix || text.length > CURSOR_LENGTH_MAX) {
    throw Fault.field("after", "must be a cursor of your own inbox");
  }
  return text.slice(0, -suffix.length);
}

const CURSOR_LENGTH_MAX = 100;
