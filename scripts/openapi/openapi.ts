import { type GraphQLSchema, getNullableType, isNonNullType } from "graphql";
import { ERRORS, type ErrorCode, type FieldErrors, NO_SESSION } from "../../src/core/errors";
import { packageVersion } from "../../src/core/package-root";
import type { AllowedCallers } from "../../src/core/viewer";
import type { RestDocument } from "../../src/transports/rest/documents";
import type { RestParameter } from "../../src/transports/rest/parameters";
import type { SelectedField, Selection } from "../../src/transports/rest/selection";
import type { Examples, OperationExample } from "./examples";
import { type OpenApiPath, openApiPaths } from "./paths";
import {
  parametersOf,
  requestBodyOf,
  SECURITY_SCHEMES,
  type SecurityScheme,
  securityOf,
} from "./request";
import { type JsonSchema, ResponseSchemas } from "./schema";

/** What the OpenAPI document says about the API as a whole. */
export interface OpenApiInfo {
  title: string;
  /** Version of the API: the package's version. */
  version: string;
  summary?: string;
  description?: string;
  license?: { name: string; identifier: string };
  servers?: Array<{ url: string; description?: string }>;
}

/** {@link OpenApiInfo} of Signalbox. */
export const API_INFO: OpenApiInfo = {
  title: "Signalbox",
  version: packageVersion(),
  summary: "Users, push notifications and calls.",
  description: `The REST-compatible API of Signalbox. Each route is an operation of its GraphQL schema (/schema.graphql).

A request needs the token of a session, in the header Svc-Token or as a bearer token. POST /session creates a session from a signed request; on the server, \`npx signalbox token\` prints a token.

Bodies are JSON or forms with brackets in names (user[login]). Every path may end in .json.`,
  license: { name: "MIT", identifier: "MIT" },
  servers: [{ url: "/", description: "This server." }],
};

/** Descriptions of the error responses that are derived from a document, each with an example. */
const ERROR_RESPONSES = {
  MALFORMED: ["The request cannot be read.", { base: ["The body is not valid JSON"] }],
  UNAUTHENTICATED: ["No valid session, or wrong credentials.", { base: [NO_SESSION] }],
  FORBIDDEN: [
    "The session lacks permission.",
    { base: ["A session with a user is needed: sign in by POST /login or the mutation login"] },
  ],
  NOT_FOUND: ["Not found.", { base: ["Not found"] }],
  TOO_LARGE: ["The body is too large.", { base: ["The body is too large"] }],
  INVALID: [
    "A parameter is invalid or a rule is violated; messages by parameter.",
    { login: ["has already been taken"] },
  ],
  LIMITED: [
    "Too many requests; Retry-After says when to retry.",
    { base: ["Too many requests; try again in 60 s"] },
  ],
  INTERNAL: ["Internal error.", { base: ["Internal server error"] }],
  UNAVAILABLE: [
    "A dependency of the service is unavailable.",
    { base: ["The server is overloaded"] },
  ],
} satisfies Partial<Record<ErrorCode, [text: string, errors: FieldErrors]>>;

type Described = keyof typeof ERROR_RESPONSES;

const EXPIRY_HEADER: JsonSchema = {
  "Svc-Token-ExpirationDate": {
    description: "When the session expires: YYYY-MM-DD HH:MM:SS UTC.",
    schema: { type: "string" },
  },
};

const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    errors: {
      type: "object",
      description: "Messages by parameter name; base stands for the request as a whole.",
      additionalProperties: { type: "array", items: { type: "string" } },
    },
  },
  required: ["errors"],
};

/**
 * The OpenAPI 3.1 document of the routes (spec.openapis.org/oas/v3.1.1): parameters from variables, responses
 * from selection sets, summaries from descriptions, tags from files. A description line that starts with
 * "Deprecated:" marks the operation as deprecated. A root field that is `public` needs no token.
 */
export function openApi(
  documents: readonly RestDocument[],
  schema: GraphQLSchema,
  info: OpenApiInfo,
  examples: Examples = {},
): JsonSchema {
  const answers = new ResponseSchemas();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const tags = new Map(documents.map(({ tag }) => [tag.name, tag]));
  const first = new Set(
    documents
      .filter((document) => securityFor(document, schema).length === 0)
      .map(({ tag }) => tag.name),
  );
  for (const [document, place] of openApiPaths(documents)) {
    paths[place.path] ??= {};
    const methods = paths[place.path]!;
    const example = examples[document.name] ?? {};
    methods[document.method.toLowerCase()] = operationOf(document, place, schema, answers, example);
  }
  const { servers, ...head } = info;
  return {
    openapi: "3.1.0",
    info: head,
    ...(servers && { servers }),
    // Clients start with operations that need no token.
    tags: [...tags.values()].sort((a, b) => Number(first.has(b.name)) - Number(first.has(a.name))),
    paths,
    components: {
      schemas: { ...answers.components, Error: ERROR_SCHEMA },
      responses: Object.fromEntries(
        (Object.keys(ERROR_RESPONSES) as Described[]).map((code) => [code, errorResponse(code)]),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function errorResponse(code: Described): JsonSchema {
  const [description, errors] = ERROR_RESPONSES[code];
  return {
    description,
    ...(code === "LIMITED" && {
      headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
    }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        example: { errors },
      },
    },
  };
}

function operationOf(
  document: RestDocument,
  { names }: OpenApiPath,
  schema: GraphQLSchema,
  answers: ResponseSchemas,
  example: OperationExample,
): JsonSchema {
  const [summary, ...rest] = (document.description ?? "").split("\n");
  const description = rest.join("\n").trim();
  const parameters = parametersOf(document, names, example);
  const requestBody = requestBodyOf(document, answers.components, example);
  const security = securityFor(document, schema);
  const responses = {
    [document.status]: {
      ...successOf(document, answers, example),
      ...(security.includes("svcToken") && { headers: EXPIRY_HEADER }),
    },
    ...errorsOf(document, security),
  };
  return {
    operationId: document.name[0]?.toLowerCase() + document.name.slice(1),
    tags: [document.tag.name],
    ...(summary && { summary }),
    ...(description && { description }),
    ...(/^Deprecated:/m.test(description) && { deprecated: true }),
    // A JWT in the body replaces the API key.
    security: security.flatMap((scheme): object[] =>
      scheme === "apiKey" ? [{ apiKey: [] }, {}] : [{ [scheme]: [] }],
    ),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  };
}

/**
 * Alternative security schemes, by the bound headers, else by the callers that the root fields allow. Empty if the
 * operation needs none.
 */
function securityFor(document: RestDocument, schema: GraphQLSchema): SecurityScheme[] {
  const bound = document.parameters.flatMap((parameter) => securityOf(parameter) ?? []);
  if (bound.length > 0) return bound;
  const root = document.kind === "query" ? schema.getQueryType() : schema.getMutationType();
  const extensions = document.selection.fields.map(
    ({ node }) =>
      (root?.getFields()[node.name.value]?.extensions ?? {}) as {
        allowed?: Pick<AllowedCallers, "client">;
        keyScope?: AllowedCallers["keyScope"];
      },
  );
  if (!extensions.every(({ allowed }) => allowed?.client === "public"))
    return ["svcToken", "bearer"];
  return extensions.some(({ keyScope }) => keyScope) ? ["apiKey"] : [];
}

function successOf(
  document: RestDocument,
  answers: ResponseSchemas,
  { response }: OperationExample,
): JsonSchema {
  if (document.body === "NONE") return { description: "Success; the body is empty." };
  return {
    description: document.status === 201 ? "Created." : "Success.",
    content: {
      "application/json": {
        schema: document.body === "JSON" ? responseSchemaOf(document, answers) : { type: "object" },
        ...(response !== undefined && { example: response }),
      },
    },
  };
}

function responseSchemaOf({ selection, pick }: RestDocument, answers: ResponseSchemas): JsonSchema {
  let current: Selection = selection;
  let field: SelectedField | undefined;
  for (const key of pick) {
    field = current.fields.find((candidate) => candidate.key === key);
    current = field?.selection ?? { fields: [] };
  }
  // Null at the root or at the picked key is a 404, so it never appears in a success.
  return field ? answers.field(field, true) : answers.object(selection, true);
}

function errorsOf(
  document: RestDocument,
  security: readonly SecurityScheme[],
): Record<string, JsonSchema> {
  const hasToken = security.includes("svcToken");
  const codes: Described[] = ["MALFORMED", "LIMITED", "INTERNAL", "UNAVAILABLE"];
  const { parameters, selection } = document;
  const hasSecurityHeader = parameters.some((parameter) => securityOf(parameter) !== undefined);
  // Routes without a session take credentials in the body.
  const hasBody = parameters.some(({ location }) => location === "body");
  if (hasToken || hasSecurityHeader || hasBody) codes.push("UNAUTHENTICATED");
  if (hasToken || security.includes("apiKey")) codes.push("FORBIDDEN");
  const nullable = selection.fields.some(({ type }) => !isNonNullType(type));
  // A path parameter or id may refer to something that does not exist.
  const refers = ({ location, type }: RestParameter) =>
    location === "path" || getNullableType(type).toString() === "ID";
  if (nullable || document.method === "PATCH" || parameters.some(refers)) codes.push("NOT_FOUND");
  if (parameters.length > 0) codes.push("INVALID");
  if (document.method !== "GET") codes.push("TOO_LARGE");
  return Object.fromEntries(
    codes
      .map((code): [string, JsonSchema] => [
        String(ERRORS[code].http),
        { $ref: `#/components/responses/${code}` },
      ])
      .sort(([a], [b]) => a.localeCompare(b)),
  );
}
