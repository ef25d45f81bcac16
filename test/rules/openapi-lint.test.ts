import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lints the published document with the recommended rules of Redocly. */

interface Document {
  servers?: unknown;
  info: { license?: unknown };
  paths: Record<string, Record<string, { summary?: string; operationId?: string }>>;
}

const read = (): Document =>
  JSON.parse(readFileSync(join(__dirname, "../../schema/openapi.json"), "utf8"));

/** Warnings that stay, by rule, each with its reason. */
const KNOWN_WARNINGS: Record<string, string> = {};

async function lint(document: Document) {
  const { createConfig, lintFromString } = await import("@redocly/openapi-core");
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "openapi.json",
    config,
  });
  return problems.map(({ ruleId, severity, message, location }) => ({
    ruleId,
    severity,
    message,
    at: location[0]?.pointer,
  }));
}

test("the document has no errors", async () => {
  const problems = await lint(read());
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
});

test("the document has no warnings but those listed here", async () => {
  const problems = await lint(read());
  const warnings = problems.filter(({ severity }) => severity !== "error");
  expect(warnings.filter(({ ruleId }) => !(ruleId in KNOWN_WARNINGS))).toEqual([]);
  const found = new Set(warnings.map(({ ruleId }) => ruleId));
  expect([...found].sort()).toEqual(Object.keys(KNOWN_WARNINGS).sort());
});

const BREAKS: Array<[rule: string, change: (document: Document) => void]> = [
  ["no-empty-servers", (document) => delete document.servers],
  ["info-license", (document) => delete document.info.license],
  ["operation-summary", ({ paths }) => delete paths["/session"]?.get?.summary],
  [
    "no-identical-paths",
    ({ paths }) => {
      paths["/users/external/{other}"] = { get: paths["/users/external/{id}"]!.get! };
    },
  ],
  [
    "operation-operationId-unique",
    ({ paths }) => {
      paths["/session"]!.get!.operationId = "login";
    },
  ],
];

test.each(BREAKS)("the linter finds a violation of %s", async (rule, change) => {
  const document = read();
  change(document);
  expect((await lint(document)).map(({ ruleId }) => ruleId)).toContain(rule);
});
