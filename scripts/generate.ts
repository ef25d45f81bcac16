/**
 * `npm run generate` writes all generated files. `npm run generate -- --check` only lists outdated files, and
 * exits with 1 if there are any.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../src/core/package-root";
import { signalboxSchema } from "../src/graphql/schema";
import { schemaText } from "../src/graphql/schema-text";
import { readDocuments, readRestFiles } from "../src/rest/documents";
import { API_INFO, openApi } from "../src/rest/openapi";
import { clientOperations } from "./client-operations";
import { configMarkdown, envExample } from "./config-documents";
import { dashboardOperations } from "./dashboard-operations";
import { restExamples } from "./rest-examples";

const root = packageRoot();
const clientFolder = join(root, "src/store/generated");

async function generatedTexts(): Promise<Record<string, string>> {
  const schema = signalboxSchema();
  const documents = readDocuments(readRestFiles(join(root, "schema/rest")), schema);
  const examples = restExamples(root, documents);
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const sdl = schemaText(schema);
  return {
    "schema/schema.graphql": sdl,
    "client/src/generated/operations.ts": await clientOperations(
      join(root, "client/operations"),
      sdl,
    ),
    ...(await dashboardOperations("dashboard/src/", sdl)),
    "schema/examples.json": json(examples),
    "schema/openapi.json": json(openApi(documents, schema, API_INFO, examples)),
    "docs/CONFIG.md": configMarkdown(),
    ".env.example": envExample(),
  };
}

/** The contents of all files of the Prisma client, for comparison. */
function clientText(): string {
  return readdirSync(clientFolder, { recursive: true, encoding: "utf8" })
    .sort()
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${name}\n${readFileSync(join(clientFolder, name), "utf8")}`)
    .join("\n");
}

function generateClient(): void {
  const prisma = join(dirname(require.resolve("prisma/package.json")), "build/index.js");
  execFileSync(process.execPath, [prisma, "generate", "--schema", "prisma/schema.prisma"], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      // Generation needs no schema engine; naming any executable prevents Prisma from downloading one.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: "1",
    },
  });
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function main(): Promise<void> {
  const check = process.argv.includes("--check");
  const stale: string[] = [];
  for (const [name, text] of Object.entries(await generatedTexts())) {
    const path = join(root, name);
    if (readOr(path) === text) continue;
    stale.push(name);
    if (!check) writeFileSync(path, text);
  }
  const before = clientText();
  generateClient();
  if (clientText() !== before) stale.push("src/store/generated");

  if (stale.length === 0) process.stdout.write("Generated files are up to date.\n");
  else if (check) {
    process.stderr.write(
      `Out of date: ${stale.join(", ")}. Run npm run generate and commit the result.\n`,
    );
    process.exitCode = 1;
  } else process.stdout.write(`Written: ${stale.join(", ")}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
