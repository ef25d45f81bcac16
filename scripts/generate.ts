/**
 * Writes the committed files that are generated: what reviewers see of the interface. With --check it only lists the
 * outdated ones, and exits with 1 if there are any. `npm run generate` also generates what is not committed
 * (bin/generated.js).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/core/package-root";
import { restSchema, signalboxSchema } from "../src/transports/graphql/schema";
import { schemaText } from "../src/transports/graphql/schema-text";
import { readDocuments, readRestFiles } from "../src/transports/rest/documents";
import { commandsMarkdown } from "./command-document";
import { configMarkdown, envExample } from "./config-documents";
import { metricsMarkdown } from "./metrics-document";
import { API_INFO, openApi } from "./openapi/openapi";
import { transcriptExamples } from "./openapi/transcript-examples";

const root = packageRoot();

function generatedTexts(): Record<string, string> {
  const schema = restSchema();
  const documents = readDocuments(readRestFiles(join(root, "schema/rest")), schema);
  const api = openApi(documents, schema, API_INFO, transcriptExamples(root, documents));
  return {
    "schema/schema.graphql": schemaText(signalboxSchema()),
    "schema/openapi.json": `${JSON.stringify(api, null, 2)}\n`,
    "docs/CONFIG.md": configMarkdown(),
    ".env.example": envExample(),
    "docs/METRICS.md": metricsMarkdown(),
    "docs/COMMANDS.md": commandsMarkdown(),
  };
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const isCheck = process.argv.includes("--check");
const outdated = Object.entries(generatedTexts()).filter(
  ([name, text]) => readOr(join(root, name)) !== text,
);
const names = outdated.map(([name]) => name).join(", ");
if (outdated.length === 0) process.stdout.write("Generated files are up to date.\n");
else if (isCheck) {
  process.stderr.write(`Out of date: ${names}. Run npm run generate and commit the result.\n`);
  process.exitCode = 1;
} else {
  for (const [name, text] of outdated) writeFileSync(join(root, name), text);
  process.stdout.write(`Written: ${names}\n`);
}
