import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(__dirname, "../../..");

/** A folder with an SDK of OpenTelemetry, as docs/OBSERVABILITY.md tells operators to make it. */
export interface TracingFolder {
  /** The variables with which a node loads one of the printed files. */
  environment(file: "tracing.mjs" | "tracing-public.mjs"): Record<string, string>;
  /** Loads src/main.ts: with --import, Node.js 20 runs no other file than one of JavaScript. */
  program: string;
  close(): void;
}

/** Writes the printed files, beside copies of the packages: the SDK has an API of its own, as in a deployment. */
export function makeTracingFolder(): TracingFolder {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-tracing-"));
  const packages = "node_modules/@opentelemetry";
  cpSync(join(ROOT, packages), join(folder, packages), { recursive: true });
  const text = readFileSync(join(ROOT, "docs/OBSERVABILITY.md"), "utf8");
  for (const [, code = "", name = ""] of text.matchAll(
    /^```js\n(\/\/ ([\w-]+\.mjs)\n[\s\S]+?)^```$/gm,
  )) {
    writeFileSync(join(folder, name), code);
  }
  const program = join(folder, "main.cjs");
  writeFileSync(program, `require(${JSON.stringify(join(ROOT, "src/main.ts"))});\n`);
  return {
    program,
    environment: (file) => ({ NODE_OPTIONS: `--import ${pathToFileURL(join(folder, file))}` }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
