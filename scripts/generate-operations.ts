/**
 * Writes the typed operations of the client package and of the dashboard below the folder that the command line names,
 * as if that were the root. bin/generated.js runs it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DocumentNode, type EnumTypeDefinitionNode, Kind, parse } from "graphql";
import { type OperationFile, typedDocuments } from "./typed-operations";

const root = join(__dirname, "..");
/** Its enums have the names of GraphQL, where the schema object has internal values. */
const schema = parse(readFileSync(join(root, "schema/schema.graphql"), "utf8"));

/** The .graphql files below a folder, which may be missing. */
function operationFiles(folder: string): OperationFile[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".graphql"))
    .sort()
    .map((path) => ({
      location: `${folder}/${path}`,
      document: parse(readFileSync(join(root, folder, path), "utf8")),
    }));
}

/** All operations of the package in client/, in one file. */
async function clientOperations(): Promise<Record<string, string>> {
  const header = `// Generated from client/operations by npm run generate.\nimport type { Document } from "../transport/document.ts";\n`;
  const typed = await typedDocuments(operationFiles("client/operations"), schema);
  return { "client/src/generated/operations.ts": `${header}\n${errorCodes(schema)}\n\n${typed}` };
}

/** The codes of errors, which no operation mentions. */
function errorCodes({ definitions }: DocumentNode): string {
  const codes = definitions.find(
    (each): each is EnumTypeDefinitionNode =>
      each.kind === Kind.ENUM_TYPE_DEFINITION && each.name.value === "ErrorCode",
  );
  const names = codes?.values?.map(({ name }) => `  | "${name.value}"`) ?? [];
  return `/** The code of an error of the service (docs/ERRORS.md). */\nexport type ErrorCode =\n${names.join("\n")};`;
}

/**
 * The operations of the dashboard: for each .graphql file, the text of the file beside it with the types of its
 * operations. A file holds the fragments that it uses, so that a page loads the operations of its own alone.
 */
async function dashboardOperations(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const file of operationFiles("dashboard/src")) {
    const header = `// Generated from ${file.location} by npm run generate.\nimport type { Document } from "@signalbox/client";\n\n`;
    const output = file.location.replace(/graphql$/, "generated.ts");
    texts[output] = header + (await typedDocuments([file], schema));
  }
  return texts;
}

async function main(target: string): Promise<void> {
  const texts = { ...(await clientOperations()), ...(await dashboardOperations()) };
  for (const [path, text] of Object.entries(texts)) {
    const place = join(target, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
}

main(process.argv[2] ?? root).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
