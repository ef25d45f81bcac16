import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** docs/SECURITY.md names existing tests only. */

const ROOT = join(__dirname, "../..");
/** The rows of the tables that name tests. */
const rows = readFileSync(join(ROOT, "docs/SECURITY.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("`test/"))
  .map((line): [row: string, tests: string] => {
    const [, row = "", tests = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return [row, tests];
  });

test("every guarantee has a name of its own", () => {
  const names = rows.map(([row]) => row);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(rows)("%s", (_row, tests) => {
  const named = tests.split("<br>").map((text) => /^`(test\/\S+\.test\.ts) › (.+)`$/.exec(text));
  const wrong = named.flatMap((match) => {
    const [, file = "", title = ""] = match ?? [];
    if (!match) return [`${tests} is not file › title`];
    const path = join(ROOT, file);
    if (!existsSync(path)) return [`${file} does not exist`];
    const text = readFileSync(path, "utf8");
    // A test of a sample adds the seed to its title.
    const forms = [`"${title}"`, `\`${title}\${SAMPLED}\``];
    return forms.some((form) => text.includes(form)) ? [] : [`${file} has no "${title}"`];
  });
  expect(wrong).toEqual([]);
});
