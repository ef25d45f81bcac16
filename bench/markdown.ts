import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/core/package-root";

/** A table of Markdown; a column whose cells are figures stands to the right. */
export function toTable(head: string[], rows: string[][], left: string[]): string {
  const rule = head.map((name) => (left.includes(name) ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/**
 * Puts text into bench/README.md between `<!-- measured: COMMAND -->` and the `<!-- end of measured -->`
 * that follows.
 * @throws Error when they are not there
 */
export function putIntoReadme(command: string, text: string): void {
  const path = join(packageRoot(), "bench", "README.md");
  const readme = readFileSync(path, "utf8");
  const begin = `<!-- measured: ${command} -->`;
  const from = readme.indexOf(begin);
  const to = readme.indexOf("<!-- end of measured -->", from);
  if (from < 0 || to < 0) throw new Error(`${path} has no place for the tables of ${command}`);
  const before = readme.slice(0, from + begin.length);
  writeFileSync(path, `${before}\n\n${text}\n${readme.slice(to)}`);
}

export function verdict(met: boolean): string {
  return met ? "met" : "**missed**";
}

/** Without decimals, thousands apart. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Three digits, no more. */
export function short(value: number): string {
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2);
}
