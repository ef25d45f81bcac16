import {
  extendSchema,
  type FieldNode,
  type GraphQLSchema,
  getDirectiveValues,
  type OperationDefinitionNode,
  parse,
  type VariableDefinitionNode,
} from "graphql";

/** The words of the REST documents. There are four directives, and there is no fifth. */
const DIRECTIVES = parse(`
  "The route of an operation."
  directive @rest(
    method: RestMethod!
    "Begins with /; {name} is a parameter of the path."
    path: String!
    "Path into the data, keys joined by dots, to what is answered; all of the data when left out."
    pick: String
    body: RestBody! = JSON
    "Status of a success, 200 or 201."
    status: Int! = 200
  ) on QUERY | MUTATION

  "Where a variable comes from; without it, from the parameter of its name in snake_case."
  directive @param(
    "Name on the wire, as in user[login]."
    name: String
    "Whether a list may arrive as comma-separated text."
    csv: Boolean! = false
    in: RestPlace
    binder: RestBinder
  ) on VARIABLE_DEFINITION

  "When the key is left out: with no argument, when it is null."
  directive @omit(
    "Left out when this sibling is there and truthy."
    when: String
    "Left out unless this sibling is there and truthy."
    unless: String
  ) on FIELD

  "A list as comma-separated text, null when it is empty."
  directive @csv on FIELD

  enum RestMethod { GET POST PUT PATCH DELETE }
  enum RestBody { JSON NONE EMPTY_OBJECT }
  enum RestPlace { HEADER }
  enum RestBinder { FIELD_OPERATORS LEGACY_FILTER }
`);

/** HTTP method of a route. */
export type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a success answers with: the data, no body at all, or `{}`. */
export type RestBody = "JSON" | "NONE" | "EMPTY_OBJECT";

/** A named way to bind a whole input at once (binders.ts). */
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
 * The schema with the four directives, to check documents against. The public schema stays as it is,
 * so that nothing of this shows in introspection.
 */
export function withDirectives(schema: GraphQLSchema): GraphQLSchema {
  return extendSchema(schema, DIRECTIVES);
}

function values(
  schema: GraphQLSchema,
  name: string,
  node: OperationDefinitionNode | VariableDefinitionNode | FieldNode,
): Record<string, unknown> | undefined {
  const directive = schema.getDirective(name);
  return directive ? getDirectiveValues(directive, node) : undefined;
}

/** `@rest` of an operation, checked by validation before. */
export function readRest(
  schema: GraphQLSchema,
  node: OperationDefinitionNode,
): RestDirective | undefined {
  return values(schema, "rest", node) as RestDirective | undefined;
}

/** `@param` of a variable, checked by validation before. */
export function readParam(schema: GraphQLSchema, node: VariableDefinitionNode): ParamDirective {
  return (values(schema, "param", node) as ParamDirective | undefined) ?? { csv: false };
}

/** `@omit` of a selected field, checked by validation before. */
export function readOmit(schema: GraphQLSchema, node: FieldNode): OmitDirective | undefined {
  return values(schema, "omit", node) as OmitDirective | undefined;
}

/** Whether a selected field has `@csv`. */
export function readCsv(schema: GraphQLSchema, node: FieldNode): boolean {
  return values(schema, "csv", node) !== undefined;
}
