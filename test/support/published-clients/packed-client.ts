import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";

const ROOT = join(__dirname, "../../..");
const run = promisify(execFile);

/** The package @signalbox/client as it is published, installed into an empty folder. */
export interface PackedClient {
  folder: string;
  /** Paths of the files in the tarball. */
  files: string[];
  /** Writes a file. */
  write(file: string, text: string): Promise<void>;
  /** Runs a program of the folder. @returns its standard output @throws Error with its standard error */
  node(file: string, environment?: Record<string, string>): Promise<string>;
  remove(): Promise<void>;
}

/** Packs the package and installs it, with other packages of the registry besides. */
export async function installPackedClient(...others: string[]): Promise<PackedClient> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-packed-"));
  const pack = ["pack", "--workspace", "client", "--pack-destination", folder, "--json"];
  const { stdout } = await run("npm", pack, { cwd: ROOT });
  // The output of the build comes first.
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  await write("package.json", '{ "type": "module" }');
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...quiet, `./${packed.filename}`, ...others], { cwd: folder });
  return {
    folder,
    files: packed.files.map(({ path }: { path: string }) => path),
    write,
    async node(file, environment) {
      const { PATH } = process.env;
      const options = { cwd: folder, env: { PATH, ...environment } };
      return (await run(process.execPath, [file], options)).stdout;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Compiles a file in strict mode, with the types of all libraries. @returns what the compiler reports */
export function strictProblems(file: string, moduleResolution: "node16" | "bundler"): string[] {
  const isNode = moduleResolution === "node16";
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: isNode ? ts.ModuleKind.Node16 : ts.ModuleKind.ESNext,
    moduleResolution: isNode ? ts.ModuleResolutionKind.Node16 : ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    jsx: ts.JsxEmit.ReactJSX,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ file: at, messageText }) => {
      return `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
}
