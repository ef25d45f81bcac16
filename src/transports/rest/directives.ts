import {
  buildSchema,
  type FieldNode,
  GraphQLSchema,
  getDirectiveValues,
  isSpecifiedDirective,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from "graphql";

/** The directives of the REST documents. There are four, by design. */
const DIRECTIVES = buildSchema(`
  "The route of an operation."
  directive @rest(
    method: RestMethod!
    "Starts with /; {name} is a path parameter."
    path: String!
    "Path of keys, joined by dots, to the part of the data that is the response body; all data by default."
    pick: String
    body: RestBody! = JSON
    "Status code of a success, 200 or 201."
    status: Int! = 200
  ) on QUERY | MUTATION

  "The source of a variable; by default, the parameter of its name in snake_case."
  directive @param(
    "Wire name, for example user[login]."
    name: String
    "Whether a list may be comma-separated text."
    csv: Boolean! = false
    in: RestPlace
    binder: RestBinder
  ) on VARIABLE_DEFINITION

  "Omits the key from the response: without arguments, if its value is null."
  directive @omit(
    "Omitted if this sibling is present and truthy."
    when: String
    "Omitted unless this sibling is present and truthy."
    unless: String
  ) on FIELD

  "Writes a list as comma-separated text, or null if it is empty."
  directive @csv on FIELD

  enum RestMethod { GET POST PUT PATCH DELETE }
  enum RestBody { JSON NONE EMPTY_OBJECT }
  enum RestPlace { HEADER }
  enum RestBinder { FIELD_OPERATORS LEGACY_FILTER }
`)
  .getDirectives()
  .filter((directive) => !isSpecifiedDirective(directive));

/** HTTP method of a route. */
export type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Response body of a success: the data, none, or `{}`. */
export type RestBody = "JSON" | "NONE" | "EMPTY_OBJECT";

/** A named binder of a whole input object (binders.ts). */
export type RestBinder = "FIELD_OPERATORS" | "LEGACY_FILTER";

/** Arguments of `@rest`. */
export interface RestDirective {
  method: RestMethod;
  path: string;
  pick?: string;
  body: RestBody;
  status: number;
}

/** Arguments of `@param`. */
export interface ParamDirective {
  name?: string;
  csv: boolean;
  in?: "HEADER";
  binder?: RestBinder;
}

/** Arguments of `@omit`. */
export interface OmitDirective {
  when?: string;
  unless?: string;
}

/**
 * A schema of the same types with the four directives, for validating documents. The given schema is unchanged, so
 * introspection does not show them.
 */
export function withDirectives(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...DIRECTIVES] });
}

function values(
  schema: GraphQLSchema,
  name: string,
  node: OperationDefinitionNode | VariableDefinitionNode | FieldNode,
): Record<string, unknown> | undefined {
  const directive = schema.getDirective(name);
  return directive ? getDirectiveValues(directive, node) : undefined;
}

/** The `@rest` directive of a validated operation. */
export function readRest(
  schema: GraphQLSchema,
  node: OperationDefinitionNode,
): RestDirective | undefined {
  return values(schema, "rest", node) as RestDirective | undefined;
}

/** The `@param` directive of a validated variable. */
export function readParam(schema: GraphQLSchema, node: VariableDefinitionNode): ParamDirective {
  return (values(schema, "param", node) as ParamDirective | undefined) ?? { csv: false };
}

/** The `@omit` directive of a validated field. */
export function readOmit(schema: GraphQLSchema, node: FieldNode): OmitDirective | undefined {
  return values(schema, "omit", node) as OmitDirective | undefined;
}

/** Whether a selected field has `@csv`. */
export function readCsv(schema: GraphQLSchema, node: FieldNode): boolean {
  return values(schema, "csv", node) !== undefined;
}
