import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import ts from "typescript";

/**
 * The messages of faults name fields, arguments and enum values as GraphQL does. The names of the wire, such as
 * `full_name` and `user[login]`, are only in the separate texts for REST.
 */

const SRC = resolve(__dirname, "../../src");
const WIRE_NAME = /[a-z]_[a-z]|\w\[\w+\]/;

/** Names that are not of the wire: keys of the files that owners submit. */
const FOREIGN = [/private_key/];

/** The position of the message, and of the text for REST if there is one, among the arguments. */
const MESSAGE: Record<string, number> = { "new Fault": 1, "Fault.field": 1, "Fault.base": 0 };

/** The literal parts of an expression; of a name, those of its declarations in the file by a literal. */
function textsOf(node: ts.Node, tree: ts.SourceFile): string[] {
  const texts: string[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isStringLiteralLike(each)) texts.push(each.text);
    else if (ts.isTemplateExpression(each)) {
      texts.push(each.head.text, ...each.templateSpans.map(({ literal }) => literal.text));
    }
    // The name of a property is not a part of the text.
    if (!ts.isPropertyAccessExpression(each)) ts.forEachChild(each, visit);
  };
  visit(node);
  if (ts.isIdentifier(node)) {
    const find = (each: ts.Node): void => {
      const declares = ts.isVariableDeclaration(each) && each.name.getText(tree) === node.text;
      if (declares && each.initializer && !ts.isCallExpression(each.initializer)) {
        visit(each.initializer);
      }
      ts.forEachChild(each, find);
    };
    find(tree);
  }
  return texts;
}

/** The messages of a source, as literal parts. */
function messagesOf(source: string): string[] {
  const tree = ts.createSourceFile("x.ts", source, ts.ScriptTarget.ES2022, true);
  const messages: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = `${ts.isNewExpression(node) ? "new " : ""}${node.expression.getText(tree)}`;
      const argument = node.arguments?.[MESSAGE[name] ?? -1];
      if (argument) messages.push(...textsOf(argument, tree));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return messages;
}

const wireNamesIn = (source: string) =>
  messagesOf(source).filter(
    (text) => WIRE_NAME.test(text) && !FOREIGN.some((known) => known.test(text)),
  );

const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.includes("generated"))
  .map((file) => join(SRC, file));

test("no message has a name of the wire", () => {
  const found = FILES.flatMap((file) =>
    wireNamesIn(readFileSync(file, "utf8")).map(
      (text) => `${relative(SRC, file).split(sep).join("/")}: ${text}`,
    ),
  );
  expect(found).toEqual([]);
  const all = FILES.flatMap((file) => messagesOf(readFileSync(file, "utf8")));
  expect(all.length).toBeGreaterThan(150);
});

test("names of the wire are found in messages, not in the texts for REST", () => {
  const source = [
    'throw Fault.field("startWith", "start_with is short", "start_with");',
    `throw new Fault(code, \`\${name} and user[login]\`);`,
    'const TEXT = "per_page";\nthrow Fault.base(TEXT, "old_password");',
    'Fault.field("full_name", "is wrong", "full_name is wrong");',
    'Fault.base("contains a private_key");',
  ].join("\n");
  expect(wireNamesIn(source)).toEqual(["start_with is short", " and user[login]", "per_page"]);
});
