import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { WebSocket } from "ws";

// The documents require Node.js 22, which has it.
globalThis.WebSocket ??= WebSocket as never;

const DOCS = join(__dirname, "../../docs");
const DOCUMENTS = ["SIGNALING.md", "CONFERENCES.md", "FRONTEND.md"];

/**
 * The files that docs/SIGNALING.md, docs/CONFERENCES.md and docs/FRONTEND.md print, by name: the code blocks whose first line is a comment
 * with a file name, such as `// ask.js: …`. A change of a file has the name `main.js, in place`.
 */
export const PRINTED_FILES: ReadonlyMap<string, string> = new Map(
  DOCUMENTS.flatMap((name) => {
    const text = readFileSync(join(DOCS, name), "utf8");
    const blocks = text.matchAll(
      /^```(?:js|ts|html)\n((?:\/\/|<!--) ([\w-]+\.(?:m?js|ts|html)(?:, in place)?)\b[\s\S]+?)^```$/gm,
    );
    return Array.from(blocks, ([, code = "", file = ""]): [string, string] => [file, code]);
  }),
);

/**
 * Loads one of these modules. Its imports are other printed modules, or packages.
 * @param own modules that a reader supplies, by the path with which the printed ones import them
 * @returns the module's exports
 * @throws Error if no document prints it
 */
export function loadPrinted<Exports>(name: string, own: Record<string, object> = {}): Exports {
  const load = (file: string): object => {
    const code = PRINTED_FILES.get(file);
    if (code === undefined) throw new Error(`no document prints ${file}`);
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: {
        module: ts.ModuleKind.CommonJS,
        target: ts.ScriptTarget.ES2022,
        esModuleInterop: true,
      },
    });
    const exports = {};
    const resolve = (path: string) => {
      if (own[path]) return own[path];
      if (!path.startsWith("./")) return require(path);
      return load(PRINTED_FILES.has(path.slice(2)) ? path.slice(2) : `${path.slice(2)}.ts`);
    };
    new Function("require", "exports", outputText)(resolve, exports);
    return exports;
  };
  return load(name) as Exports;
}
