import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from "graphql";
import type { FieldErrors } from "../../core/errors";
import { type Coerce, CoercionProblem, compileCoercion, wireValues } from "./coerce";

/** Parses a parameter in the filter language. Adds problems to `errors` by its name. */
export type ParseLegacy = (raw: unknown, name: string, errors: FieldErrors) => unknown;

/** Data types of the language, and the input field that takes their values. */
const DATA_TYPES = new Map([
  ["number", "numbers"],
  ["integer", "numbers"],
  ["string", "strings"],
  ["date", "dates"],
]);
/** Operators with several comma-separated values. */
const LIST_OPERATORS: ReadonlySet<string> = new Set(["in", "between"]);
/** The start of a condition, up to its value. */
const CONDITION_START = /^(\w+) +\w+ +(\w+) /;
/** Maximum number of conditions of a parameter. */
const CONDITIONS_MAX = 100;

/**
 * LEGACY_FILTER: the language of the V1 user list (GET /users, schema/rest/users.graphql). For a list of
 * inputs with `field`, `operator` and one list per data type, it reads `filter[]=number id gt 1`. For an
 * input with `direction` and `field`, it reads `order=asc number id`. Fields and operators are the values of
 * the enums.
 */
export function compileLegacyFilter(type: GraphQLInputType): ParseLegacy {
  const input = getNullableType(type);
  if (isListType(input)) return readConditions(objectOf(input.ofType));
  return readOrder(objectOf(input));
}

/** Whether the language can produce values of a type. */
export function supportsLegacyFilter(type: GraphQLInputType): boolean {
  const input = getNullableType(type);
  const object = getNullableType(isListType(input) ? input.ofType : input);
  if (!isInputObjectType(object)) return false;
  const fields = object.getFields();
  const needed = isListType(input) ? ["field", "operator"] : ["field", "direction"];
  const lists = isListType(input) ? DATA_TYPES.values() : [];
  return (
    needed.every((name) => fields[name] && isEnumType(getNullableType(fields[name].type))) &&
    [...lists].every((name) => fields[name] && isListType(getNullableType(fields[name].type)))
  );
}

function objectOf(type: GraphQLInputType): GraphQLInputObjectType {
  const object = getNullableType(type);
  if (!isInputObjectType(object)) throw new TypeError(`${type} is not an input object`);
  return object;
}

/** Names of an enum's values by wire name. */
function namesByWire(input: GraphQLInputObjectType, field: string): ReadonlyMap<string, string> {
  const type = getNullableType(input.getFields()[field]?.type);
  if (!isEnumType(type)) throw new TypeError(`${input}.${field} is not an enum`);
  return new Map(wireValues(type).map((wire) => [wire, wire.toUpperCase()]));
}

function readConditions(input: GraphQLInputObjectType): ParseLegacy {
  const fields = namesByWire(input, "field");
  const operators = namesByWire(input, "operator");
  const lists = new Map<string, Coerce>();
  for (const name of DATA_TYPES.values()) {
    const type = input.getFields()[name]?.type;
    const coerce = type && compileCoercion(type, false);
    if (coerce) lists.set(name, coerce);
  }

  /** A comma ends a condition only if the start of another one follows. Otherwise it belongs to the value. */
  const split = (text: string): string[] => {
    const conditions: string[] = [];
    for (const part of text.split(",")) {
      const trimmed = part.trimStart();
      const [, dataType = "", operator = ""] = CONDITION_START.exec(trimmed) ?? [];
      if (conditions.length === 0) conditions.push(part);
      else if (DATA_TYPES.has(dataType) && operators.has(operator)) conditions.push(trimmed);
      else conditions.push(`${conditions.pop()},${part}`);
    }
    return conditions;
  };

  const read = (text: string): Record<string, unknown> | string => {
    const match = /^ *(\S+) +(\S+) +(\S+) (.*)$/s.exec(text);
    if (!match) return "must be a data type, a field, an operator and a value, separated by spaces";
    const [, dataType = "", field = "", operator = "", value = ""] = match;
    const list = DATA_TYPES.get(dataType);
    if (!list) return `has an unknown data type; the data types are ${known(DATA_TYPES)}`;
    if (!fields.has(field)) return `has an unknown field; the fields are ${known(fields)}`;
    if (!operators.has(operator))
      return `has an unknown operator; the operators are ${known(operators)}`;
    const values = LIST_OPERATORS.has(operator)
      ? value
          .split(",")
          .map((part) => part.trim())
          .filter(Boolean)
      : [list === "strings" ? value : value.trim()];
    const coerced = lists.get(list)?.(values);
    if (coerced instanceof CoercionProblem) return `the value ${coerced.text}`;
    return { field: fields.get(field), operator: operators.get(operator), [list]: coerced };
  };

  return (raw, name, errors) => {
    if (raw === undefined) return undefined;
    const texts = textsOf(raw, operators);
    if (typeof texts === "string") {
      errors[name] = [texts];
      return undefined;
    }
    const conditions = texts.flatMap(split);
    const values = conditions.map(read);
    const problems = values.flatMap((value, index) =>
      typeof value === "string" ? [`condition ${index + 1}: ${value}`] : [],
    );
    if (problems.length > 0) errors[name] = problems.slice(0, 10);
    return values;
  };
}

/** The texts of `filter[]=…`, `filter[gt]=…` and `filter=…`, or the problem with them as a string. */
function textsOf(raw: unknown, operators: ReadonlyMap<string, string>): string[] | string {
  const isGroup = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  const texts: string[] = [];
  for (const [key, value] of isGroup ? Object.entries(raw) : [["", raw] as const]) {
    // If filter[] and filter[gt] are mixed, items of filter[] have numeric keys.
    if (isGroup && !/^\d*$/.test(key) && !operators.has(key)) {
      return `has no operator of that name; the operators are ${known(operators)}`;
    }
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text !== "string") return "must be text, or a list of texts";
      texts.push(text);
    }
  }
  return texts.length > CONDITIONS_MAX ? `takes ${CONDITIONS_MAX} conditions at most` : texts;
}

function readOrder(input: GraphQLInputObjectType): ParseLegacy {
  const fields = namesByWire(input, "field");
  const directions = namesByWire(input, "direction");
  return (raw, name, errors) => {
    if (raw === undefined) return undefined;
    const refuse = (text: string) => {
      errors[name] = [text];
    };
    if (typeof raw !== "string") return refuse("must be text");
    const [direction = "", dataType = "", field = "", ...rest] = raw.trim().split(/ +/);
    if (!directions.has(direction)) return refuse(`must begin with ${known(directions, " or ")}`);
    if (!DATA_TYPES.has(dataType))
      return refuse(`has an unknown data type; the data types are ${known(DATA_TYPES)}`);
    if (!fields.has(field) || rest.length > 0)
      return refuse(`has an unknown field; the fields are ${known(fields)}`);
    return { field: fields.get(field), direction: directions.get(direction) };
  };
}

function known(map: ReadonlyMap<string, unknown>, separator = ", "): string {
  return [...map.keys()].join(separator);
}
