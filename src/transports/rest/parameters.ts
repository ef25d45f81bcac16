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
import { compileCoercion } from "./coerce";
import { type RestBinder, type RestMethod, readParam } from "./directives";
import type { Report } from "./document-checks";
import { supportsLegacyFilter } from "./legacy-filter";

/** The part of a request that contains a parameter. */
export type ParameterLocation = "path" | "query" | "body" | "header";

/** A parameter of a route: a variable of its operation. */
export interface RestParameter {
  /** Name of the variable. */
  variable: string;
  /** Wire name, for example `user[login]`. */
  wireName: string;
  /** Segments of the wire name: `user`, `login`. */
  segments: string[];
  /** Key of its errors: the last segment, `login`. */
  key: string;
  location: ParameterLocation;
  type: GraphQLInputType;
  required: boolean;
  csv: boolean;
  binder?: RestBinder;
  description?: string;
}

/** Converts `fullName` to `full_name`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const WIRE_NAME = /^[^[\]\s]+(\[[^[\]\s]+\])*$/;
const PROTOTYPE_NAME = /(^|\[)(__proto__|constructor|prototype)($|[[\]])/;

/** Names of the path parameters: `id` for `/users/{id}`. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]{0,64})\}/g)].map((match) => match[1] ?? "");
}

/**
 * Reads the variables of a validated operation as parameters of its route. Errors go to `report`.
 * @param schema the schema with the REST directives
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
    const wireName = directive.name ?? snakeCase(variable);
    const { binder, csv } = directive;
    const segments = wireName.split(/[[\]]+/).filter(Boolean);
    const location = placeOf(wireName, names, directive.in, binder, route.method);
    if (!WIRE_NAME.test(wireName) || PROTOTYPE_NAME.test(wireName) || segments.length > 6) {
      report(node, `"${wireName}" is not a valid parameter name`);
    }
    if (!binder && seen.has(`${location} ${wireName}`)) {
      report(node, `The parameter "${wireName}" is bound twice`);
    }
    seen.add(`${location} ${wireName}`);
    checkType(node, type, { csv, binder, location, method: route.method }, report);
    parameters.push({
      variable,
      wireName,
      segments,
      key: segments[segments.length - 1] ?? wireName,
      location,
      type,
      required: isNonNullType(type) && !node.defaultValue && !binder,
      csv,
      binder,
      description: node.description?.value,
    });
  }
  for (const name of names) {
    if (!seen.has(`path ${name}`))
      report(operation, `No variable is bound to the path parameter {${name}}`);
  }
  return parameters;
}

function placeOf(
  wireName: string,
  names: string[],
  source: "HEADER" | undefined,
  binder: RestBinder | undefined,
  method: RestMethod,
): ParameterLocation {
  if (source === "HEADER") return "header";
  if (names.includes(wireName)) return "path";
  return method === "GET" || binder ? "query" : "body";
}

function checkType(
  node: VariableDefinitionNode,
  type: GraphQLInputType,
  use: { csv: boolean; binder?: RestBinder; location: ParameterLocation; method: RestMethod },
  report: Report,
): void {
  const inner = getNullableType(type);
  if (use.binder) {
    const fields = isInputObjectType(inner) ? Object.values(inner.getFields()) : [];
    const groups = fields.every((field) => isInputObjectType(getNullableType(field.type)));
    if (use.binder === "FIELD_OPERATORS" && (fields.length === 0 || !groups)) {
      report(node, `The binder ${use.binder} needs an input with operators per field, not ${type}`);
    }
    if (use.binder === "LEGACY_FILTER" && !supportsLegacyFilter(type)) {
      report(
        node,
        `The binder ${use.binder} needs a list of conditions or a sort order, not ${type}`,
      );
    }
    if (use.method !== "GET") report(node, `The binder ${use.binder} requires the method GET`);
    if (use.csv || use.location !== "query")
      report(node, "A binder cannot be combined with other arguments");
    return;
  }
  if (!compileCoercion(type, use.csv)) report(node, `A variable of type ${type} needs a binder`);
  if (use.csv && !isListType(inner)) report(node, `csv requires a list, not ${type}`);
  if (use.location === "path" || use.location === "header") {
    if (isListType(inner) && !use.csv) report(node, `A list is not supported in a ${use.location}`);
  }
}
