import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A name that src exports has one meaning: one file declares it. */

const SRC = join(__dirname, "../../src");

const DECLARATION =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|(?:const )?enum|const|let) +(\w+)/gm;
/** A list of names that are exported under another name; the same name from another file is a re-export. */
const LIST = /^export (?:type )?\{([^}]*)\}/gm;

function namesIn(text: string): string[] {
  const declared = [...text.matchAll(DECLARATION)].map(([, name]) => name as string);
  const renamed = [...text.matchAll(LIST)].flatMap(([, list]) =>
    [...(list as string).matchAll(/\bas (\w+)/g)].map(([, name]) => name as string),
  );
  return [...new Set([...declared, ...renamed])];
}

/** The names that several files declare, with these files. */
function duplicates(sources: [file: string, text: string][]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const name of namesIn(text)) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return new Map([...files].filter(([, declaring]) => declaring.length > 1));
}

const SOURCES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.includes("generated"))
  .sort()
  .map((file): [string, string] => [file, readFileSync(join(SRC, file), "utf8")]);

test("one file declares each exported name", () => {
  const found = duplicates(SOURCES);
  expect(SOURCES.length).toBeGreaterThan(300);
  expect(SOURCES.flatMap(([, text]) => namesIn(text)).length).toBeGreaterThan(1_000);
  expect(Object.fromEntries(found)).toEqual({});
});

test("names that two files declare are found, re-exports are not", () => {
  const first = [
    "export const A = 1;\nconst local = 1;",
    "export abstract class B {}\nexport async function c() {}\nexport function* d() {}",
    "export type E = 1;\nexport interface F {}\nexport enum G {}\nexport interface H {}",
  ].join("\n");
  const second = [
    "export interface A {}\nconst local = 2;\nexport { x as B };\nexport const c = 1;",
    'export const d = 1;\nexport class E {}\nexport type F = 2;\nexport let G = 1;\nexport type { H } from "./first";',
  ].join("\n");
  const found = duplicates([
    ["first.ts", first],
    ["second.ts", second],
  ]);
  expect([...found.keys()].sort().join("")).toBe("ABEFGcd");
  expect(found.get("A")).toEqual(["first.ts", "second.ts"]);
});
