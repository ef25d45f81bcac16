import { type GraphQLSchema, getNullableType, isNonNullType } from "graphql";
import { ERRORS, type ErrorCode } from "../core/errors";
import type { Access } from "../core/viewer";
import type { RestDocument } from "./documents";
import { parametersOf, requestBodyOf, SECURITY_HEADERS, securityOf } from "./openapi-request";
import { type JsonSchema, ResponseSchemas } from "./openapi-schema";
import type { RestParameter } from "./parameters";
import type { SelectedField, Selection } from "./selection";

/** Title, version, description and servers of the OpenAPI document. */
export interface OpenApiInfo {
  title: string;
  /** Version of the API: the package's version. */
  version: string;
  description?: string;
  servers?: Array<{ url: string; description?: string }>;
}

/** {@link OpenApiInfo} of Signalbox. */
export const API_INFO: OpenApiInfo = {
  title: "Signalbox",
  version: "0.1.0",
  description:
    "The REST-compatible API of Signalbox. Each route is an operation of its GraphQL schema. Every path may end in .json.",
};

/** Descriptions of the error responses that are derived from a document. */
const ERROR_TEXTS = {
  MALFORMED: "The request cannot be read.",
  UNAUTHENTICATED: "No valid session, or wrong credentials.",
  FORBIDDEN: "The session lacks permission.",
  NOT_FOUND: "Not found.",
  TOO_LARGE: "The body is too large.",
  INVALID: "A parameter is invalid or a rule is violated; messages by parameter.",
  LIMITED: "Too many requests; Retry-After says when to retry.",
  INTERNAL: "Internal error.",
  UNAVAILABLE: "A dependency of the service is unavailable.",
} satisfies Partial<Record<ErrorCode, string>>;

type Described = keyof typeof ERROR_TEXTS;

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
 * from selection sets, summaries from descriptions. A description line that starts with "Deprecated:" marks
 * the operation as deprecated. A root field whose `access` extension is `public` needs no token.
 */
export function openApi(
  documents: readonly RestDocument[],
  schema: GraphQLSchema,
  info: OpenApiInfo,
): JsonSchema {
  const answers = new ResponseSchemas();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const document of documents) {
    paths[document.path] ??= {};
    const methods = paths[document.path]!;
    methods[document.method.toLowerCase()] = operationOf(document, schema, answers);
  }
  const { servers, ...head } = info;
  return {
    openapi: "3.1.0",
    info: head,
    ...(servers && { servers }),
    paths,
    components: {
      schemas: { ...answers.components, Error: ERROR_SCHEMA },
      responses: Object.fromEntries(
        (Object.keys(ERROR_TEXTS) as Described[]).map((code) => [code, errorResponse(code)]),
      ),
      securitySchemes: Object.fromEntries(
        Object.entries(SECURITY_HEADERS).map(([scheme, name]) => [
          scheme,
          { type: "apiKey", in: "header", name },
        ]),
      ),
    },
  };
}

function errorResponse(code: Described): JsonSchema {
  return {
    description: ERROR_TEXTS[code],
    ...(code === "LIMITED" && {
      headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
    }),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function operationOf(
  document: RestDocument,
  schema: GraphQLSchema,
  answers: ResponseSchemas,
): JsonSchema {
  const [summary, ...rest] = (document.description ?? "").split("\n");
  const description = rest.join("\n").trim();
  const parameters = parametersOf(document, answers.components);
  const requestBody = requestBodyOf(document, answers.components);
  const security = securityFor(document, schema);
  const responses = {
    [document.status]: {
      ...successOf(document, answers),
      ...(security.includes("svcToken") && { headers: EXPIRY_HEADER }),
    },
    ...errorsOf(document, security.includes("svcToken")),
  };
  return {
    operationId: document.name[0]?.toLowerCase() + document.name.slice(1),
    ...(summary && { summary }),
    ...(description && { description }),
    ...(/^Deprecated:/m.test(description) && { deprecated: true }),
    security: security.map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  };
}

/** Security schemes by the bound headers, else by the access that the root fields require. */
function securityFor(document: RestDocument, schema: GraphQLSchema): string[] {
  const bound = document.parameters.flatMap((parameter) => securityOf(parameter) ?? []);
  if (bound.length > 0) return bound;
  const root = document.kind === "query" ? schema.getQueryType() : schema.getMutationType();
  const isPublic = document.selection.fields.every(({ node }) => {
    const { access } = (root?.getFields()[node.name.value]?.extensions ?? {}) as {
      access?: Access;
    };
    return access === "public";
  });
  return isPublic ? [] : ["svcToken"];
}

function successOf(document: RestDocument, answers: ResponseSchemas): JsonSchema {
  if (document.body === "NONE") return { description: "Success; the body is empty." };
  return {
    description: document.status === 201 ? "Created." : "Success.",
    content: {
      "application/json": {
        schema: document.body === "JSON" ? responseSchemaOf(document, answers) : { type: "object" },
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

function errorsOf(document: RestDocument, hasToken: boolean): Record<string, JsonSchema> {
  const codes: Described[] = ["MALFORMED", "LIMITED", "INTERNAL", "UNAVAILABLE"];
  const { parameters, selection } = document;
  const hasSecurityHeader = parameters.some((parameter) => securityOf(parameter) !== undefined);
  // Routes without a session take credentials in the body.
  const hasBody = parameters.some(({ location }) => location === "body");
  if (hasToken || hasSecurityHeader || hasBody) codes.push("UNAUTHENTICATED");
  if (hasToken) codes.push("FORBIDDEN");
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
