import { readFileSync } from "node:fs";
import { join } from "node:path";
import { API_INFO, openApi } from "../../scripts/openapi/openapi";
import type { JsonSchema } from "../../scripts/openapi/schema";
import { restSchema } from "../../src/transports/graphql/schema";
import { readDocuments } from "../../src/transports/rest/documents";
import { compileResponse } from "../../src/transports/rest/response";
import { FILES, SEARCH, sampleSchema } from "../support/rest/rest-sample";

interface Operation {
  operationId: string;
  summary?: string;
  deprecated?: boolean;
  description?: string;
  security: JsonSchema[];
  tags: string[];
  parameters?: Array<{
    name: string;
    in: string;
    required?: boolean;
    schema: JsonSchema;
    example?: unknown;
  }>;
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: JsonSchema }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  tags: Array<{ name: string; description?: string }>;
  components: Record<"schemas" | "responses" | "securitySchemes", Record<string, JsonSchema>>;
}

const schema = sampleSchema();
const documents = readDocuments([...FILES, SEARCH], schema);
const api = openApi(documents, schema, API_INFO) as unknown as Document;

function operation(method: string, path: string): Operation {
  const found = api.paths[path]?.[method];
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
}

function resolve(value: JsonSchema): JsonSchema {
  const name = typeof value.$ref === "string" ? value.$ref.split("/").pop() : undefined;
  if (name === undefined) return value;
  const found = api.components.schemas[name];
  if (!found) throw new Error(`no schema ${name}`);
  return found;
}

const bodySchema = (method: string, path: string) =>
  resolve(operation(method, path).requestBody?.content["application/json"]?.schema ?? {});
const answerSchema = (method: string, path: string, status = "200") =>
  operation(method, path).responses[status]?.content?.["application/json"]?.schema ?? {};

/** Validates a value against a schema, for the JSON Schema keywords that the document uses. */
function misfits(value: unknown, given: JsonSchema, at = "$"): string[] {
  const { type, anyOf, properties, required, items, additionalProperties } = resolve(given);
  if (Array.isArray(anyOf)) {
    return anyOf.some((one) => misfits(value, one, at).length === 0) ? [] : [`${at} fits none`];
  }
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const kinds = [type].flat().map((name) => (name === "integer" ? "number" : name));
  if (type !== undefined && !kinds.includes(kind)) return [`${at} is ${kind}`];
  if (kind === "array" && items) {
    return (value as unknown[]).flatMap((item) => misfits(item, items as JsonSchema, `${at}[]`));
  }
  if (kind !== "object") return [];
  const object = value as Record<string, unknown>;
  const known = (properties ?? {}) as Record<string, JsonSchema>;
  const other =
    typeof additionalProperties === "object" ? (additionalProperties as JsonSchema) : undefined;
  return [
    ...((required ?? []) as string[])
      .filter((key) => !(key in object))
      .map((key) => `no ${at}.${key}`),
    ...Object.entries(object).flatMap(([key, item]) => {
      const schema = known[key] ?? other;
      return schema ? misfits(item, schema, `${at}.${key}`) : [`${at}.${key} is not stated`];
    }),
  ];
}

test("has a title and the package's version", () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8"));
  expect(api).toMatchObject({ openapi: "3.1.0", info: { title: "Signalbox", version } });
});

test("lists the given servers; by default, the one that serves the document", () => {
  const servers = [{ url: "https://api.example.com" }];
  const other = openApi(documents, schema, { title: "t", version: "1", servers });
  expect(other).toMatchObject({ info: { title: "t", version: "1" }, servers });
  expect(api).toMatchObject({ servers: [{ url: "/" }] });
});

test("is JSON, and deterministic", () => {
  expect(JSON.parse(JSON.stringify(api))).toEqual(api);
  expect(JSON.stringify(openApi(documents, schema, API_INFO))).toBe(JSON.stringify(api));
});

test("every document has one operation with a unique id, and every reference resolves", () => {
  const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods));
  expect(operations).toHaveLength(documents.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(documents.length);
  const references = JSON.stringify(api).matchAll(/"#\/components\/(\w+)\/(\w+)"/g);
  let count = 0;
  for (const [, kind, name] of references) {
    count++;
    expect(api.components[kind as "schemas"]).toHaveProperty(name ?? "");
  }
  expect(count).toBeGreaterThan(50);
});

test("marks deprecated operations", () => {
  const marked = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { deprecated }]) =>
      deprecated ? [`${method} ${path}`] : [],
    ),
  );
  expect(marked.sort()).toEqual([
    "get /users",
    ...["email", "facebook_id", "full_name", "login", "tags", "twitter_id"].map(
      (name) => `get /users/by_${name}`,
    ),
    "get /users/external/{id}",
    "get /users/{id}",
  ]);
});

test("describes the filter language as a list of texts, and the order as one text", () => {
  const { parameters = [] } = operation("get", "/users");
  const shown = parameters.map(({ name, in: place, schema }) => [name, place, schema]);
  expect(shown.slice(0, 2)).toEqual([
    ["filter[]", "query", { type: "array", items: { type: "string" } }],
    ["order", "query", { type: "string" }],
  ]);
});

test("every name in a path is a required parameter", () => {
  for (const [path, methods] of Object.entries(api.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(methods)) {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name)).toEqual(names);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  }
});

test("takes summaries and descriptions from the documents", () => {
  expect(operation("post", "/login")).toMatchObject({
    operationId: "login",
    summary: "Signs a user in.",
    description:
      "Binds the session to the user. The user must exist, except for the first sign-in through a provider, which creates the user.",
  });
  expect(operation("get", "/session")).not.toHaveProperty("description");
});

test("derives security from bound headers, the field's access, or the token", () => {
  expect(operation("get", "/account_settings").security).toEqual([{ accountKey: [] }]);
  expect(operation("get", "/account_settings")).not.toHaveProperty("parameters");
  expect(operation("post", "/session").security).toEqual([]);
  expect(operation("get", "/session").security).toEqual([{ svcToken: [] }, { bearer: [] }]);
  // A JWT in the body takes the place of the key.
  expect(operation("post", "/session/server").security).toEqual([{ apiKey: [] }, {}]);
  const text = expect.any(String);
  expect(api.components.securitySchemes).toEqual({
    svcToken: { type: "apiKey", in: "header", name: "Svc-Token", description: text },
    bearer: { type: "http", scheme: "bearer", description: text },
    accountKey: { type: "apiKey", in: "header", name: "Svc-Account-Key", description: text },
    apiKey: { type: "apiKey", in: "header", name: "Svc-Api-Key", description: text },
  });
});

/** The wire also takes 1, 0 and their texts; a client that is generated sends true. */
const FLAG = { type: ["boolean", "null"] };

test("describes a body once for JSON and forms, nested by the brackets in names", () => {
  const { requestBody } = operation("post", "/session");
  const reference = { $ref: "#/components/schemas/CreateSessionRequest" };
  expect(requestBody).toEqual({
    required: true,
    content: {
      "application/json": { schema: reference },
      "application/x-www-form-urlencoded": {
        schema: reference,
        encoding: Object.fromEntries(
          ["user", "keys", "firebase_phone"].map((name) => [
            name,
            { style: "deepObject", explode: true },
          ]),
        ),
      },
    },
  });
  expect(bodySchema("post", "/session")).toMatchObject({
    type: "object",
    required: ["application_id", "auth_key", "timestamp", "nonce", "signature"],
    properties: {
      application_id: { type: ["integer", "string"], format: "int64", pattern: "^-?\\d{1,16}$" },
      user: { type: "object", properties: { guest: FLAG } },
    },
  });
  expect(bodySchema("post", "/session/web")).toMatchObject({ properties: { long: FLAG } });
  expect(operation("post", "/login").requestBody).not.toHaveProperty("required");
  expect(operation("delete", "/session")).not.toHaveProperty("requestBody");
});

/** Every schema of the document with a key, with its place. */
function schemasWith(key: string, value: unknown = api, at = "#"): Array<[string, JsonSchema]> {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, each]) =>
    schemasWith(key, each, `${at}/${name}`),
  );
  return key in value && !Array.isArray(value) ? [[at, value as JsonSchema], ...inner] : inner;
}

test("has no enum with null or of several types, and no union in a union, which some generators cannot read", () => {
  const enums = schemasWith("enum");
  expect(enums.length).toBeGreaterThan(10);
  const mixed = enums.filter(([, schema]) => {
    const types = new Set((schema.enum as unknown[]).map((each) => typeof each));
    return types.size !== 1 || !(types.has("string") || types.has("number"));
  });
  expect(mixed).toEqual([]);
  const unions = schemasWith("anyOf");
  expect(unions.length).toBeGreaterThan(5);
  const nested = unions.filter(([, { anyOf }]) =>
    (anyOf as JsonSchema[]).some((each) => "anyOf" in each),
  );
  expect(nested).toEqual([]);
});

test("a group with a required parameter is required", () => {
  const body = bodySchema("post", "/users");
  expect(body.required).toEqual(["user"]);
  expect(body).toMatchObject({ properties: { user: { required: ["password"] } } });
  expect(body).toMatchObject({
    properties: {
      user: {
        properties: {
          tag_list: {
            anyOf: [
              { type: "array", items: { type: "string" } },
              { type: "string", description: "Comma-separated." },
              { type: "null" },
            ],
          },
        },
      },
    },
  });
});

test("describes query parameters, with the wire names of enum values", () => {
  const { parameters = [] } = operation("get", "/users/v2");
  const sort = parameters.find(({ name }) => name === "sort_asc");
  expect(sort).toMatchObject({ in: "query", schema: { type: "string" } });
  expect(sort?.schema.enum).toContain("full_name");
  expect(sort).not.toHaveProperty("required");
  expect(parameters.map(({ name }) => name)).not.toContain("filter");
});

test("describes a filter as flat parameters, one per field and operator", () => {
  const { parameters = [] } = operation("get", "/users/v2");
  const named = (wanted: string) => parameters.find(({ name }) => name === wanted);
  expect(named("login")).toEqual({
    name: "login",
    in: "query",
    description: "By login, case-insensitive. Stand-alone. Equal. Primary.",
    schema: { type: "string" },
  });
  expect(named("id[in][]")).toMatchObject({
    in: "query",
    style: "form",
    explode: true,
    schema: { type: "array", items: { type: "integer" } },
  });
  expect(named("login[nin][]")).toMatchObject({ schema: { type: "array" } });
  expect(named("login[start_with]")).toMatchObject({ schema: { type: "string" } });
  expect(named("created_at[gte]")?.schema.anyOf).toContainEqual({
    type: "string",
    format: "date-time",
  });
  const names = parameters.map(({ name }) => name);
  for (const name of ["login[eq]", "login[in]", "id[start_with]", "created_at[start_with]"]) {
    expect(names).not.toContain(name);
  }
  expect(JSON.stringify(parameters)).not.toContain("deepObject");
});

test("describes only the operators that the field takes, if it says so", () => {
  const own = restSchema();
  const { paths } = openApi(readDocuments(FILES, own), own, API_INFO) as unknown as Document;
  const names = paths["/users/v2"]?.get?.parameters?.map(({ name }) => name) ?? [];
  const of = (field: string) => names.filter((name) => name.split("[")[0] === field);
  expect(of("id")).toEqual(["id", "id[in][]", "id[nin][]"]);
  expect(of("user_tags")).toHaveLength(4);
  expect(of("created_at")).toHaveLength(7);
});

test("paths that differ only in the names of parameters are one path, with the names of the first", () => {
  const found = Object.keys(api.paths).filter((path) => path.startsWith("/users/external/"));
  expect(found).toEqual(["/users/external/{id}"]);
  for (const method of ["get", "delete"]) {
    const { parameters = [] } = operation(method, "/users/external/{id}");
    expect(parameters.map(({ name }) => name)).toEqual(["id"]);
  }
});

test("groups operations by file, with the comment in its first line", () => {
  expect(operation("delete", "/users/external/{id}").tags).toEqual(["Users legacy"]);
  expect(operation("get", "/search/{page}/found").tags).toEqual(["Search"]);
  const { tags } = api;
  expect(tags).toContainEqual({
    name: "Session list",
    description: "The user's sessions.",
  });
  expect(tags).toContainEqual({ name: "Search" });
  // The one with an operation that needs no token comes first.
  expect(tags.map(({ name }) => name).slice(0, 2)).toEqual(["Session", "Account settings"]);
  expect(tags).toHaveLength(new Set(documents.map(({ tag }) => tag.name)).size);
});

test("an object with any keys says that it is open", () => {
  expect(bodySchema("post", "/calls/reject")).toMatchObject({
    properties: { userInfo: { type: ["object", "null"], additionalProperties: true } },
  });
});

test("a header without a security scheme is a parameter", () => {
  const { parameters = [] } = operation("get", "/search/{page}/found");
  expect(parameters).toContainEqual({
    name: "X-Trace",
    in: "header",
    required: true,
    schema: { type: "string" },
  });
});

test("responses: nullability, dates, optional keys", () => {
  const user = api.components.schemas.UserFields ?? {};
  expect(user).toMatchObject({
    properties: {
      id: { type: "integer", format: "int64" },
      login: { type: ["string", "null"] },
      user_tags: { type: ["string", "null"] },
      created_at: { type: "string", format: "date-time" },
      is_guest: { type: "boolean" },
      _id: { type: "string" },
    },
  });
  expect(user.required).toContain("last_request_at");
  expect(user.required).not.toContain("is_guest");
  expect(user.required).not.toContain("_id");
  const session = api.components.schemas.SessionFields ?? {};
  expect(session.required).not.toContain("user");
  expect(session.required).not.toContain("device_id");
  expect(session).toMatchObject({
    properties: { user: { $ref: "#/components/schemas/UserFields" } },
  });
  expect(answerSchema("get", "/search/{page}/found")).toEqual({
    type: "object",
    properties: {
      asked: { type: "string" },
      trace: { type: "string" },
      secret: { type: "string" },
    },
    required: ["asked"],
  });
});

test("a nullable root is non-null in responses, because null is a 404", () => {
  expect(answerSchema("get", "/users/{id}")).toEqual({
    type: "object",
    properties: { user: { $ref: "#/components/schemas/UserFields" } },
    required: ["user"],
  });
  expect(operation("get", "/users/{id}").responses["404"]).toEqual({
    $ref: "#/components/responses/NOT_FOUND",
  });
});

test("statuses, empty bodies and empty objects", () => {
  expect(operation("post", "/session").responses).toHaveProperty("201");
  expect(operation("delete", "/session").responses["200"]).not.toHaveProperty("content");
  expect(answerSchema("post", "/calls/reject")).toEqual({ type: "object" });
});

test("lists the errors that can occur", () => {
  const codes = (method: string, path: string) => Object.keys(operation(method, path).responses);
  expect(codes("get", "/session")).toEqual(["200", "400", "401", "403", "429", "500", "503"]);
  expect(codes("post", "/session")).toEqual([
    "201",
    "400",
    "401",
    "413",
    "422",
    "429",
    "500",
    "503",
  ]);
  expect(codes("get", "/account_settings")).toContain("401");
  expect(api.components.responses.LIMITED).toHaveProperty("headers.Retry-After");
  const errorSchema = api.components.schemas.Error ?? {};
  expect(misfits({ errors: { base: ["x"] } }, errorSchema)).toEqual([]);
  expect(misfits({ errors: { base: "x" } }, errorSchema)).toEqual(["$.errors.base is string"]);
});

test("responses match their schemas", () => {
  const user = {
    id: 12,
    login: "alice",
    email: null,
    external_user_id: null,
    external_id: null,
    facebook_id: null,
    twitter_id: null,
    full_name: "Alice",
    phone: null,
    website: null,
    custom_data: null,
    user_tags: ["a"],
    avatar: null,
    blob_id: 1,
    created_at: "2018-12-05T11:58:02Z",
    updated_at: "2018-12-05T11:58:02Z",
    last_request_at: null,
    timezone: -60,
    is_guest: false,
    _id: "12",
  };
  const session = {
    id: 5,
    application_id: 774,
    user_id: null,
    nonce: 1,
    token: "t",
    ts: 1,
    created_at: "2018-12-05T11:58:02Z",
    updated_at: "2018-12-05T11:58:02Z",
    device_id: null,
    user: null,
  };
  const answered = (name: string, data: Record<string, unknown>) => {
    const document = documents.find((found) => found.name === name);
    return JSON.parse((document && compileResponse(document)(data)) ?? "null");
  };
  const list = { limit: 1, skip: 0, total_entries: 1, items: [user, { ...user, is_guest: true }] };
  const cases: Array<[unknown, JsonSchema]> = [
    [answered("GetUser", { user }), answerSchema("get", "/users/{id}")],
    [answered("GetSession", { session }), answerSchema("get", "/session")],
    [answered("GetSession", { session: { ...session, user } }), answerSchema("get", "/session")],
    [answered("ListUsers", { users: list }), answerSchema("get", "/users/v2")],
    [
      answered("CreateSession", { createSession: { session } }),
      answerSchema("post", "/session", "201"),
    ],
  ];
  for (const [value, schema] of cases) expect(misfits(value, schema)).toEqual([]);
  expect(misfits({ session: { ...session, id: "5" } }, answerSchema("get", "/session"))).toContain(
    "$.session.id is string",
  );
});
