import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { isSafe } from "redos-detector";
import ts from "typescript";

/**
 * Every regular expression below src is safe against ReDoS: it matches in linear time. An expression that the
 * analyser cannot prove safe must be replaced by a scan. Biome refuses those that are no literals
 * (tools/lint/expressions.grit).
 */

const SRC = resolve(__dirname, "../../src");

interface Expression {
  file: string;
  text: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "generated" ? [] : sourceFiles(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** The expression literals of a file. */
function read(file: string, text: string): Expression[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const literals: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push({ file, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return literals;
}

const FOUND = sourceFiles(SRC).flatMap((path) =>
  read(relative(SRC, path).split(sep).join("/"), readFileSync(path, "utf8")),
);
const EXPRESSIONS = [...new Map(FOUND.map((each) => [each.text, each])).values()];

function isLinear(text: string): boolean {
  const end = text.lastIndexOf("/");
  // Bounded by steps and score, not by time, so the result does not depend on the machine.
  return isSafe(new RegExp(text.slice(1, end), text.slice(end + 1)), {
    maxScore: 200,
    maxSteps: 5_000,
    timeout: Number.POSITIVE_INFINITY,
  }).safe;
}

test("expressions are found", () => {
  expect(EXPRESSIONS.length).toBeGreaterThan(100);
});

test.each(EXPRESSIONS.map(({ file, text }) => [file, text]))("%s: %s is linear", (_file, text) => {
  expect(isLinear(text)).toBe(true);
});

/** Expressions that once blocked the event loop for seconds, and similar ones. */
const SLOW = [
  /; (Field "\w+" (?:of required type "[\w![\]]+" was not provided|is not defined by type "?\w+"?)|Expected (?:non-nullable )?type "[\w![\]]+"[^"{}[\]]*|Value does not exist in "\w+" enum)\.?(?: Did you mean [^{}]*\?)?$/,
  /[ \t]*[\r\n]+[ \t]*/g,
  /^(a+)+$/,
  /^(a|a)*$/,
  /^(.*)(.*)$/s,
  // Quadratic because the search is retried at every position.
  /\s+$/,
  /\/+$/,
  /<text[^>]*>([^<]*)/,
];

test.each(SLOW)("the analyser rejects %s", (expression) => {
  expect(isLinear(String(expression))).toBe(false);
});
