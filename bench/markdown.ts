import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/core/package-root";

/** A Markdown table. @param left columns that are aligned left; all others contain figures */
export function toTable(head: string[], rows: string[][], left: string[]): string {
  const rule = head.map((name) => (left.includes(name) ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/**
 * Replaces the text between `<!-- measured: COMMAND -->` and the next `<!-- end of measured -->` in
 * bench/README.md.
 * @throws Error if the markers are missing
 */
export function putIntoReadme(command: string, text: string): void {
  const path = join(packageRoot(), "bench", "README.md");
  const readme = readFileSync(path, "utf8");
  const begin = `<!-- measured: ${command} -->`;
  const from = readme.indexOf(begin);
  const to = readme.indexOf("<!-- end of measured -->", from);
  if (from < 0 || to < 0) throw new Error(`${path} has no markers for the tables of ${command}`);
  const before = readme.slice(0, from + begin.length);
  writeFileSync(path, `${before}\n\n${text}\n${readme.slice(to)}`);
}

export function verdict(met: boolean): string {
  return met ? "met" : "**missed**";
}

/** Without decimals, with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** At most three significant digits, except for large numbers. */
export function short(value: number): string {
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2);
}
