import { GraphQLError, GraphQLScalarType, Kind } from "graphql";
import { isoSeconds } from "../../core/clock";

/** Range of times that can be stored, and written in ISO 8601 with a four-digit year, in milliseconds. */
const RANGE = { min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59) };

const ISO =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A time: serialized as ISO 8601 UTC with second precision, parsed from ISO 8601 or Unix seconds. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: "DateTime",
  description:
    "A time in ISO 8601, UTC, to the second: 2018-12-05T11:58:02Z. Taken as ISO 8601 or as Unix time in seconds.",
  specifiedByURL: "https://www.rfc-editor.org/rfc/rfc3339",
  serialize: (value) => isoSeconds(value as Date),
  parseValue: readTime,
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING || node.kind === Kind.INT) return readTime(node.value);
    throw new GraphQLError("DateTime must be an ISO 8601 time or Unix time in seconds");
  },
});

function readTime(value: unknown): Date {
  if (typeof value === "number" || (typeof value === "string" && /^\d{1,11}$/.test(value))) {
    return inRange(Number(value) * 1000);
  }
  if (typeof value === "string" && ISO.test(value)) {
    // A time without a zone is UTC.
    const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(value) || !/[T ]/.test(value);
    return inRange(Date.parse(zoned ? value.replace(" ", "T") : `${value.replace(" ", "T")}Z`));
  }
  throw new GraphQLError("DateTime must be an ISO 8601 time or Unix time in seconds");
}

function inRange(ms: number): Date {
  if (!(ms >= RANGE.min && ms <= RANGE.max)) {
    throw new GraphQLError("DateTime is out of range");
  }
  return new Date(ms);
}
