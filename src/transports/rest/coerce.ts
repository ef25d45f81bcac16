import {
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from "graphql";

/** Why a value is rejected, as a predicate to the parameter's name: `must be text`. */
export class CoercionProblem {
  constructor(readonly text: string) {}
}

/**
 * Converts a wire value (JSON, or texts and lists of a form or query) to the value of a GraphQL variable, or
 * returns a {@link CoercionProblem}. It is never called with null or undefined.
 */
export type Coerce = (raw: unknown) => unknown;

const TEXT = new CoercionProblem("must be text");
const INTEGER = new CoercionProblem("must be a whole number");
const NUMBER = new CoercionProblem("must be a number");
const BOOLEAN = new CoercionProblem("must be true or false");
const OBJECT = new CoercionProblem("must be an object");
const LIST = new CoercionProblem("must be a list");
const ITEM = new CoercionProblem("must not hold null");

/** Accepts strings; converts numbers and booleans to text. */
const text: Coerce = (raw) => {
  if (typeof raw === "string") return raw;
  return typeof raw === "number" || typeof raw === "boolean" ? String(raw) : TEXT;
};

/** An integer within the bounds, as a number or as decimal digits. */
const integer =
  (min: number, max: number): Coerce =>
  (raw) => {
    const digits = typeof raw === "string" && /^-?\d{1,16}$/.test(raw);
    // Adding zero normalizes -0, which JSON cannot represent.
    const value = digits ? Number(raw) + 0 : raw;
    return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? value
      : INTEGER;
  };

const float: Coerce = (raw) => {
  const digits = typeof raw === "string" && /^-?\d{1,20}(\.\d{1,20})?$/.test(raw);
  const value = digits ? Number(raw) : raw;
  return Number.isFinite(value) ? value : NUMBER;
};

const boolean: Coerce = (raw) => {
  if (raw === true || raw === "true" || raw === 1 || raw === "1") return true;
  if (raw === false || raw === "false" || raw === 0 || raw === "0") return false;
  return BOOLEAN;
};

const object: Coerce = (raw) =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw) ? raw : OBJECT;

const SCALARS = new Map<string, Coerce>([
  ["String", text],
  ["ID", text],
  ["Int", integer(-(2 ** 31), 2 ** 31 - 1)],
  ["SafeInt", integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)],
  ["Float", float],
  ["Boolean", boolean],
  ["JSONObject", object],
]);

/**
 * A custom scalar: the value is passed on unchanged. It is parsed here only to report an error with the
 * parameter's name. A date must be text or a number.
 */
function scalar(type: GraphQLScalarType): Coerce {
  const known = SCALARS.get(type.name);
  if (known) return known;
  const date = type.name === "DateTime";
  const refusal = new CoercionProblem(
    date ? "must be a date and time in ISO 8601" : "is not valid",
  );
  return (raw) => {
    if (date && typeof raw !== "string" && typeof raw !== "number") return refusal;
    try {
      type.parseValue(raw);
      return raw;
    } catch {
      return refusal;
    }
  };
}

/** Wire names of an enum's values: lower case. */
export function wireValues(type: GraphQLEnumType): string[] {
  return type.getValues().map(({ name }) => name.toLowerCase());
}

function enumeration(type: GraphQLEnumType): Coerce {
  const names = new Set(type.getValues().map(({ name }) => name));
  const refusal = new CoercionProblem(`must be one of ${wireValues(type).join(", ")}`);
  return (raw) => {
    const name = typeof raw === "string" ? raw.toUpperCase() : undefined;
    return name !== undefined && names.has(name) ? name : refusal;
  };
}

/** Splits comma-separated text, trims the parts and drops empty ones. */
function split(raw: unknown): unknown[] {
  if (Array.isArray(raw)) return raw.flatMap(split);
  if (typeof raw !== "string") return [raw];
  return raw
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

function list(item: Coerce, nullable: boolean, csv: boolean): Coerce {
  return (raw) => {
    if (typeof raw === "object" && !Array.isArray(raw)) return LIST;
    const parts = csv ? split(raw) : Array.isArray(raw) ? raw : [raw];
    const values: unknown[] = [];
    for (const part of parts) {
      if (part === null || part === undefined) {
        if (!nullable) return ITEM;
        values.push(null);
        continue;
      }
      const value = item(part);
      if (value instanceof CoercionProblem) return value;
      values.push(value);
    }
    return values;
  };
}

/**
 * Compiles the coercion of a type. The caller checks for a required value itself.
 * @param csv whether a list may be comma-separated text
 * @returns undefined for an input object, which needs a binder
 */
export function compileCoercion(type: GraphQLInputType, csv: boolean): Coerce | undefined {
  if (isNonNullType(type)) return compileCoercion(type.ofType, csv);
  if (isListType(type)) {
    const inner: GraphQLInputType = type.ofType;
    const item = compileCoercion(inner, false);
    return item && list(item, !isNonNullType(inner), csv);
  }
  if (isScalarType(type)) return scalar(type);
  return isEnumType(type) ? enumeration(type) : undefined;
}
