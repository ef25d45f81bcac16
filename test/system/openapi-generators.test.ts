import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * What generators make of schema/openapi.json compiles. Their packages have a lock file of their own, since the output of
 * one needs zod 3, and the dashboard has zod 4.
 */

const run = promisify(execFile);
const DOCUMENT = join(__dirname, "../../schema/openapi.json");
const PACKAGES = join(__dirname, "../support/generators");
const TSC = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext"];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-generators-"));
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(PACKAGES, file), join(folder, file));
  }
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["ci", ...options], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = (name: string, parameters: string[]) =>
  run(join(folder, "node_modules/.bin", name), parameters, { cwd: folder });

/** @returns what the compiler says; nothing if the file and what it imports compile */
async function compile(file: string): Promise<string> {
  const options = [...TSC, "--moduleResolution", "bundler", file];
  return program("tsc", options).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test.each([
  ["openapi-typescript", "openapi-typescript", [DOCUMENT, "-o", "types.ts"], "types.ts"],
  ["openapi-zod-client", "openapi-zod-client", [DOCUMENT, "-o", "zod.ts"], "zod.ts"],
  [
    "openapi-typescript-codegen",
    "openapi",
    ["--input", DOCUMENT, "--output", "codegen"],
    "codegen/index.ts",
  ],
])("the output of %s compiles with tsc --strict", async (_package, bin, parameters, file) => {
  await program(bin, parameters);
  expect((await readFile(join(folder, file), "utf8")).length).toBeGreaterThan(1_000);
  expect(await compile(file)).toBe("");
});
