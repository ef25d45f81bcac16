import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { isSafe } from "redos-detector";
import ts from "typescript";

/**
 * Every regular expression below src is linear: however long a client's text is, the engine has a
 * bounded number of ways to read it. An expression that the analyser cannot bound is replaced by a scan.
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

/** Methods of text that make an expression of text they are given. */
const MAKERS = new Set(["match", "matchAll", "search"]);

function isText(node: ts.Expression): boolean {
  return (
    ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isBinaryExpression(node)
  );
}

/** The expressions of a file, and what makes one of text at run time. */
function read(file: string, text: string): { written: Expression[]; made: string[] } {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const written: Expression[] = [];
  const made: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) written.push({ file, text: node.text });
    if (ts.isIdentifier(node) && node.text === "RegExp") {
      const tested = ts.isBinaryExpression(node.parent) || ts.isTypeReferenceNode(node.parent);
      if (!tested) made.push(`${file}: ${node.parent.getText(tree)}`);
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [argument] = node.arguments;
      if (MAKERS.has(node.expression.name.text) && argument && isText(argument)) {
        made.push(`${file}: ${node.getText(tree)}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { written, made };
}

const FOUND = sourceFiles(SRC).map((path) =>
  read(relative(SRC, path).split(sep).join("/"), readFileSync(path, "utf8")),
);
const EXPRESSIONS = [
  ...new Map(FOUND.flatMap(({ written }) => written).map((each) => [each.text, each])).values(),
];

function isLinear(text: string): boolean {
  const end = text.lastIndexOf("/");
  // Bounded by steps and score, not by time: the same on every machine.
  return isSafe(new RegExp(text.slice(1, end), text.slice(end + 1)), {
    maxScore: 200,
    maxSteps: 5_000,
    timeout: Number.POSITIVE_INFINITY,
  }).safe;
}

test("the files have expressions", () => {
  expect(EXPRESSIONS.length).toBeGreaterThan(100);
});

test.each(EXPRESSIONS.map(({ file, text }) => [file, text]))("%s: %s is linear", (_file, text) => {
  expect(isLinear(text)).toBe(true);
});

test("none is made at run time", () => {
  expect(FOUND.flatMap(({ made }) => made)).toEqual([]);
});

/** Expressions that once stopped the event loop for seconds, and others of their kinds. */
const SLOW = [
  /; (Field "\w+" (?:of required type "[\w![\]]+" was not provided|is not defined by type "?\w+"?)|Expected (?:non-nullable )?type "[\w![\]]+"[^"{}[\]]*|Value does not exist in "\w+" enum)\.?(?: Did you mean [^{}]*\?)?$/,
  /[ \t]*[\r\n]+[ \t]*/g,
  /^(a+)+$/,
  /^(a|a)*$/,
  /^(.*)(.*)$/s,
  // Quadratic by where the search begins alone.
  /\s+$/,
  /\/+$/,
  /<text[^>]*>([^<]*)/,
];

test.each(SLOW)("the analyser finds %s", (expression) => {
  expect(isLinear(String(expression))).toBe(false);
});

test("what makes an expression at run time is found", () => {
  const source = [
    'new RegExp("a");',
    'RegExp("a");',
    'text.match("a");',
    "text.search(`${word}$`);",
    'text.matchAll("a" + word);',
    "const made = RegExp;",
    "const is = value instanceof RegExp;",
    "text.match(/a/);",
    "let type: RegExp;",
  ];
  expect(read("x.ts", source.join("\n"))).toEqual({
    written: [{ file: "x.ts", text: "/a/" }],
    made: expect.any(Array),
  });
  expect(read("x.ts", source.join("\n")).made).toHaveLength(6);
});
