import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const SOURCES = join(__dirname, "../../../client/src");
/** The modules that the package exports, by the name under which they are imported. */
const ENTRIES: Record<string, string> = {
  "@signalbox/client": "index.ts",
  "@signalbox/client/admin": "admin/index.ts",
  "@signalbox/client/server": "server/index.ts",
  "@signalbox/client/react": "react/index.ts",
};

/** An example in the documentation of an export. */
export interface ClientExample {
  /** Name of the function or class. */
  name: string;
  /** Where it is: the path below client/src. */
  file: string;
  code: string;
  /** `ts`, or `tsx` for a React component. */
  language: string;
}

/** The bundler of Vite. */
const esbuild = require(require.resolve("esbuild", { paths: [require.resolve("vite")] }));

/** Whether an example needs a browser: media, the DOM or React. */
export function needsBrowser({ code, language }: ClientExample): boolean {
  if (language === "tsx") return true;
  return /\bcalls\b|\bconferences\.join|joinAsGuest|browserMedia|RTCPeer|sessionStorage|document\./.test(
    code,
  );
}

/** The examples of all functions and classes that the package exports, and the names of those without one. */
export function clientExamples(): { examples: ClientExample[]; missing: string[] } {
  const roots = Object.values(ENTRIES).map((file) => join(SOURCES, file));
  const program = ts.createProgram(roots, COMPILER_OPTIONS);
  const checker = program.getTypeChecker();
  const examples = new Map<string, ClientExample[]>();
  for (const root of roots) {
    const source = program.getSourceFile(root);
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      if ((symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) === 0) continue;
      const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? "";
      examples.set(
        symbol.name,
        symbol
          .getJsDocTags(checker)
          .filter(({ name }) => name === "example")
          .flatMap(({ text }) => blocksOf(ts.displayPartsToString(text)))
          .map((block) => ({ name: symbol.name, file: file.slice(SOURCES.length + 1), ...block })),
      );
    }
  }
  return {
    examples: [...examples.values()].flat(),
    missing: [...examples].filter(([, found]) => found.length === 0).map(([name]) => name),
  };
}

function blocksOf(text: string): { language: string; code: string }[] {
  return Array.from(text.matchAll(/```(tsx?)\n([\s\S]+?)```/g), ([, language = "", code = ""]) => ({
    language,
    code,
  }));
}

/** Number of documentation comments with an example in all sources, to prove that none is overlooked. */
export function countExamples(): number {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(SOURCES, file), "utf8").match(/^ \* ```tsx?$/gm)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);
}

/** The strict options of a new project. */
const COMPILER_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  jsx: ts.JsxEmit.ReactJSX,
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  paths: Object.fromEntries(
    Object.entries(ENTRIES).map(([name, file]) => [name, [join(SOURCES, file)]]),
  ),
};

/** What examples may use without a declaration. */
const GLOBALS = `
import type { Signalbox } from "@signalbox/client";
declare global { const signalbox: Signalbox; }
`;

/** The files of the package and of TypeScript's library, which are the same for all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Compiles examples in strict mode. @returns what the compiler reports of them; npm run check compiles the package */
export function compileExamples(examples: readonly ClientExample[]): string[] {
  const texts = new Map(
    examples.map(({ name, language, code }, index) => [
      join(SOURCES, `example-${index}-${name}.${language}`),
      // Without an import it would be a script, which cannot wait.
      `${code}\nexport {};\n`,
    ]),
  );
  texts.set(join(SOURCES, "example-globals.d.ts"), GLOBALS);
  const host = ts.createCompilerHost(COMPILER_OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...others) => {
    const text = texts.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, version);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, version, ...others));
    return parsed.get(path);
  };
  const program = ts.createProgram([...texts.keys()], COMPILER_OPTIONS, host);
  const found = [...texts.keys()].flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)),
  );
  return found.map(({ file, messageText }) => {
    return `${file?.fileName.slice(SOURCES.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** Bundles code that imports the package, with its sources. */
export async function bundleExample(code: string, platform: "node" | "browser"): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: code, loader: "tsx", resolveDir: join(SOURCES, "..") },
    ...{ bundle: true, write: false, format: "esm", platform, target: "es2022", jsx: "automatic" },
    define: { "process.env.NODE_ENV": '"development"' },
    alias: Object.fromEntries(
      Object.entries(ENTRIES).map(([name, file]) => [name, join(SOURCES, file)]),
    ),
    external: ["ws"],
    logLevel: "silent",
  });
  return outputFiles[0].text;
}

/** Who and where the examples name. */
export interface ExamplePlace {
  baseUrl: string;
  application: { id: number; authKey: string; authSecret: string };
  /** Id of the user 42. */
  userId: number;
  /** The API key of a backend; none in a browser. */
  apiKey?: string;
}

/** Replaces what an example names by what exists. */
export function placeExample(
  code: string,
  { baseUrl, application, userId, apiKey = "" }: ExamplePlace,
): string {
  return code
    .replaceAll("http://127.0.0.1:4000", baseUrl)
    .replaceAll("applicationId: 1,", `applicationId: ${application.id},`)
    .replaceAll("your auth_key", application.authKey)
    .replaceAll("your auth_secret", application.authSecret)
    .replaceAll("your API key", apiKey)
    .replace(/\b42\b/g, String(userId));
}
