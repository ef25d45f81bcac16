/** A range of Unix time in milliseconds; `end` is exclusive. */
export interface TimeRange {
  start: number;
  end: number;
}

const DAY = /^(\d{4})([-.])(\d{2})\2(\d{2})$/;
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
/** The last time whose year has four digits. */
const TIME_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MS = { second: 1_000, minute: 60_000, day: 24 * 60 * 60_000 };

/**
 * Parses a date of the V1 user list (`ListUsersByPage` in schema/rest/users-legacy.graphql). `yyyy-mm-dd` and
 * `yyyy.mm.dd` are a whole day in UTC. ISO 8601 with a time is one second, in UTC unless it has a zone.
 * @returns undefined if the text is not a date, or is before 1970
 */
export function parseTimeRange(text: string): TimeRange | undefined {
  const day = DAY.exec(text);
  if (day) return span(dayStart(day[1], day[3], day[4]), MS.day);
  const instant = INSTANT.exec(text);
  if (!instant) return undefined;
  const [hour, minute, second] = [instant[4], instant[5], instant[6] ?? 0].map(Number) as [
    number,
    number,
    number,
  ];
  const zone = zoneOffset(instant[7]);
  if (hour > 23 || minute > 59 || second > 59 || zone === undefined) return undefined;
  const midnight = dayStart(instant[1], instant[2], instant[3]);
  if (midnight === undefined) return undefined;
  const at = midnight + (hour * 60 + minute) * MS.minute + second * MS.second;
  return span(at - zone, MS.second);
}

function span(start: number | undefined, length: number): TimeRange | undefined {
  if (start === undefined || start < 0 || start > TIME_MAX) return undefined;
  return { start, end: Math.min(start + length, TIME_MAX) };
}

/** Midnight in UTC; undefined for a day that does not exist, such as 30 February. */
function dayStart(...parts: Array<string | undefined>): number | undefined {
  const [year, month, day] = parts.map(Number) as [number, number, number];
  // Date.UTC maps years below 100 to the twentieth century.
  if (year < 1970) return undefined;
  const at = Date.UTC(year, month - 1, day);
  const parsed = new Date(at);
  return parsed.getUTCMonth() === month - 1 && parsed.getUTCDate() === day ? at : undefined;
}

function zoneOffset(zone = "Z"): number | undefined {
  if (zone === "Z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * MS.minute;
}
