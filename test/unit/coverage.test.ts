import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** docs/COVERAGE.md and docs/SECURITY.md only name existing tests. */

const ROOT = join(__dirname, "../..");
const linesOf = (file: string) => readFileSync(join(ROOT, file), "utf8").split("\n");
const lines = linesOf("docs/COVERAGE.md");
/** Rows of the tables that name tests. */
const rows = [...lines, ...linesOf("docs/SECURITY.md").filter((line) => line.includes("`test/"))]
  .filter((line) => line.startsWith("| ") && line !== "| row | test |")
  .map((line): [row: string, tests: string] => {
    const [, row = "", tests = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return [row, tests];
  });
const SECTIONS = [
  "Session and sign-in",
  "Endpoint discovery",
  "NAT traversal and calls in browsers",
  "Accounts and applications",
  "Users",
  "Push subscriptions",
  "Push events",
  "Push notifications of owners",
  "Payload rules",
  "Call records and incoming-call pushes",
  "Authentication",
  "Errors",
  "Limits",
  "States and transitions of sessions",
  "Chat endpoint",
  "Existing chat servers",
  "Conferences",
  "Conference clients",
  "Client package",
  "Classes of security",
];

test("every section exists, and its rows have unique names", () => {
  const heads = lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3));
  expect(heads).toEqual(SECTIONS);
  for (const head of SECTIONS) {
    const start = lines.indexOf(`## ${head}`) + 1;
    const end = lines.findIndex((line, index) => index >= start && line.startsWith("## "));
    const names = lines
      .slice(start, end === -1 ? undefined : end)
      .filter((line) => line.startsWith("| ") && line !== "| row | test |")
      .map((line) => line.split("|")[1]);
    expect(names).not.toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
});

test.each(rows)("%s", (_row, tests) => {
  const named = tests.split("<br>").map((text) => /^`(test\/\S+\.test\.ts) › (.+)`$/.exec(text));
  const wrong = named.flatMap((match) => {
    const [, file = "", title = ""] = match ?? [];
    if (!match) return [`${tests} is not file › title`];
    const path = join(ROOT, file);
    if (!existsSync(path)) return [`${file} does not exist`];
    const text = readFileSync(path, "utf8");
    return text.includes(`"${title}"`) ? [] : [`${file} has no "${title}"`];
  });
  expect(wrong).toEqual([]);
});
