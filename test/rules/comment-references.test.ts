import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import ts from "typescript";

/** Every source file that a comment below src or a document names exists. */

const ROOT = resolve(__dirname, "../..");
const FOLDERS = [
  "src",
  "client/src",
  "test",
  "scripts",
  "demo",
  "bench",
  "fuzz",
  "tools",
  "schema",
];

/** Paths of the files with an extension below a folder, relative to the root, with slashes. */
function filesIn(folder: string, extension: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.includes("/generated/"));
}

/** The files that a reference may name. */
const EXISTING = FOLDERS.flatMap((folder) => filesIn(folder, ".ts"));

/** The comments of a source. */
function commentsOf(text: string): string[] {
  const tree = ts.createSourceFile("x.ts", text, ts.ScriptTarget.ES2022);
  const comments = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) comments.set(pos, text.slice(pos, end));
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...comments.values()];
}

/**
 * The names of source files in a text that no file has: a name may be a file name or the end of a path. A
 * pattern such as `*-queries.ts` is not a name.
 */
function missingFiles(text: string): string[] {
  const names = [...text.matchAll(/(?<![\w*./-])(?:\.{1,2}\/)*([\w./-]*\w\.ts)\b(?!\.\w)/g)];
  return names
    .map(([, name = ""]) => name)
    .filter((name) => !EXISTING.some((path) => `/${path}`.endsWith(`/${name}`)));
}

test.each(filesIn("src", ".ts"))("the comments of %s name existing files", (file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  expect(commentsOf(text).flatMap(missingFiles)).toEqual([]);
});

test.each(filesIn("docs", ".md"))("%s names existing files", (file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  // A program that the document prints begins with its name.
  const printed = Array.from(text.matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\b/gm), ([, name]) => name);
  expect(missingFiles(text).filter((name) => !printed.includes(name))).toEqual([]);
});

test.each([
  ["// The form that gone.ts reads.", ["gone.ts"]],
  ["/** See calls/gone.ts. */\nfunction f() {}", ["calls/gone.ts"]],
  ["class A {\n  a = 1; // as core/gone.ts says\n}", ["core/gone.ts"]],
  ["f(\n  // see ../gone.ts\n);", ["gone.ts"]],
  ["// the folder is wrong: sessions/router.ts", ["sessions/router.ts"]],
  ["// calls/router.ts, router.ts, src/domain/calls/router.ts and *-queries.ts", []],
  ['import "./gone.ts";', []],
])("in %j, missing files are found", (text, missing) => {
  expect(commentsOf(text).flatMap(missingFiles)).toEqual(missing);
});
