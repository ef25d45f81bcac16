import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Exchange, OpenApiConformity } from "../support/rest/openapi-conformity";

/** The examples of the published document match its schemas. They are those of the transcripts. */

interface Content {
  content?: { "application/json"?: { example?: unknown } };
}
interface Operation {
  operationId: string;
  parameters?: Array<{ name: string; in: string; required?: boolean; example?: unknown }>;
  requestBody?: Content;
  responses: Record<string, Content>;
}

const api: {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Content> };
} = JSON.parse(readFileSync(join(__dirname, "../../schema/openapi.json"), "utf8"));
const conformity = new OpenApiConformity();

const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, string, string, Operation] => [
    operation.operationId,
    method.toUpperCase(),
    path,
    operation,
  ]),
);

const exampleIn = ({ content }: Content = {}) => content?.["application/json"]?.example;

/** The request and the response of an operation's examples. */
function exchangeOf(method: string, path: string, operation: Operation): Exchange {
  const { parameters = [], requestBody, responses } = operation;
  const [status = "", success] = Object.entries(responses)[0] ?? [];
  const shown = parameters.filter(({ example }) => example !== undefined);
  const query = shown
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ name, example }) => [example].flat().map((item) => `${name}=${item}`));
  const inPath = shown.filter((parameter) => parameter.in === "path");
  return {
    method,
    path: `${inPath.reduce(
      (filled, { name, example }) => filled.replace(`{${name}}`, String(example)),
      path,
    )}?${query.join("&")}`,
    body: exampleIn(requestBody),
    status: Number(status),
    answer: exampleIn(success),
  };
}

test.each(operations)("%s: the request and the response match", (_id, method, path, operation) => {
  const exchange = exchangeOf(method, path, operation);
  expect(exchange.status).toBeLessThan(300);
  expect(exchange.path).not.toContain("{");
  expect(conformity.violations(exchange)).toEqual([]);
});

test.each(operations)("%s: is complete", (_id, _method, _path, operation) => {
  const { parameters = [], requestBody, responses } = operation;
  const [success] = Object.values(responses);
  const needed = parameters.filter((one) => one.required && one.in !== "header");
  expect(needed.filter(({ example }) => example === undefined)).toEqual([]);
  if (requestBody) expect(exampleIn(requestBody)).toBeDefined();
  if (success?.content) expect(exampleIn(success)).toBeDefined();
});

test("an example that does not match is found", () => {
  const [, method = "", path = "", operation] =
    operations.find(([id]) => id === "createUser") ?? [];
  const exchange = exchangeOf(method, path, operation!);
  const { user } = exchange.body as { user: object };
  expect(
    conformity.violations({ ...exchange, body: { user: { ...user, timezone: "x" } } }),
  ).not.toEqual([]);
  expect(conformity.violations({ ...exchange, answer: { user: { id: "x" } } })).not.toEqual([]);
});

test("every error has an example in the form of errors", () => {
  const examples = Object.values(api.components.responses).map((response) => exampleIn(response));
  expect(examples.length).toBeGreaterThan(8);
  const errors = { errors: expect.objectContaining({}) };
  expect(examples).toEqual(examples.map(() => errors));
});

test("the signed request has the signature of the worked example", () => {
  const [, method = "", path = "", operation] =
    operations.find(([id]) => id === "createSession") ?? [];
  const { body } = exchangeOf(method, path, operation!);
  const text = readFileSync(join(__dirname, "../../docs/COMPATIBILITY.md"), "utf8");
  const { application_id, auth_key, nonce, timestamp, signature } = body as Record<string, unknown>;
  expect(text).toContain(
    `| \`application_id=${application_id}&auth_key=${auth_key}&nonce=${nonce}&timestamp=${timestamp}\` | \`${signature}\` |`,
  );
});

test("no placeholder of the transcripts is left", () => {
  expect(JSON.stringify(api)).not.toMatch(/<[a-z ]+(:[\w ]+)?>/);
});
