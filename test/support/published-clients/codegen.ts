import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import { buildSchema, parse } from "graphql";
import ts from "typescript";

/** The parts of a codegen.ts that this generator reads. */
export interface CodegenFile {
  documents: string[];
  generates: Record<string, { preset?: string; plugins?: string[]; config: object }>;
  config?: object;
}

/** The texts that a source passes to the function `graphql` of the generated files. */
function documentsOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === "graphql" &&
      node.arguments[0] &&
      ts.isNoSubstitutionTemplateLiteral(node.arguments[0])
    ) {
      found.push(node.arguments[0].text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("a.ts", source, ts.ScriptTarget.ES2022));
  return found;
}

/**
 * Does what the command line of graphql-codegen does with a codegen.ts, by the same preset and plugins. The command
 * line itself is four times as large as these, and some of its packages need a newer Node than the service.
 * @param folder the project, with its sources in src
 * @param file the default export of its codegen.ts
 * @param sdl the schema
 */
export async function runCodegen(folder: string, file: CodegenFile, sdl: string): Promise<void> {
  if (String(file.documents) !== "src/**/*.{ts,tsx}") throw new Error("documents are not in src");
  const source = join(folder, "src");
  const documents = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((location) =>
      documentsOf(readFileSync(join(source, location), "utf8")).map((rawSDL) => ({
        location,
        rawSDL,
        document: parse(rawSDL),
      })),
    );
  const common = { schema: parse(sdl), schemaAst: buildSchema(sdl), documents };
  const sections = await Promise.all(
    Object.entries(file.generates).map(([path, output]) => {
      const shared = { ...common, config: { ...file.config, ...output.config } };
      const { plugins = [] } = output;
      if (output.preset === "client" && plugins.length === 0) {
        const empty = { presetConfig: {}, plugins: [], pluginMap: {}, documentTransforms: [] };
        return preset.buildGeneratesSection({ ...shared, ...empty, baseOutputDir: path });
      }
      if (output.preset || String(plugins) !== "typescript") throw new Error(`${path} is unknown`);
      return [
        { ...shared, filename: path, plugins: [{ typescript: {} }], pluginMap: { typescript } },
      ];
    }),
  );
  for (const section of sections.flat()) {
    const path = join(folder, section.filename);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await codegen(section));
  }
}
