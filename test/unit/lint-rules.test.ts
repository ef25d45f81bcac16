import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The rules of biome.json that hold the structure of the code find what they forbid. */

const ROOT = resolve(__dirname, "../..");

/** What Biome reports of some files with the configuration of the repository, as `file: rule`. */
function reports(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-lint-"));
  try {
    copyFileSync(join(ROOT, "biome.json"), join(folder, "biome.json"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
    const { stdout } = spawnSync(process.execPath, [biome, "lint", "--reporter=github", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    return [...stdout.matchAll(/title=lint\/([\w/]+),file=([^,]+)/g)]
      .map(([, rule, file]) => `${file}: ${rule}`)
      .sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a cycle of imports is found, also of types and of dynamic imports", () => {
  expect(
    reports({
      "src/users/a.ts": 'import { b } from "../calls/b";\nexport const a = () => b;\n',
      "src/calls/b.ts": 'import { a } from "../users/a";\nexport const b = () => a;\n',
      "src/bus/c.ts": 'import type { D } from "./d";\nexport type C = D[];\n',
      "src/bus/d.ts": 'import type { C } from "./c";\nexport type D = C[];\n',
      "tools/e.ts": 'export const e = () => import("./f");\n',
      "tools/f.ts": 'import { e } from "./e";\nexport const f = () => e;\n',
      "src/mail/g.ts": 'import { b } from "../calls/b";\nexport const g = () => b;\n',
    }),
  ).toEqual([
    "src/bus/c.ts: suspicious/noImportCycles",
    "src/bus/d.ts: suspicious/noImportCycles",
    "src/calls/b.ts: suspicious/noImportCycles",
    "src/users/a.ts: suspicious/noImportCycles",
    "tools/e.ts: suspicious/noImportCycles",
    "tools/f.ts: suspicious/noImportCycles",
  ]);
});

test.each(["src", "bench", "demo", "fuzz", "scripts", "tools"])("%s imports no test", (folder) => {
  const text = 'import { a } from "../test/support/a";\nexport const b = a;\n';
  expect(
    reports({ [`${folder}/b.ts`]: text, "test/support/a.ts": "export const a = 1;\n" }),
  ).toEqual([`${folder}/b.ts: style/noRestrictedImports`]);
});
