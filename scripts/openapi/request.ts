import { getNullableType, isInputObjectType, isListType, isNonNullType } from "graphql";
import type { RestDocument } from "../../src/transports/rest/documents";
import { type RestParameter, snakeCase } from "../../src/transports/rest/parameters";
import { type OperationExample, parameterExample } from "./examples";
import { bodySchema, inputSchema, type JsonSchema, orNull } from "./schema";

/** How OpenAPI describes the authentication of requests, by the scheme's name. */
export const SECURITY_SCHEMES = {
  accountKey: {
    type: "apiKey",
    in: "header",
    name: "Svc-Account-Key",
    description: "The key of the account, shown in the details of each of its applications.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "Svc-Api-Key",
    description: "An API key of the application, for its backend; never in a page or an app.",
  },
  svcToken: {
    type: "apiKey",
    in: "header",
    name: "Svc-Token",
    description: "The token of a session, from POST /session.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The same token in the standard header. Svc-Token takes precedence.",
  },
} as const;

/** Name of a security scheme. */
export type SecurityScheme = keyof typeof SECURITY_SCHEMES;

/** The security scheme of a header parameter, if it has one. */
export function securityOf({ location, wireName }: RestParameter): SecurityScheme | undefined {
  if (location !== "header") return undefined;
  const wanted = wireName.toLowerCase();
  return (["svcToken", "accountKey"] as const).find(
    (scheme) => SECURITY_SCHEMES[scheme].name.toLowerCase() === wanted,
  );
}

/**
 * OpenAPI parameters of the path, the query and headers.
 * @param pathNames names of path parameters in OpenAPI, by wire name, if they differ
 */
export function parametersOf(
  document: RestDocument,
  pathNames: ReadonlyMap<string, string>,
  example: OperationExample = {},
): JsonSchema[] {
  const described = document.parameters.flatMap((parameter): OpenApiParameter[] => {
    if (parameter.location === "body" || securityOf(parameter)) return [];
    if (parameter.binder === "FIELD_OPERATORS") return filterParameters(parameter);
    if (parameter.binder === "LEGACY_FILTER") return [legacyParameter(parameter)];
    const { location, wireName, csv, type, description } = parameter;
    return [
      {
        name: wireName,
        in: location,
        ...(description && { description }),
        ...((parameter.required || location === "path") && { required: true }),
        schema: inputSchema(type, csv),
      },
    ];
  });
  return described.map((parameter) => {
    const text = example.parameters?.[parameter.name];
    return {
      ...parameter,
      name: (parameter.in === "path" && pathNames.get(parameter.name)) || parameter.name,
      ...(text !== undefined && { example: parameterExample(parameter.schema, text) }),
    };
  });
}

interface OpenApiParameter extends JsonSchema {
  name: string;
  in: string;
  schema: JsonSchema;
}

/**
 * Parameters of FIELD_OPERATORS, one per field and operator: `login`, `login[in][]`, `login[start_with]`. Clients
 * generated from OpenAPI send them as they are; few can send the brackets of a deepObject. A field's `operators`
 * extension lists those that it takes; without it, it takes all of its type.
 */
function filterParameters({ type }: RestParameter): OpenApiParameter[] {
  const input = getNullableType(type);
  if (!isInputObjectType(input)) return [];
  return Object.values(input.getFields()).flatMap((field) => {
    const group = getNullableType(field.type);
    if (!isInputObjectType(group)) return [];
    const { operators } = field.extensions as { operators?: string[] };
    return Object.values(group.getFields())
      .filter(({ name }) => operators?.includes(name) ?? true)
      .map((operator) => {
        const name = snakeCase(field.name);
        const list = isListType(getNullableType(operator.type));
        const suffix = `[${snakeCase(operator.name)}]${list ? "[]" : ""}`;
        const description = [field.description, operator.description].filter(Boolean).join(" ");
        return {
          name: operator.name === "eq" ? name : `${name}${suffix}`,
          in: "query",
          ...(description && { description }),
          ...(list && REPEATED),
          schema: inputSchema(operator.type, false),
        };
      });
  });
}

/** A list is sent as one parameter per item. This is OpenAPI's default, which some generators ignore. */
const REPEATED = { style: "form", explode: true };

/** Parameter of LEGACY_FILTER: a text in the filter language, or a list of them. */
function legacyParameter({ wireName, type, description }: RestParameter): OpenApiParameter {
  const list = isListType(getNullableType(type));
  return {
    name: list ? `${wireName}[]` : wireName,
    in: "query",
    ...(description && { description }),
    ...(list && REPEATED),
    schema: list ? { type: "array", items: { type: "string" } } : { type: "string" },
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
  example: OperationExample = {},
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
      "application/json": {
        schema,
        ...(example.request !== undefined && { example: example.request }),
      },
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
