import { type GraphQLSchema, getNullableType, isNonNullType } from "graphql";
import { ERRORS, type ErrorCode } from "../core/errors";
import type { Access } from "../core/viewer";
import type { RestDocument } from "./documents";
import { bodyOf, parametersOf, SECURITY_HEADERS, securityOf } from "./openapi-request";
import { AnswerSchemas, type JsonSchema } from "./openapi-schema";
import type { RestParameter } from "./parameters";
import type { SelectedField, Selection } from "./selection";

/** Head of the OpenAPI document. */
export interface OpenApiInfo {
  title: string;
  /** Of the interface; the package's. */
  version: string;
  description?: string;
  servers?: Array<{ url: string; description?: string }>;
}

/** The head that the service itself uses. */
export const API_INFO: OpenApiInfo = {
  title: "Signalbox",
  version: "0.1.0",
  description:
    "The REST-compatible paths of Signalbox. Each is an operation of its GraphQL schema; every path may end in .json.",
};

/** Texts of the errors that can be told from a document. */
const ERROR_TEXTS = {
  MALFORMED: "The request cannot be read.",
  UNAUTHENTICATED: "No valid session, or credentials that are wrong.",
  FORBIDDEN: "The session may not do that.",
  NOT_FOUND: "Not found.",
  TOO_LARGE: "The body is too large.",
  INVALID: "A parameter or a rule; messages by parameter.",
  LIMITED: "Too many requests; Retry-After says when to try again.",
  INTERNAL: "A fault of the service.",
  UNAVAILABLE: "Something that the service needs cannot be reached.",
} satisfies Partial<Record<ErrorCode, string>>;

type Described = keyof typeof ERROR_TEXTS;

const EXPIRY_HEADER: JsonSchema = {
  "Svc-Token-ExpirationDate": {
    description: "When the session ends: YYYY-MM-DD HH:MM:SS UTC.",
    schema: { type: "string" },
  },
};

const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    errors: {
      type: "object",
      description: "Messages by the name of the parameter; base is the request as a whole.",
      additionalProperties: { type: "array", items: { type: "string" } },
    },
  },
  required: ["errors"],
};

/**
 * The OpenAPI 3.1 document of the routes (spec.openapis.org/oas/v3.1.1): parameters from variables,
 * answers from selection sets, summaries from descriptions, where a line that begins with "Deprecated:"
 * marks the operation so. A root field whose `access` extension is
 * `public` asks for no token.
 */
export function openApi(
  documents: readonly RestDocument[],
  schema: GraphQLSchema,
  info: OpenApiInfo,
): JsonSchema {
  const answers = new AnswerSchemas();
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
  answers: AnswerSchemas,
): JsonSchema {
  const [summary, ...rest] = (document.description ?? "").split("\n");
  const description = rest.join("\n").trim();
  const parameters = parametersOf(document, answers.components);
  const requestBody = bodyOf(document, answers.components);
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

/** By the headers that are bound, else by the access that the root fields ask for. */
function securityFor(document: RestDocument, schema: GraphQLSchema): string[] {
  const bound = document.parameters.flatMap((parameter) => securityOf(parameter) ?? []);
  if (bound.length > 0) return bound;
  const root = document.kind === "query" ? schema.getQueryType() : schema.getMutationType();
  const open = document.selection.fields.every(({ node }) => {
    const { access } = (root?.getFields()[node.name.value]?.extensions ?? {}) as {
      access?: Access;
    };
    return access === "public";
  });
  return open ? [] : ["svcToken"];
}

function successOf(document: RestDocument, answers: AnswerSchemas): JsonSchema {
  if (document.body === "NONE") return { description: "Done; the body is empty." };
  return {
    description: document.status === 201 ? "Created." : "Done.",
    content: {
      "application/json": {
        schema: document.body === "JSON" ? answerOf(document, answers) : { type: "object" },
      },
    },
  };
}

function answerOf({ selection, pick }: RestDocument, answers: AnswerSchemas): JsonSchema {
  let place: Selection = selection;
  let field: SelectedField | undefined;
  for (const key of pick) {
    field = place.fields.find((known) => known.key === key);
    place = field?.selection ?? { fields: [] };
  }
  // What is null at the root, or picked and null, is a 404 and never an answer.
  return field ? answers.field(field, true) : answers.object(selection, true);
}

function errorsOf(document: RestDocument, token: boolean): Record<string, JsonSchema> {
  const codes: Described[] = ["MALFORMED", "LIMITED", "INTERNAL", "UNAVAILABLE"];
  const { parameters, selection } = document;
  const key = parameters.some((parameter) => securityOf(parameter) !== undefined);
  // Credentials stand in a header, or in the body of a request that needs no session.
  const credentials = parameters.some(({ place }) => place === "body");
  if (token || key || credentials) codes.push("UNAUTHENTICATED");
  if (token) codes.push("FORBIDDEN");
  const nullable = selection.fields.some(({ type }) => !isNonNullType(type));
  // Whatever a path or an id names may not be there.
  const names = ({ place, type }: RestParameter) =>
    place === "path" || getNullableType(type).toString() === "ID";
  if (nullable || document.method === "PATCH" || parameters.some(names)) codes.push("NOT_FOUND");
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
