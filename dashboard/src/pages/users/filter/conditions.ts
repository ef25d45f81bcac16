import { usersStrings } from "../strings.ts";
import type { UserFilter } from "../users.generated.ts";

const texts = usersStrings;

/** A field that a filter compares. */
export type FilterField = keyof typeof texts.filterFields;
/** What is compared. */
export type ConditionKind = "text" | "number" | "time";
/** An operator of the service's filter. */
export type FilterOperator = keyof typeof OPERATORS;

/** One condition of a filter. Times are in UTC, as the service takes them. */
export interface Condition {
  field: FilterField;
  operator: FilterOperator;
  /** One value, or several of an operator that takes a list. */
  values: readonly string[];
}

/** The operators, and whether they take a list. */
const OPERATORS = {
  eq: false,
  in: true,
  nin: true,
  startWith: false,
  gt: false,
  gte: false,
  lt: false,
  lte: false,
} as const;

/** The operators of each kind of field, the usual one first. */
export const OPERATORS_OF: Readonly<Record<ConditionKind, readonly FilterOperator[]>> = {
  text: ["startWith", "eq", "in", "nin"],
  number: ["eq", "in", "nin"],
  time: ["gte", "gt", "lte", "lt", "eq", "in", "nin"],
};

/** The fields in the order in which people look for users. */
export const FIELDS = Object.keys(texts.filterFields) as readonly FilterField[];

/** Operators that say which users match; the others only exclude some. */
const SELECTIVE: readonly FilterOperator[] = ["eq", "in", "startWith"];
/** The service's bounds. */
const START_MIN = 4;
const VALUES_MAX = 1_000;
/** Conditions of a URL that are read. */
const CONDITIONS_MAX = 48;

/** What a field holds. */
export function kindOf(field: FilterField): ConditionKind {
  if (field === "id") return "number";
  return field === "createdAt" || field === "lastRequestAt" || field === "updatedAt"
    ? "time"
    : "text";
}

/** Whether an operator takes several values. */
export function takesList(operator: FilterOperator): boolean {
  return OPERATORS[operator];
}

/** What an operator means for a field, in words. */
export function operatorLabel(field: FilterField, operator: FilterOperator): string {
  const { text, time } = texts.filterOperators;
  const words: Partial<Record<FilterOperator, string>> = kindOf(field) === "time" ? time : text;
  return words[operator] ?? operator;
}

/** Why a condition cannot be sent; null if it can. */
export function conditionProblem({ field, operator, values }: Condition): string | null {
  if (values.length === 0 || values.some((value) => value.trim() === ""))
    return texts.filterMissing;
  if (kindOf(field) === "number" && !values.every((value) => /^[0-9]{1,15}$/.test(value.trim()))) {
    return texts.filterNoId;
  }
  const tooShort = operator === "startWith" && [...(values[0] ?? "").trim()].length < START_MIN;
  return tooShort ? texts.filterTooShort : null;
}

/** Whether the service would read too many users for these conditions: none of them says whom to find. */
export function isTooWide(conditions: readonly Condition[]): boolean {
  const selects = ({ field, operator }: Condition) =>
    kindOf(field) !== "time" && SELECTIVE.includes(operator);
  return conditions.length > 0 && !conditions.some(selects);
}

/** The conditions as a value of the URL. */
export function writeConditions(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return "";
  return JSON.stringify(
    conditions.map(({ field, operator, values }) => [field, operator, ...values]),
  );
}

/** The conditions of a URL, without those that could not be sent. */
export function readConditions(text: string): readonly Condition[] {
  if (text === "") return [];
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(given)) return [];
  const known = new Set<string>();
  return given.slice(0, CONDITIONS_MAX).flatMap((each) => {
    const condition = toCondition(each);
    if (condition === null || conditionProblem(condition) !== null) return [];
    const key = `${condition.field} ${condition.operator}`;
    if (known.has(key)) return [];
    known.add(key);
    return [condition];
  });
}

function toCondition(given: unknown): Condition | null {
  if (!Array.isArray(given)) return null;
  const [name, comparison, ...values] = given as unknown[];
  const field = FIELDS.find((each) => each === name);
  if (field === undefined) return null;
  const operator = OPERATORS_OF[kindOf(field)].find((each) => each === comparison);
  if (operator === undefined || values.length > (takesList(operator) ? VALUES_MAX : 1)) return null;
  const isText = (value: unknown): value is string => typeof value === "string";
  if (!values.every(isText)) return null;
  if (kindOf(field) === "time" && values.some((value) => Number.isNaN(Date.parse(value)))) {
    return null;
  }
  return { field, operator, values };
}

/** The conditions as the service takes them; null if there are none. */
export function toUserFilter(conditions: readonly Condition[]): UserFilter | null {
  if (conditions.length === 0) return null;
  const filter: Partial<Record<FilterField, Record<string, unknown>>> = {};
  for (const { field, operator, values } of conditions) {
    const operands = values.map((value) =>
      kindOf(field) === "number" ? Number(value) : value.trim(),
    );
    filter[field] = {
      ...filter[field],
      [operator]: takesList(operator) ? operands : operands[0],
    };
  }
  return filter as UserFilter;
}
