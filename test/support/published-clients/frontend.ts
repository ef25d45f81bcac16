import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import ts from "typescript";
import { type CodegenFile, runCodegen } from "./codegen";

const ROOT = join(__dirname, "../../..");

/** The compiler's options of a new front-end project, and noUncheckedIndexedAccess. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
};

/** In place of the package @graphql-codegen/cli: the one type that a codegen.ts imports from it. */
const COMMAND_LINE = `import type { Types } from "@graphql-codegen/plugin-helpers";
export type CodegenConfig = Types.Config;
`;

/** A front-end project in a temporary folder. */
export interface Frontend {
  folder: string;
  /** The examples of docs/CODEGEN.md, by their paths below src. */
  examples: string[];
  /**
   * Checks sources, by their paths below src, with all that they import.
   * @param options of the compiler besides
   */
  check(files: string[], options?: ts.CompilerOptions): Problem[];
  remove(): void;
}

/** What the compiler reports. */
export interface Problem {
  /** Path below src. */
  file: string;
  /** Counted from 1. */
  line: number;
  text: string;
}

/** The blocks of TypeScript in docs/CODEGEN.md: the codegen.ts of a project, and examples. */
function documentedBlocks(): [config: string, ...examples: string[]] {
  const page = readFileSync(join(ROOT, "docs/CODEGEN.md"), "utf8");
  const [config, ...examples] = [...page.matchAll(/```ts\n([\s\S]+?)```/g)].map(
    ([, text = ""]) => text,
  );
  if (!config) throw new Error("docs/CODEGEN.md has no codegen.ts");
  return [config, ...examples];
}

/**
 * Makes a project as docs/CODEGEN.md describes: its codegen.ts, the service's preset beside it, sources and the page's
 * examples in src, and the types that graphql-codegen generates for them.
 * @param sources folder with the sources
 * @param sdl the schema
 * @param changes of the codegen.ts
 */
export async function createFrontend(
  sources: string,
  sdl: string,
  changes?: Partial<CodegenFile>,
): Promise<Frontend> {
  const folder = mkdtempSync(join(tmpdir(), "frontend-"));
  const [config, ...texts] = documentedBlocks();
  const examples = texts.map((_, index) => `example-${index}.ts`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    cpSync(sources, join(folder, "src"), { recursive: true });
    cpSync(join(ROOT, "schema/codegen.ts"), join(folder, "signalbox-codegen.ts"));
    writeFileSync(join(folder, "codegen.ts"), config);
    writeFileSync(join(folder, "codegen-cli.d.ts"), COMMAND_LINE);
    texts.forEach((text, index) => {
      writeFileSync(join(folder, "src", examples[index]!), text);
    });
    const file: { default: CodegenFile } = await import(join(folder, "codegen.ts"));
    await runCodegen(folder, { ...file.default, ...changes }, sdl);
  } catch (error) {
    remove();
    throw error;
  }
  const check = (files: string[], options: ts.CompilerOptions = {}) => {
    const source = join(folder, "src");
    const program = ts.createProgram(
      files.map((file) => join(source, file)),
      {
        ...OPTIONS,
        paths: {
          "@graphql-codegen/cli": [join(folder, "codegen-cli.d.ts")],
          "@signalbox/client": [join(ROOT, "client/src/index.ts")],
          "@signalbox/client/server": [join(ROOT, "client/src/server/index.ts")],
        },
        ...options,
      },
    );
    return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => ({
      file: file ? relative(source, file.fileName) : "",
      line: file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0,
      text: ts.flattenDiagnosticMessageText(messageText, "\n"),
    }));
  };
  return { folder, examples, check, remove };
}
