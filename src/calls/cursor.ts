import { Fault } from "../core/errors";

/**
 * The cursor of a user's inbox as clients have it: the bus's own, a tilde and the user. The user is
 * told, so that a cursor of another inbox (as `sendSignal` answers) is not taken for a place in this one.
 */
export function showCursor(cursor: string, userId: number): string {
  return `${cursor}~${userId.toString(36)}`;
}

/**
 * The bus's cursor of what {@link showCursor} gave for this user; undefined where none was sent.
 * @throws Fault INVALID on `after` for any other text
 */
export function readCursor(text: string | null | undefined, userId: number): string | undefined {
  if (text === null || text === undefined) return undefined;
  const mine = showCursor("", userId);
  if (!text.endsWith(mine) || text === mine || text.length > CURSOR_LENGTH) {
    throw Fault.field("after", "must be the cursor of a signal to oneself");
  }
  return text.slice(0, -mine.length);
}

const CURSOR_LENGTH = 100;
