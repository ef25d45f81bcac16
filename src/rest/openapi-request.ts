import {
  type GraphQLInputObjectType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import type { RestDocument } from "./documents";
import { bodySchema, inputSchema, type JsonSchema, orNull } from "./openapi-schema";
import { type RestParameter, snakeCase } from "./parameters";

/** Header parameters that OpenAPI describes as security schemes, by the scheme's name. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  svcToken: "Svc-Token",
  accountKey: "Svc-Account-Key",
};

/** The security scheme of a header parameter, if it has one. */
export function securityOf({ location, wireName }: RestParameter): string | undefined {
  if (location !== "header") return undefined;
  const name = wireName.toLowerCase();
  return Object.keys(SECURITY_HEADERS).find(
    (scheme) => SECURITY_HEADERS[scheme]?.toLowerCase() === name,
  );
}

/**
 * OpenAPI parameters of the path, the query and headers.
 * @param components receives the schemas of operators, by the names of their input types
 */
export function parametersOf(
  document: RestDocument,
  components: Record<string, JsonSchema>,
): JsonSchema[] {
  return document.parameters.flatMap((parameter) => {
    if (parameter.location === "body" || securityOf(parameter)) return [];
    if (parameter.binder === "FIELD_OPERATORS") return filterParameters(parameter, components);
    if (parameter.binder === "LEGACY_FILTER") return [legacyParameter(parameter)];
    const { location, wireName, csv, type, description } = parameter;
    return {
      name: wireName,
      in: location,
      ...(description && { description }),
      ...((parameter.required || location === "path") && { required: true }),
      schema: inputSchema(type, csv),
    };
  });
}

/** Parameters of FIELD_OPERATORS: for each field a value, or an object of operators (`id[gt]=1`). */
function filterParameters(
  { type }: RestParameter,
  components: Record<string, JsonSchema>,
): JsonSchema[] {
  const input = getNullableType(type);
  if (!isInputObjectType(input)) return [];
  return Object.values(input.getFields()).flatMap((field) => {
    const group = getNullableType(field.type);
    if (!isInputObjectType(group)) return [];
    components[group.name] ??= operatorsSchema(group);
    const operators = { $ref: `#/components/schemas/${group.name}` };
    const equal = group.getFields().eq;
    const name = snakeCase(field.name);
    const syntax = `${name}=value, or ${name}[operator]=value; lists as repeated ${name}[in][]=value.`;
    return {
      name,
      in: "query",
      description: field.description ? `${field.description} ${syntax}` : syntax,
      style: "deepObject",
      explode: true,
      schema: equal ? { anyOf: [inputSchema(equal.type, false), operators] } : operators,
    };
  });
}

/** Parameter of LEGACY_FILTER: a text in the filter language, or a list of them. */
function legacyParameter({ wireName, type, description }: RestParameter): JsonSchema {
  const list = isListType(getNullableType(type));
  return {
    name: list ? `${wireName}[]` : wireName,
    in: "query",
    ...(description && { description }),
    schema: list ? { type: "array", items: { type: "string" } } : { type: "string" },
  };
}

function operatorsSchema(group: GraphQLInputObjectType): JsonSchema {
  const operators = Object.values(group.getFields()).map(({ name, type, description }) => [
    snakeCase(name),
    { ...inputSchema(type, false), ...(description && { description }) },
  ]);
  return {
    type: "object",
    ...(group.description && { description: group.description }),
    additionalProperties: false,
    properties: Object.fromEntries(operators),
  };
}

interface Group {
  properties: Map<string, Group | RestParameter>;
}

/**
 * OpenAPI request body, as JSON and as a form.
 * @param components receives the schema that both share, by the operation's name
 * @returns undefined if the route has no body parameters
 */
export function requestBodyOf(
  document: RestDocument,
  components: Record<string, JsonSchema>,
): JsonSchema | undefined {
  const parameters = document.parameters.filter(({ location }) => location === "body");
  if (parameters.length === 0) return undefined;
  const root: Group = { properties: new Map() };
  for (const parameter of parameters) {
    let group = root;
    for (const segment of parameter.segments.slice(0, -1)) {
      const known = group.properties.get(segment);
      const inner: Group = known && "properties" in known ? known : { properties: new Map() };
      group.properties.set(segment, inner);
      group = inner;
    }
    group.properties.set(parameter.key, parameter);
  }
  const name = `${document.name}Request`;
  components[name] = groupSchema(root);
  const schema = { $ref: `#/components/schemas/${name}` };
  const nested = [...root.properties].flatMap(([name, value]) =>
    "properties" in value ? [[name, { style: "deepObject", explode: true }]] : [],
  );
  return {
    ...(parameters.some(({ required }) => required) && { required: true }),
    content: {
      "application/json": { schema },
      "application/x-www-form-urlencoded": {
        schema,
        ...(nested.length > 0 && { encoding: Object.fromEntries(nested) }),
      },
    },
  };
}

function isRequired(value: Group | RestParameter): boolean {
  return "properties" in value ? [...value.properties.values()].some(isRequired) : value.required;
}

function groupSchema({ properties }: Group): JsonSchema {
  const entries = [...properties];
  const required = entries.filter(([, value]) => isRequired(value)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        "properties" in value ? groupSchema(value) : parameterSchema(value),
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function parameterSchema({ type, csv, description }: RestParameter): JsonSchema {
  const schema = bodySchema(type, csv);
  return {
    ...(isNonNullType(type) ? schema : orNull(schema)),
    ...(description && { description }),
  };
}
