import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchema } from "../../scripts/openapi/schema";

/** Validates the published document against the schema of the OpenAPI Initiative. */

interface Operation {
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<string, JsonSchema>;
}
interface Document extends Record<string, unknown> {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: JsonSchema }> };
}

const read = (): Document =>
  JSON.parse(readFileSync(join(__dirname, "../../schema/openapi.json"), "utf8"));

async function makeValidator() {
  const { Validator } = await import("@seriousme/openapi-schema-validator");
  return new Validator();
}

test("the document is valid OpenAPI 3.1, and every reference resolves", async () => {
  const validator = await makeValidator();
  expect(await validator.validate(read())).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
  expect(JSON.stringify(validator.resolveRefs().paths)).not.toContain('"$ref"');
});

const BREAKS: Array<[what: string, change: (document: Document, operation: Operation) => void]> = [
  ["without info", (document) => delete document.info],
  ["with an invalid status", (_, operation) => Object.assign(operation.responses, { x: {} })],
  ["with a response without a description", (_, { responses }) => (responses["200"] = {})],
];

test.each(BREAKS)("the validator rejects a document %s", async (_what, change) => {
  const document = read();
  const operation = document.paths["/session"]?.get;
  if (!operation) throw new Error("no GET /session");
  change(document, operation);
  expect(await (await makeValidator()).validate(document)).toMatchObject({ valid: false });
});

/** Routes without body parameters, although their method has a body. */
const WITHOUT_BODY: string[] = [];

test("every POST, PUT and PATCH describes the properties of its body, as JSON and as a form", () => {
  const { paths, components } = read();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const bodies = operations.filter(({ method }) => ["post", "put", "patch"].includes(method));
  const plain = bodies.filter(({ operation }) => !operation.requestBody);
  expect(plain.map(({ method, path }) => `${method} ${path}`)).toEqual(WITHOUT_BODY);
  for (const { operation } of bodies) {
    const content = operation.requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual(["application/json", "application/x-www-form-urlencoded"]);
    for (const { schema } of Object.values(content)) {
      const { properties = {} } = components.schemas[schema.$ref.split("/").pop() ?? ""] ?? {};
      expect(Object.keys(properties)).not.toEqual([]);
    }
  }
});
