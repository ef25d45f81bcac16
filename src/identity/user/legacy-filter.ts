import { Fault } from "../../core/errors";
import { emailKeys } from "./email";
import { readSpan, type Span } from "./legacy-date";
import { TAGS_SQL } from "./user";

/** Kinds of value that a condition compares with. */
export type LegacyKind = "numbers" | "strings" | "dates";

interface Field {
  sql: string;
  kind: LegacyKind;
  /** Compared without regard to case, through its lower-case column. */
  folded?: boolean;
  /** Never null, so that its index serves the order both ways. */
  present?: boolean;
  /** A text that older clients compare with numbers. */
  digits?: boolean;
}

/**
 * The fields of the legacy list: every column of a user that can be read but custom_data
 * (interface.md "GET /users"). No secret is among them, so none can be guessed by comparing.
 */
export const LEGACY_FIELDS = {
  id: { sql: "u.id", kind: "numbers", present: true },
  login: { sql: "u.login_key", kind: "strings", folded: true },
  email: { sql: "u.email_key", kind: "strings", folded: true },
  externalUserId: { sql: "u.external_user_id", kind: "strings", digits: true },
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
  createdAt: { sql: "u.created_at", kind: "dates", present: true },
  updatedAt: { sql: "u.updated_at", kind: "dates", present: true },
  lastRequestAt: { sql: "u.last_request_at", kind: "dates" },
} as const satisfies Record<string, Field>;

/** A field of {@link LEGACY_FIELDS}. */
export type LegacyField = keyof typeof LEGACY_FIELDS;

/** Operators of the legacy list; ge and le are "or equal". */
export const LEGACY_OPERATORS = ["gt", "lt", "ge", "le", "eq", "ne", "between", "in"] as const;

/** An operator of {@link LEGACY_OPERATORS}. */
export type LegacyOperator = (typeof LEGACY_OPERATORS)[number];

/** One condition, its values in the one list that suits the field. */
export interface LegacyCondition {
  field: LegacyField;
  operator: LegacyOperator;
  numbers?: number[] | null;
  strings?: string[] | null;
  /** As `yyyy-mm-dd`, `yyyy.mm.dd` or ISO 8601. */
  dates?: string[] | null;
}

/** The order of a legacy list. */
export interface LegacyOrder {
  field: LegacyField;
  direction: "asc" | "desc";
}

/** Conditions of one list at most. */
const CONDITIONS_MAX = 50;
/** Values of one `in` at most. */
const VALUES_MAX = 1_000;
const COMPARE = { gt: ">", lt: "<", ge: ">=", le: "<=" } as const;

type Bind = (value: unknown, type: string) => string;

/**
 * Checks conditions, all of which hold, and gives them as SQL over `u` with values from `$2` on; `$1`
 * is the application.
 * @throws Fault INVALID on `filter` that names the condition and its wrong part
 */
export function legacyCondition(conditions: readonly LegacyCondition[]): {
  sql: string;
  values: unknown[];
} {
  if (conditions.length > CONDITIONS_MAX) {
    throw Fault.field("filter", `takes ${CONDITIONS_MAX} conditions at most`);
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

/** ORDER BY of a legacy list; of equals the lower id comes first. */
export function legacyOrder(order: LegacyOrder | null | undefined): string {
  if (!order) return "u.id";
  const field: Field = LEGACY_FIELDS[order.field];
  const direction = order.direction === "asc" ? "ASC" : "DESC";
  if (order.field === "id") return `u.id ${direction}`;
  const nulls = field.present ? "" : direction === "ASC" ? " NULLS FIRST" : " NULLS LAST";
  return `${field.sql} ${direction}${nulls}, u.id`;
}

interface Wrong {
  problem: string;
}

const wrong = (problem: string): Wrong => ({ problem });

function compile(condition: LegacyCondition, bind: Bind): string | Wrong {
  const { operator } = condition;
  const field: Field = LEGACY_FIELDS[condition.field];
  const given = (["numbers", "strings", "dates"] as const).filter((kind) => condition[kind]);
  const [kind] = given;
  if (!kind || given.length > 1) return wrong("takes one of numbers, strings and dates");
  const raw = condition[kind] ?? [];
  const counted = countProblem(operator, raw.length);
  if (counted) return wrong(counted);
  if (kind !== field.kind && !(field.digits && kind === "numbers" && isEquality(operator))) {
    return wrong(`the data type of ${wireName(condition.field)} is ${DATA_TYPE[field.kind]}`);
  }
  if (condition.field === "userTags") return tags(operator, condition.strings ?? [], bind);
  if (kind === "dates") return dates(field.sql, operator, condition.dates ?? [], bind);
  const type = field.kind === "numbers" ? "bigint" : "text";
  const operands = field.kind === "numbers" ? raw : raw.map(String);
  if (condition.field === "email" && (operator === "eq" || operator === "in")) {
    const keys = operands.flatMap((each) => emailKeys(String(each)));
    return comparison(field.sql, keys.length > 1 ? "in" : operator, keys, bind, type);
  }
  return comparison(field.sql, operator, field.folded ? folded(operands) : operands, bind, type);
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

function folded(operands: ReadonlyArray<string | number>): string[] {
  return operands.map((each) => String(each).toLowerCase());
}

function countProblem(operator: LegacyOperator, count: number): string | undefined {
  if (operator === "between") return count === 2 ? undefined : "between takes two values";
  if (operator === "in") {
    if (count === 0) return "in takes at least one value";
    return count > VALUES_MAX ? `in takes ${VALUES_MAX} values at most` : undefined;
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
      // Whoever has no value at all does not have this one either.
      return `${sql} IS DISTINCT FROM ${bind(first, type)}`;
    case "in":
      return `${sql} = ANY(${bind(operands, `${type}[]`)})`;
    case "between":
      return `${sql} BETWEEN ${bind(first, type)} AND ${bind(second, type)}`;
    default:
      return `${sql} ${COMPARE[operator]} ${bind(first, type)}`;
  }
}

function tags(operator: LegacyOperator, operands: readonly string[], bind: Bind): string | Wrong {
  if (!isEquality(operator)) return wrong(`user_tags takes eq, ne and in, not ${operator}`);
  const having = `u.id IN (SELECT g.user_id FROM user_tags g
    WHERE g.application_id = $1 AND g.tag = ANY(${bind(operands, "text[]")}))`;
  return operator === "ne" ? `NOT ${having}` : having;
}

/** Bounds on the bare column, which its index serves. */
function dates(
  sql: string,
  operator: LegacyOperator,
  texts: readonly string[],
  bind: Bind,
): string | Wrong {
  const spans: Span[] = [];
  for (const text of texts) {
    const read = readSpan(text);
    if (!read) return wrong("the value must be a date: yyyy-mm-dd, yyyy.mm.dd or ISO 8601");
    spans.push(read);
  }
  const at = (ms: number) => bind(new Date(ms), "timestamptz");
  const within = (from: Span, to: Span) => `${sql} >= ${at(from.start)} AND ${sql} < ${at(to.end)}`;
  const [first, second = first] = spans;
  if (!first || !second) return wrong("the value is missing");
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
      return `(${spans.map((span) => within(span, span)).join(" OR ")})`;
  }
}
