import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Every relative link of a document leads to a file, and to a heading of it, that exists. */

const ROOT = resolve(__dirname, "../..");
const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/README.md",
  "client/README.md",
  "dashboard/README.md",
  "examples/react/README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The text of a document without its blocks of code. */
const proseOf = (file: string) =>
  readFileSync(join(ROOT, file), "utf8").replace(/^```[\s\S]+?^```$/gm, "");

/** The fragment that GitHub gives a heading. */
function fragmentOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

const fragmentsOf = (file: string) =>
  Array.from(proseOf(file).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) => fragmentOf(heading));

/** Links of a document that lead nowhere. */
function broken(file: string, text: string): string[] {
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = "", fragment] = link.split("#");
    const target = path === "" ? file : relative(ROOT, resolve(ROOT, dirname(file), path));
    if (!existsSync(join(ROOT, target))) return true;
    return fragment !== undefined && !fragmentsOf(target).includes(fragment);
  });
}

test.each(DOCUMENTS)("%s links to what exists", (file) => {
  expect(broken(file, proseOf(file))).toEqual([]);
});

test("the runbooks of alerts exist", () => {
  const alerts = readFileSync(join(ROOT, "deploy/prometheus/signalbox.rules.yml"), "utf8");
  const runbooks = Array.from(alerts.matchAll(/^ +runbook: (\S+)$/gm), ([, link]) => `[](${link})`);
  expect(runbooks.length).toBeGreaterThan(10);
  expect(broken("README.md", runbooks.join(" "))).toEqual([]);
});

test("a missing file and a missing heading are found", () => {
  const text = "[a](NONE.md) [b](LIMITS.md#none) [c](LIMITS.md#passwords) [d](#none)";
  expect(broken("docs/PUSH.md", text)).toEqual(["NONE.md", "LIMITS.md#none", "#none"]);
});
