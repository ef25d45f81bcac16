import { Fault } from "../core/errors";
import { emailKeys } from "../core/text/email";
import { parseTimeRange, type TimeRange } from "./legacy-date";
import { TAGS_SQL } from "./user";

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
