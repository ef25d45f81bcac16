import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/core/package-root";
import { corrupt, type Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { type JsonSchema, SchemaValues } from "../input/from-schema";
import { chance, pick } from "../input/random";
import {
  hostileName,
  hostileText,
  hostileValue,
  mutateText,
  toJson,
  urlEncode,
} from "../input/values";
import { type HttpInput, sendHttp } from "./http-client";
import type { Target } from "./target";

interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  schema: JsonSchema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

interface Route {
  method: string;
  path: string;
  parameters: Parameter[];
  body?: JsonSchema;
}

const document = JSON.parse(readFileSync(join(packageRoot(), "schema/openapi.json"), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};

const ROUTES: Route[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    parameters,
    body: requestBody?.content["application/json"]?.schema,
  })),
);
/** Undocumented routes. */
const PAGES = [
  ...["/healthz", "/readyz", "/metrics", "/openapi.json", "/schema.graphql", "/"],
  ...["/docs", "/docs/assets/page.js", "/password/reset?token=a"],
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];

const values = new SchemaValues(document.components.schemas, 18);

const TYPES = [
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded; charset=latin1",
  "application/xml",
  "application/json;;",
  "application/graphql",
  "*/*",
  "application/json, text/html",
  ";",
  "json",
];

/** REST: every route of schema/openapi.json, with parameters by type and hostile values. */
export const rest: Target = {
  name: "rest",
  weight: 3,
  concurrency: 10,
  async run(each) {
    const { random, deployment } = each;
    const { fixture } = deployment;
    const node = pick(random, deployment.nodes);
    const token = fixture.token(random, 2);
    const input = chance(random, 97)
      ? routeInput(random, fixture, pick(random, ROUTES))
      : { method: pick(random, METHODS), path: pick(random, PAGES), headers: {} };
    if (token !== undefined) input.headers["Svc-Token"] = token;
    if (chance(random, 30)) input.headers["Svc-Account-Key"] = fixture.accountKey;
    decorate(random, input);
    const { status } = await sendHttp(each, node.urls.http ?? "", input);
    if (status === 401) await fixture.replace(token);
    if (status === 403) await fixture.recheck(token);
  },
};

function routeInput(random: Random, fixture: Fixture, route: Route): HttpInput {
  const query: string[] = [];
  const headers: Record<string, string> = {};
  let { path } = route;
  for (const { name, in: place, schema } of route.parameters) {
    // `login[in][]` is a list of logins.
    const value = values.make(random, fixture, schema, name.split("[")[0]);
    if (place === "path") path = path.replace(`{${name}}`, inPath(random, value));
    else if (place === "header") {
      if (chance(random, 40)) headers[name] = urlEncode(asText(value));
    } else if (chance(random, 45)) {
      query.push(form(random, { [name.replace(/\[\]$/, "")]: value }));
    }
  }
  if (chance(random, 4)) query.push(form(random, { [hostileName(random)]: hostileValue(random) }));
  if (chance(random, 5)) path += pick(random, [".json", "/", ".json.json", "//", "%00", ";a=b"]);
  const text = query.filter(Boolean).join("&");
  const method = chance(random, 95) ? route.method : pick(random, METHODS);
  const input: HttpInput = { method, path: text === "" ? path : `${path}?${text}`, headers };
  const sendsBody = route.body !== undefined || chance(random, 5);
  return sendsBody ? withBody(random, fixture, input, route.body ?? {}) : input;
}

function withBody(
  random: Random,
  fixture: Fixture,
  input: HttpInput,
  schema: JsonSchema,
): HttpInput {
  let value = values.make(random, fixture, schema);
  if (input.path.startsWith("/session") && input.method === "POST" && chance(random, 60)) {
    value = { ...(typeof value === "object" ? value : {}), ...fixture.signed() };
  }
  const asForm = chance(random, 35);
  let body: Buffer = Buffer.from(asForm ? form(random, value) : toJson(value));
  if (chance(random, 12)) body = corrupt(random, body);
  const type = asForm ? "application/x-www-form-urlencoded" : "application/json";
  input.headers["Content-Type"] = chance(random, 92) ? type : pick(random, TYPES);
  input.body = body;
  return input;
}

/** Adds headers to some requests. */
function decorate(random: Random, input: HttpInput): void {
  if (chance(random, 4)) input.headers.Accept = mutateHeader(random, "text/html,*/*;q=0.8");
  if (chance(random, 3)) input.headers.Origin = mutateHeader(random, "https://app.example");
  if (chance(random, 3)) input.headers["X-Forwarded-For"] = mutateHeader(random, "10.0.0.1, ::1");
  if (chance(random, 2)) input.headers["Content-Encoding"] = "gzip";
  if (chance(random, 2)) input.headers["X-HTTP-Method-Override"] = "DELETE";
  if (chance(random, 2)) input.headers["User-Agent"] = mutateHeader(random, "Mozilla/5.0");
  if (chance(random, 2)) input.headers["Idempotency-Key"] = mutateHeader(random, "key");
}

/** Mutates text within what Node's HTTP client accepts as a header. */
const mutateHeader = (random: Random, text: string) =>
  mutateText(random, text)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "?")
    .slice(0, 4_000);

/** A generated object may have a `toString` that is not a function. */
const asText = (value: unknown): string =>
  typeof value === "object" ? toJson(value) : String(value);

function inPath(random: Random, value: unknown): string {
  const text = asText(value);
  if (chance(random, 10)) return pick(random, ["%", "%ff", "%c0%af", "..%2f", "%00", "%u0041"]);
  return urlEncode(text).slice(0, 9_000) || "%20";
}

/** Form-encodes a value with nested brackets; some of it is encoded incorrectly. */
function form(random: Random, value: unknown): string {
  const pairs: string[] = [];
  const brackets = chance(random, 50);
  const add = (name: string, each: unknown, depth: number): void => {
    if (depth < 200 && typeof each === "object" && each !== null) {
      const entries = Array.isArray(each)
        ? each.map((item) => ["", item] as const)
        : Object.entries(each);
      for (const [key, inner] of entries) {
        add(name === "" ? key : `${name}[${key}]`, inner, depth + 1);
      }
      return;
    }
    const encoded = urlEncode(name);
    const shown = brackets ? encoded.replace(/%5B/g, "[").replace(/%5D/g, "]") : encoded;
    pairs.push(`${shown}=${urlEncode(asText(each ?? ""))}`);
  };
  add("", value, 0);
  const text = pairs.join(pick(random, ["&", "&", "&", "&", "&&", ";"]));
  const broken = ["%", "%zz", "=&=", "&[", "a[[]]=1", "a[b=1", "%ff=%fe"];
  if (chance(random, 6)) return text + pick(random, broken);
  return chance(random, 3) ? text + urlEncode(hostileText(random)) : text;
}
