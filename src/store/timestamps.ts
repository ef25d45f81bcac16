import { types } from "pg";

/** OID of the type timestamptz. */
export const TIMESTAMPTZ_OID = 1184;

const parseAnyZone = types.getTypeParser(TIMESTAMPTZ_OID, "text");
/** A timestamp of a session in UTC, with a four-digit year. */
const UTC = /^\d{4}-.*\+00$/;

/**
 * Parses a timestamptz in PostgreSQL's text format (ISO style), to the millisecond. The driver's parser
 * handles every time zone and takes twice as long, which slows down user lists.
 */
export function parseTimestamp(text: string): Date | number {
  if (!UTC.test(text)) return parseAnyZone(text);
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
