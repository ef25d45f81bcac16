import { type GraphQLInputObjectType, getNullableType, isInputObjectType } from "graphql";
import type { FieldErrors } from "../../core/errors";
import { type Coerce, CoercionProblem, compileCoercion } from "./coerce";
import type { Fields } from "./form";
import { compileLegacyFilter } from "./legacy-filter";
import { type RestParameter, snakeCase } from "./parameters";

/**
 * Reads a variable from a query: FIELD_OPERATORS from all parameters that no other variable uses,
 * LEGACY_FILTER from the parameter of its name. Adds problems to `errors` by the parameter's name.
 * @returns undefined if nothing was sent
 */
export type Binder = (
  query: Fields | undefined,
  named: ReadonlySet<string>,
  errors: FieldErrors,
) => unknown;

interface Operator {
  name: string;
  coerce: Coerce;
}

interface Filter {
  name: string;
  /** By wire name, for example `start_with`. */
  operators: ReadonlyMap<string, Operator>;
}

/**
 * FIELD_OPERATORS: `<field>=<value>` is the operator `eq`, `<field>[<operator>]=<value>` any other. A list
 * operator takes a repeated `<field>[in][]=<value>`, or one value. Fields and operators are those of the
 * input type, in snake_case; other names are rejected.
 */
function fieldOperators(type: GraphQLInputObjectType): Binder {
  const filters = readFilters(type);
  const names = [...filters.keys()].join(", ");
  return (query, named, errors) => {
    const bound: Record<string, unknown> = {};
    for (const [wire, raw] of Object.entries(query ?? {})) {
      if (named.has(wire)) continue;
      const filter = filters.get(wire);
      if (!filter) {
        errors[wire] = [`is not a parameter; the fields to filter by are ${names}`];
        continue;
      }
      const { values, problems } = readOperators(filter, raw);
      if (problems.length > 0) errors[wire] = problems;
      bound[filter.name] = values;
    }
    return bound;
  };
}

function readFilters(type: GraphQLInputObjectType): ReadonlyMap<string, Filter> {
  const filters = new Map<string, Filter>();
  for (const field of Object.values(type.getFields())) {
    const group = getNullableType(field.type);
    if (!isInputObjectType(group)) continue;
    const operators = new Map<string, Operator>();
    for (const { name, type: value } of Object.values(group.getFields())) {
      const coerce = compileCoercion(value, false);
      if (coerce) operators.set(snakeCase(name), { name, coerce });
    }
    filters.set(snakeCase(field.name), { name: field.name, operators });
  }
  return filters;
}

function readOperators(
  filter: Filter,
  raw: unknown,
): { values: Record<string, unknown>; problems: string[] } {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const isGroup = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  for (const [wire, value] of isGroup ? Object.entries(raw) : [["eq", raw] as const]) {
    const operator = filter.operators.get(wire);
    if (!operator) {
      const known = [...filter.operators.keys()].join(", ");
      problems.push(`has no operator "${wire}"; the operators are ${known}`);
      continue;
    }
    const coerced = operator.coerce(value);
    if (coerced instanceof CoercionProblem)
      problems.push(isGroup ? `[${wire}] ${coerced.text}` : coerced.text);
    else values[operator.name] = coerced;
  }
  return { values, problems };
}

/** Compiles the binder of a parameter. @throws TypeError if the type does not fit */
export function compileBinder(parameter: RestParameter): Binder {
  if (parameter.binder === "LEGACY_FILTER") {
    const read = compileLegacyFilter(parameter.type);
    return (query, _named, errors) => read(query?.[parameter.wireName], parameter.key, errors);
  }
  const type = getNullableType(parameter.type);
  if (!isInputObjectType(type)) throw new TypeError(`${type} is not an input object`);
  return fieldOperators(type);
}
