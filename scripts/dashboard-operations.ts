import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DocumentNode, parse } from "graphql";
import { typedDocuments } from "./client-operations";

/**
 * The operations of the dashboard: for each .graphql file, the text of the file beside it with the types of its
 * operations. A file holds the fragments that it uses, so that a page loads the operations of its own alone.
 * @param folder of the sources, with a slash at its end
 * @param sdl schema/schema.graphql
 * @returns texts by path
 */
export async function dashboardOperations(
  folder: string,
  sdl: string,
): Promise<Record<string, string>> {
  const schema: DocumentNode = parse(sdl);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".graphql"))
    .sort();
  const texts: Record<string, string> = {};
  for (const path of paths) {
    const [location = ""] = path.split("/").slice(-1);
    const document = parse(readFileSync(join(folder, path), "utf8"));
    const header = `// Generated from ${location} by npm run generate.\nimport type { Document } from "@signalbox/client";\n\n`;
    const output = `${folder}${path.replace(/graphql$/, "generated.ts")}`;
    texts[output] = header + (await typedDocuments([{ location, document }], schema));
  }
  return texts;
}
