import { Fault } from "../../../core/errors";
import { emailOperand } from "../../../core/text/email";
import { TAGS_SQL } from "../user-queries";

/** Conditions on one field of the user list; all must match. */
export interface Operators<T> {
  eq?: T | null;
  in?: T[] | null;
  startWith?: string | null;
  nin?: T[] | null;
  gt?: T | null;
  lt?: T | null;
  gte?: T | null;
  lte?: T | null;
}

type Kind = "stand-alone" | "either" | "additional";

/** A field of the user list. */
export interface UserField {
  kind: Kind;
  /** The SQL expression that is compared and sorted by. */
  sql: string;
  type: "bigint" | "text" | "timestamptz";
  /** Case-insensitive: `sql` is the lower-case column. */
  caseInsensitive?: boolean;
  /** Every user has a value. */
  notNull?: boolean;
  /** No index has the values of `sql`. */
  unindexed?: boolean;
}

/**
 * Clients receive dates without fractional seconds, so comparisons ignore these too. The indexes of the migration
 * user_list_order are on this expression: a plain date_trunc depends on the session's time zone, which an index
 * does not accept.
 */
const seconds = <C extends string>(column: C) =>
  `(date_trunc('second', ${column} AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')` as const;

/**
 * The fields that the V2 user list filters and sorts by (`ListUsers` in schema/rest/users.graphql). An index of
 * the application, the field and the id serves the order by each field except userTags.
 */
export const USER_LIST_FIELDS = {
  id: { kind: "stand-alone", sql: "u.id", type: "bigint", notNull: true },
  login: { kind: "stand-alone", sql: "u.login_key", type: "text", caseInsensitive: true },
  email: { kind: "stand-alone", sql: "u.email_key", type: "text", caseInsensitive: true },
  fullName: { kind: "stand-alone", sql: "u.full_name", type: "text" },
  phone: { kind: "stand-alone", sql: "u.phone", type: "text" },
  externalId: { kind: "stand-alone", sql: "u.external_id", type: "text" },
  facebookId: { kind: "stand-alone", sql: "u.facebook_id", type: "text" },
  twitterId: { kind: "stand-alone", sql: "u.twitter_id", type: "text" },
  userTags: { kind: "either", sql: TAGS_SQL, type: "text", unindexed: true },
  lastRequestAt: { kind: "additional", sql: seconds("u.last_request_at"), type: "timestamptz" },
  createdAt: {
    kind: "additional",
    sql: seconds("u.created_at"),
    type: "timestamptz",
    notNull: true,
  },
  updatedAt: {
    kind: "additional",
    sql: seconds("u.updated_at"),
    type: "timestamptz",
    notNull: true,
  },
} as const satisfies Record<string, UserField>;

/** A field of {@link USER_LIST_FIELDS}. */
export type UserListField = keyof typeof USER_LIST_FIELDS;

/** The filter of a user list; all conditions must match. */
export type UserFilter = { [F in UserListField]?: Operators<string | number | Date> | null };

const PRIMARY = ["eq", "in", "startWith"] as const;
const COMPARE = { gt: ">", lt: "<", gte: ">=", lte: "<=" } as const;
type Compare = keyof typeof COMPARE;

/** Limit of a user list that uses startWith. */
export const START_WITH_LIMIT = 5;
/** Minimum length of a startWith argument, in characters. */
const START_WITH_MIN = 4;
/** Maximum number of values of an in or nin. */
const VALUES_MAX = 1_000;

/** A filter compiled to SQL. */
export interface CompiledUserFilter {
  /** SQL over `u`, with parameters from `$2` on; `$1` is the application. */
  sql: string;
  values: unknown[];
  /** Whether the filter uses startWith, which lowers the limit. */
  startWith: boolean;
  /** A column of `u` that startWith compares; an index has the users in its byte order. */
  prefixKey?: string;
}

/**
 * Checks a filter against the five rules of the user list and compiles it to SQL.
 * @throws Fault INVALID with the violated rule
 */
export function compileUserFilter(filter: UserFilter): CompiledUserFilter {
  const conditions: string[] = [];
  const values: unknown[] = [];
  let selective = false;
  let excluding = false;
  let startWith = false;
  let prefixKey: string | undefined;
  const bind = (value: unknown, type: string) => {
    values.push(value);
    return `$${values.length + 1}::${type}`;
  };

  for (const [name, operators] of Object.entries(filter) as Array<
    [UserListField, Operators<string | number | Date> | null | undefined]
  >) {
    if (operators === null || operators === undefined) continue;
    const field: UserField = USER_LIST_FIELDS[name];
    for (const [operator, value] of Object.entries(operators)) {
      if (value === undefined) continue;
      checkOperand(name, operator, value);
      if (operator in COMPARE && field.kind !== "additional") {
        throw ruleViolated(2, `${name} cannot be used with compare operators (gt, lt, gte, lte)`);
      }
      if (operator === "startWith") {
        startWith = true;
        if (name !== "userTags") prefixKey = field.sql;
        if ([...String(value)].length < START_WITH_MIN) {
          const text = (names: Names) =>
            `${names.startWith} requires at least ${START_WITH_MIN} characters`;
          throw ruleViolated(5, text(GRAPHQL), text(REST));
        }
      }
      if (field.kind !== "additional") {
        if ((PRIMARY as readonly string[]).includes(operator)) selective = true;
        else excluding = true;
      }
      const [compare, operand] =
        name === "email"
          ? emailOperand(operator, value)
          : [operator, field.caseInsensitive ? lowerCase(value) : value];
      conditions.push(
        name === "userTags"
          ? tagCondition(compare, operand, bind)
          : condition(field, compare, operand, bind),
      );
    }
  }
  if (!selective) throw notSelective(excluding, conditions.length > 0);
  return { sql: conditions.join(" AND "), values, startWith, prefixKey };
}

/** Adds a parameter to a statement; returns its placeholder. */
type Bind = (value: unknown, type: string) => string;

function condition(field: UserField, operator: string, value: unknown, bind: Bind): string {
  const { sql, type } = field;
  switch (operator) {
    case "eq":
      return `${sql} = ${bind(value, type)}`;
    case "in":
      return `${sql} = ANY(${bind(value, `${type}[]`)})`;
    case "nin":
      // Also matches users without a value.
      return `(${sql} IS NULL OR ${sql} <> ALL(${bind(value, `${type}[]`)}))`;
    case "startWith":
      return prefix(sql, String(value), bind);
    default:
      return `${sql} ${COMPARE[operator as Compare]} ${bind(value, type)}`;
  }
}

function tagCondition(operator: string, value: unknown, bind: Bind): string {
  const having = (test: string) =>
    `u.id IN (SELECT g.user_id FROM user_tags g WHERE g.application_id = $1 AND ${test})`;
  switch (operator) {
    case "eq":
      return having(`g.tag = ${bind(value, "text")}`);
    case "in":
      return having(`g.tag = ANY(${bind(value, "text[]")})`);
    case "nin":
      return `NOT ${having(`g.tag = ANY(${bind(value, "text[]")})`)}`;
    default:
      return having(prefix("g.tag", String(value), bind));
  }
}

/**
 * Matches a prefix as a range in the byte order of text_pattern_ops. Every character is literal, and unlike
 * LIKE with a parameter it uses the index.
 */
export function prefix(sql: string, value: string, bind: Bind): string {
  const from = `${sql} ~>=~ ${bind(value, "text")}`;
  const end = afterPrefix(value);
  return end === undefined ? from : `${from} AND ${sql} ~<~ ${bind(end, "text")}`;
}

/**
 * The smallest text after all texts with this prefix, in the order of code points, which is the byte order of
 * UTF-8; undefined if there is none.
 */
function afterPrefix(value: string): string | undefined {
  const points = [...value];
  while (points.at(-1) === "\u{10FFFF}") points.pop();
  const last = points.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  // Skips the surrogates, which are not characters.
  return points.join("") + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}

function lowerCase(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map((element) => String(element).toLowerCase())
    : String(value).toLowerCase();
}

function checkOperand(name: string, operator: string, value: unknown): void {
  if (value === null) throw Fault.field(name, `${operator} needs a value`);
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0) throw Fault.field(name, `${operator} needs at least one value`);
  if (values.length > VALUES_MAX) {
    throw Fault.field(name, `${operator} takes at most ${VALUES_MAX} values`);
  }
}

/** Names in the texts of rules. */
interface Names {
  standAlone: string;
  startWith: string;
}
const GRAPHQL: Names = {
  standAlone: "id, login, email, fullName, phone, externalId, facebookId, twitterId, userTags",
  startWith: "startWith",
};
const REST: Names = {
  standAlone: "id, login, email, full_name, phone, external_id, facebook_id, twitter_id, user_tags",
  startWith: "start_with",
};

/** The violated rule of a filter without a primary operator on a stand-alone field. */
function notSelective(excluding: boolean, additional: boolean): Fault {
  const [rule, problem]: [number, string] = excluding
    ? [4, "nin alone is not enough: "]
    : additional
      ? [3, "additional fields alone are not enough: "]
      : [1, ""];
  const text = ({ standAlone, startWith }: Names) =>
    `${problem}a query must contain at least one stand-alone field (${standAlone}) ` +
    `with a primary operator (eq, in, ${startWith})`;
  return ruleViolated(rule, text(GRAPHQL), text(REST));
}

function ruleViolated(rule: number, text: string, onRest = text): Fault {
  return Fault.base(`Rule ${rule}: ${text}`, `Rule ${rule}: ${onRest}`);
}
