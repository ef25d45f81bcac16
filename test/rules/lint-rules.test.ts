import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The rules of biome.json and tools/lint that hold the structure of the code find what they forbid. */

const ROOT = resolve(__dirname, "../..");

/**
 * What Biome reports of some files with the configuration of the repository, as `file: rule`. In place of a rule, those of
 * tools/lint have a message.
 */
function reports(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-lint-"));
  try {
    copyFileSync(join(ROOT, "biome.json"), join(folder, "biome.json"));
    cpSync(join(ROOT, "tools/lint"), join(folder, "tools/lint"), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
    const options = ["lint", "--reporter=github", "--max-diagnostics=none", "."];
    const { stdout } = spawnSync(process.execPath, [biome, ...options], {
      cwd: folder,
      encoding: "utf8",
    });
    return [...stdout.matchAll(/title=(?:lint\/)?([\w/]+),file=([^,]+).*?::(.*)/g)]
      .map(([, rule, file, message]) => `${file}: ${rule === "plugin" ? message : rule}`)
      .sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a cycle of imports is found, also of types and of dynamic imports", () => {
  expect(
    reports({
      "src/domain/users/a.ts": 'import { b } from "../calls/b";\nexport const a = () => b;\n',
      "src/domain/calls/b.ts": 'import { a } from "../users/a";\nexport const b = () => a;\n',
      "src/platform/bus/c.ts": 'import type { D } from "./d";\nexport type C = D[];\n',
      "src/platform/bus/d.ts": 'import type { C } from "./c";\nexport type D = C[];\n',
      "tools/e.ts": 'export const e = () => import("./f");\n',
      "tools/f.ts": 'import { e } from "./e";\nexport const f = () => e;\n',
      "src/platform/mail/g.ts":
        'import { b } from "../../domain/calls/b";\nexport const g = () => b;\n',
    }),
  ).toEqual([
    "src/domain/calls/b.ts: suspicious/noImportCycles",
    "src/domain/users/a.ts: suspicious/noImportCycles",
    "src/platform/bus/c.ts: suspicious/noImportCycles",
    "src/platform/bus/d.ts: suspicious/noImportCycles",
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

/**
 * Violations of a rule by the place below src, and what is none. Several texts of one place are files of their own.
 */
interface Planted {
  found: Record<string, string[]>;
  passed: Record<string, string[]>;
}

const PLANTED: Record<string, Planted> = {
  "This package belongs to another module.": {
    found: {
      "domain/users": [
        'import type A from "pg-boss";',
        'import { a } from "ioredis";',
        'import "saxes";',
        'export const a = () => import("ltx");',
        'export const a = () => require("web-push");',
        'export const a = () => require.resolve("apn");',
        'export type T = import("node-datachannel").T;',
        'export { a } from "nodemailer/lib";',
        'import a from "rate-limiter-flexible";',
        'import { a } from "ipaddr.js";',
        'import type { Message } from "firebase-admin/messaging";',
        'import { trace } from "@opentelemetry/api";',
      ],
      "platform/bus": ['import a from "rate-limiter-flexible";'],
      ".": ['import a from "pg-boss";'],
    },
    passed: {
      "core/tracing.ts": ['import { trace } from "@opentelemetry/api";'],
      "platform/jobs": ['import a from "pg-boss";'],
      "platform/bus": ['import a from "ioredis";'],
      "platform/limits": ['import a from "ioredis";', 'import a from "rate-limiter-flexible";'],
      "transports/xmpp/stanza": ['import a from "ltx";'],
      "domain/users": ['import a from "graphql";', 'export const a = "apn";'],
    },
  },
  "Only fcm-credential.ts loads firebase-admin.": {
    found: {
      "domain/push/providers/fcm/fcm-credential.ts": ['import { cert } from "firebase-admin/app";'],
      "domain/push/providers/fcm": [
        'import * as a from "firebase-admin/app";',
        'export const a = await import("firebase-admin/app");',
      ],
    },
    passed: {
      "domain/push/fcm-credential.ts": [
        'export const { cert } = await import("firebase-admin/app");',
      ],
      "domain/push/providers/fcm": ['import type { Message } from "firebase-admin/messaging";'],
    },
  },
  "Only core uses time, randomness and the console.": {
    found: {
      "domain/users": [
        "export const a = Date.now();",
        "export const a = { now: Date.now };",
        "export const a = new Date();",
        "export const a = Math.random();",
        "export const a = performance.now();",
        "export const a = process.hrtime.bigint();",
        "export const a = process.uptime();",
        'process.stdout.write("a");',
        'process.stderr.write("a");',
        "export const a = console.log;",
        'import { performance } from "node:perf_hooks";',
        'import { Console } from "console";',
        'import { createHash, randomInt as a } from "crypto";',
        'import {\n  randomBytes,\n} from "node:crypto";',
        'import { webcrypto } from "node:crypto";',
      ],
      ".": ["export const a = Date.now();"],
    },
    passed: {
      "core/log": ["export const a = Date.now();", 'import { randomBytes } from "node:crypto";'],
      "domain/users": [
        "export const a = new Date(1);",
        'import { createHash } from "node:crypto";',
        "export const a = clock.now();",
      ],
    },
  },
  "Only core/config.ts reads the environment.": {
    found: {
      core: [
        'export const a = process["env"];',
        "export const a = process?.env;",
        "const { env } = process;",
        'import { env } from "node:process";',
        'import process from "process";',
      ],
    },
    passed: {
      "core/config.ts": ["const { env } = process;"],
      "domain/users": ["export const a = process.pid;"],
    },
  },
  "style/noProcessEnv": {
    found: {
      core: ["export const a = process.env.A;", "export const a = process.env;"],
    },
    passed: {
      "core/config.ts": ["export const a = process.env;"],
      "core/startup/node-env.ts": ["export const a = process.env;"],
      "core/startup/systemd.ts": ["export const a = process.env.A;"],
    },
  },
  "A regular expression is a literal.": {
    found: {
      core: [
        'export const a = new RegExp("a");',
        'export const a = RegExp("a");',
        'export const a = new globalThis.RegExp("a");',
        'export const a = text.match("a");',
        "export const a = text.search(`a`);",
        'export const a = text.matchAll("a" + word);',
        "export const dynamic = RegExp;",
        "export const a = text.map(RegExp);",
      ],
    },
    passed: {
      core: [
        "export const is = value instanceof RegExp;",
        "export const a = text.match(/a/);",
        "export const a = text.match(PATTERN);",
        "export let type: RegExp;",
      ],
    },
  },
  "The name of a type has no prefix.": {
    found: {
      "domain/users": [
        "export interface IUser {\n  a: 1;\n}",
        "interface IUser {}",
        "export type IUser = 1;",
      ],
    },
    passed: { "domain/users": ["export type Iterator2 = 1;", "export type ID = 1;"] },
  },
  "A name is imported from the file that declares it.": {
    found: {
      "domain/users": [
        'export * from "./a";',
        'export { a } from "./a";',
        'import { b } from "./b";\nexport { a } from "./a";\nexport const c = b;',
      ],
    },
    passed: { "domain/users": ["const a = 1;\nexport { a };", 'export type { A } from "./a";'] },
  },
  "style/noExcessiveLinesPerFile": {
    found: { "domain/users": [`${"//\n".repeat(300)}export const a = 1;`] },
    passed: { "domain/users": [`${"//\n".repeat(299)}export const a = 1;`] },
  },
};

const filesOf = (places: Record<string, string[]>, name: string) =>
  Object.entries(places).flatMap(([place, texts]) =>
    texts.map((text, index) => {
      const path = place.endsWith(".ts") ? place : join(place, `${name}-${index}.ts`);
      return [`src/${path}`, `${text.trimEnd()}\n`] as const;
    }),
  );

test.each(Object.entries(PLANTED))("in src, violations are found: %s", (rule, planted) => {
  const found = filesOf(planted.found, "found");
  const files = Object.fromEntries([...found, ...filesOf(planted.passed, "passed")]);
  const reported = reports(files).filter((report) => report.endsWith(`: ${rule}`));
  expect([...new Set(reported)]).toEqual(found.map(([path]) => `${path}: ${rule}`).sort());
});
