import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import { coercer } from "./coerce";
import { type RestBinder, type RestMethod, readParam } from "./directives";
import { takesLegacyFilter } from "./legacy-filter";
import type { Report } from "./rules";

/** Part of a request that a parameter is read from. */
export type Place = "path" | "query" | "body" | "header";

/** A variable of an operation as a parameter of its route. */
export interface RestParameter {
  /** Name of the variable. */
  variable: string;
  /** Name on the wire, as in `user[login]`. */
  wire: string;
  /** The name's segments: `user`, `login`. */
  segments: string[];
  /** Key of its errors, the last segment: `login`. */
  key: string;
  place: Place;
  type: GraphQLInputType;
  required: boolean;
  csv: boolean;
  binder?: RestBinder;
  description?: string;
}

/** `fullName` as `full_name`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const WIRE_NAME = /^[^[\]\s]+(\[[^[\]\s]+\])*$/;
const PROTOTYPE_NAME = /(^|\[)(__proto__|constructor|prototype)($|[[\]])/;

/** The names in braces of a path: `id` of `/users/{id}`. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]{0,64})\}/g)].map((match) => match[1] ?? "");
}

/**
 * Reads the variables of a validated operation as parameters of its route; mistakes go to `report`.
 * @param schema with the directives
 */
export function readParameters(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  route: { method: RestMethod; path: string },
  report: Report,
): RestParameter[] {
  const names = pathNames(route.path);
  const seen = new Set<string>();
  const parameters: RestParameter[] = [];
  for (const node of operation.variableDefinitions ?? []) {
    const variable = node.variable.name.value;
    const type = typeFromAST(schema, node.type);
    if (!isInputType(type)) continue;
    const directive = readParam(schema, node);
    const wire = directive.name ?? snakeCase(variable);
    const { binder, csv } = directive;
    const segments = wire.split(/[[\]]+/).filter(Boolean);
    const place = placeOf(wire, names, directive.in, binder, route.method);
    if (!WIRE_NAME.test(wire) || PROTOTYPE_NAME.test(wire) || segments.length > 6) {
      report(node, `"${wire}" cannot be the name of a parameter`);
    }
    if (!binder && seen.has(`${place} ${wire}`)) {
      report(node, `The parameter "${wire}" is bound twice`);
    }
    seen.add(`${place} ${wire}`);
    checkType(node, type, { csv, binder, place, method: route.method }, report);
    parameters.push({
      variable,
      wire,
      segments,
      key: segments[segments.length - 1] ?? wire,
      place,
      type,
      required: isNonNullType(type) && !node.defaultValue && !binder,
      csv,
      binder,
      description: node.description?.value,
    });
  }
  for (const name of names) {
    if (!seen.has(`path ${name}`))
      report(operation, `No variable is bound to {${name}} of the path`);
  }
  return parameters;
}

function placeOf(
  wire: string,
  names: string[],
  place: "HEADER" | undefined,
  binder: RestBinder | undefined,
  method: RestMethod,
): Place {
  if (place === "HEADER") return "header";
  if (names.includes(wire)) return "path";
  return method === "GET" || binder ? "query" : "body";
}

function checkType(
  node: VariableDefinitionNode,
  type: GraphQLInputType,
  use: { csv: boolean; binder?: RestBinder; place: Place; method: RestMethod },
  report: Report,
): void {
  const inner = getNullableType(type);
  if (use.binder) {
    const fields = isInputObjectType(inner) ? Object.values(inner.getFields()) : [];
    const groups = fields.every((field) => isInputObjectType(getNullableType(field.type)));
    if (use.binder === "FIELD_OPERATORS" && (fields.length === 0 || !groups)) {
      report(node, `The binder ${use.binder} needs an input of groups of operators, not ${type}`);
    }
    if (use.binder === "LEGACY_FILTER" && !takesLegacyFilter(type)) {
      report(
        node,
        `The binder ${use.binder} needs a list of conditions or a direction, not ${type}`,
      );
    }
    if (use.method !== "GET")
      report(node, `The binder ${use.binder} reads queries: the method is GET`);
    if (use.csv || use.place !== "query") report(node, "A binder goes with no other argument");
    return;
  }
  if (!coercer(type, use.csv)) report(node, `A variable of type ${type} needs a binder`);
  if (use.csv && !isListType(inner)) report(node, `csv is for lists, not for ${type}`);
  if (use.place === "path" || use.place === "header") {
    if (isListType(inner) && !use.csv) report(node, `A list cannot stand in a ${use.place}`);
  }
}
