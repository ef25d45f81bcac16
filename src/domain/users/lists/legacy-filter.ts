import { Fault } from "../../../core/errors";
import { emailKeys } from "../../../core/text/email";
import { TAGS_SQL } from "../user-queries";

/** The types of values in a condition. */
export type LegacyKind = "numbers" | "strings" | "dates";

interface Field {
  sql: string;
  kind: LegacyKind;
  /** Case-insensitive: `sql` is the lower-case column. */
  caseInsensitive?: boolean;
  /** Never null, so its index serves both sort directions. */
  notNull?: boolean;
  /** A text field that older clients compare with numbers. */
  acceptsNumbers?: boolean;
}

/**
 * The fields of the V1 user list: all readable columns of a user except custom_data. They contain no secrets,
 * which comparisons could reveal.
 */
export const LEGACY_FIELDS = {
  id: { sql: "u.id", kind: "numbers", notNull: true },
  login: { sql: "u.login_key", kind: "strings", caseInsensitive: true },
  email: { sql: "u.email_key", kind: "strings", caseInsensitive: true },
  externalUserId: { sql: "u.external_user_id", kind: "strings", acceptsNumbers: true },
  externalId: { sql: "u.external_id", kind: "strings" },
  facebookId: { sql: "u.facebook_id", kind: "strings" },
  twitterId: { sql: "u.twitter_id", kind: "strings" },
  fullName: { sql: "u.full_name", kind: "strings" },
  phone: { sql: "u.phone", kind: "strings" },
  website: { sql: "u.website", kind: "strings" },
  userTags: { sql: TAGS_SQL, kind: "strings" },
  avatar: { sql: "u.avatar", kind: "strings" },
  blobId: { sql: "u.blob_id", kind: "numbers" },
  timezone: { sql: "u.timezone", kind: "numbers" },
  createdAt: { sql: "u.created_at", kind: "dates", notNull: true },
  updatedAt: { sql: "u.updated_at", kind: "dates", notNull: true },
  lastRequestAt: { sql: "u.last_request_at", kind: "dates" },
} as const satisfies Record<string, Field>;

/** A field of {@link LEGACY_FIELDS}. */
export type LegacyField = keyof typeof LEGACY_FIELDS;

/** The operators of the V1 user list; ge and le mean "or equal". */
export const LEGACY_OPERATORS = ["gt", "lt", "ge", "le", "eq", "ne", "between", "in"] as const;

/** An operator of {@link LEGACY_OPERATORS}. */
export type LegacyOperator = (typeof LEGACY_OPERATORS)[number];

/** A condition. Its values are in the one list that matches the type of the field. */
export interface LegacyCondition {
  field: LegacyField;
  operator: LegacyOperator;
  numbers?: number[] | null;
  strings?: string[] | null;
  /** In the form `yyyy-mm-dd`, `yyyy.mm.dd` or ISO 8601. */
  dates?: string[] | null;
}

/** The order of a V1 user list. */
export interface LegacyOrder {
  field: LegacyField;
  direction: "asc" | "desc";
}

/** Maximum number of conditions of a request. */
const CONDITIONS_MAX = 50;
/** Maximum number of values of an `in`. */
const VALUES_MAX = 1_000;
const COMPARE = { gt: ">", lt: "<", ge: ">=", le: "<=" } as const;

type Bind = (value: unknown, type: string) => string;

/**
 * Checks conditions and compiles their conjunction to SQL over `u`, with values from `$2` on; `$1` is the
 * application.
 * @throws Fault INVALID on `filter`, with the number of the condition and its problem
 */
export function compileLegacyConditions(conditions: readonly LegacyCondition[]): {
  sql: string;
  values: unknown[];
} {
  if (conditions.length > CONDITIONS_MAX) {
    throw Fault.field("filter", `takes at most ${CONDITIONS_MAX} conditions`);
  }
  const values: unknown[] = [];
  const bind: Bind = (value, type) => {
    values.push(value);
    return `$${values.length + 1}::${type}`;
  };
  const parts = conditions.map((condition, index) => {
    const sql = compile(condition, bind);
    if (typeof sql === "string") return sql;
    throw Fault.field("filter", `condition ${index + 1}: ${sql.problem}`);
  });
  return { sql: parts.length > 0 ? parts.join(" AND ") : "TRUE", values };
}

/** Compiles the ORDER BY of a V1 user list; ties are ordered by id. */
export function compileLegacyOrder(order: LegacyOrder | null | undefined): string {
  if (!order) return "u.id";
  const field: Field = LEGACY_FIELDS[order.field];
  const direction = order.direction === "asc" ? "ASC" : "DESC";
  if (order.field === "id") return `u.id ${direction}`;
  const nulls = field.notNull ? "" : direction === "ASC" ? " NULLS FIRST" : " NULLS LAST";
  return `${field.sql} ${direction}${nulls}, u.id`;
}

interface Invalid {
  problem: string;
}

const invalid = (problem: string): Invalid => ({ problem });

function compile(condition: LegacyCondition, bind: Bind): string | Invalid {
  const { operator } = condition;
  const field: Field = LEGACY_FIELDS[condition.field];
  const given = (["numbers", "strings", "dates"] as const).filter((kind) => condition[kind]);
  const [kind] = given;
  if (!kind || given.length > 1) return invalid("takes one of numbers, strings and dates");
  const raw = condition[kind] ?? [];
  const problem = countProblem(operator, raw.length);
  if (problem) return invalid(problem);
  if (
    kind !== field.kind &&
    !(field.acceptsNumbers && kind === "numbers" && isEquality(operator))
  ) {
    return invalid(`the data type of ${wireName(condition.field)} is ${DATA_TYPE[field.kind]}`);
  }
  if (condition.field === "userTags") return tags(operator, condition.strings ?? [], bind);
  if (kind === "dates") return dates(field.sql, operator, condition.dates ?? [], bind);
  const type = field.kind === "numbers" ? "bigint" : "text";
  const operands = field.kind === "numbers" ? raw : raw.map(String);
  if (condition.field === "email" && (operator === "eq" || operator === "in")) {
    const keys = operands.flatMap((operand) => emailKeys(String(operand)));
    return comparison(field.sql, keys.length > 1 ? "in" : operator, keys, bind, type);
  }
  const values = field.caseInsensitive ? lowerCase(operands) : operands;
  return comparison(field.sql, operator, values, bind, type);
}

const DATA_TYPE: Record<LegacyKind, string> = {
  numbers: "number",
  strings: "string",
  dates: "date",
};

function isEquality(operator: LegacyOperator): boolean {
  return operator === "eq" || operator === "ne" || operator === "in";
}

function wireName(field: LegacyField): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function lowerCase(operands: ReadonlyArray<string | number>): string[] {
  return operands.map((operand) => String(operand).toLowerCase());
}

function countProblem(operator: LegacyOperator, count: number): string | undefined {
  if (operator === "between") return count === 2 ? undefined : "between takes two values";
  if (operator === "in") {
    if (count === 0) return "in takes at least one value";
    return count > VALUES_MAX ? `in takes at most ${VALUES_MAX} values` : undefined;
  }
  return count === 1 ? undefined : `${operator} takes one value`;
}

function comparison(
  sql: string,
  operator: LegacyOperator,
  operands: ReadonlyArray<string | number>,
  bind: Bind,
  type: string,
): string {
  const [first, second] = operands;
  switch (operator) {
    case "eq":
      return `${sql} = ${bind(first, type)}`;
    case "ne":
      // Also matches users without a value.
      return `${sql} IS DISTINCT FROM ${bind(first, type)}`;
    case "in":
      return `${sql} = ANY(${bind(operands, `${type}[]`)})`;
    case "between":
      return `${sql} BETWEEN ${bind(first, type)} AND ${bind(second, type)}`;
    default:
      return `${sql} ${COMPARE[operator]} ${bind(first, type)}`;
  }
}

function tags(operator: LegacyOperator, operands: readonly string[], bind: Bind): string | Invalid {
  if (!isEquality(operator)) return invalid(`user_tags takes eq, ne and in, not ${operator}`);
  const having = `u.id IN (SELECT g.user_id FROM user_tags g
    WHERE g.application_id = $1 AND g.tag = ANY(${bind(operands, "text[]")}))`;
  return operator === "ne" ? `NOT ${having}` : having;
}

/** Compares the bare column with the bounds of time ranges, so that its index is used. */
function dates(
  sql: string,
  operator: LegacyOperator,
  texts: readonly string[],
  bind: Bind,
): string | Invalid {
  const ranges: TimeRange[] = [];
  for (const text of texts) {
    const range = parseTimeRange(text);
    if (!range) return invalid("the value must be a date: yyyy-mm-dd, yyyy.mm.dd or ISO 8601");
    ranges.push(range);
  }
  const at = (ms: number) => bind(new Date(ms), "timestamptz");
  const within = (from: TimeRange, to: TimeRange) =>
    `${sql} >= ${at(from.start)} AND ${sql} < ${at(to.end)}`;
  const [first, second = first] = ranges;
  if (!first || !second) return invalid("the value is missing");
  switch (operator) {
    case "gt":
      return `${sql} >= ${at(first.end)}`;
    case "ge":
      return `${sql} >= ${at(first.start)}`;
    case "lt":
      return `${sql} < ${at(first.start)}`;
    case "le":
      return `${sql} < ${at(first.end)}`;
    case "ne":
      return `(${within(first, first)}) IS NOT TRUE`;
    case "between":
      return within(first, second);
    default:
      return `(${ranges.map((range) => within(range, range)).join(" OR ")})`;
  }
}

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
