/** The heading of what is not released yet. */
const UNRELEASED = "## [Unreleased]";

/** CHANGELOG.md in the form of Keep a Changelog: https://keepachangelog.com/en/1.1.0/. */
export interface Changelog {
  /** What stands before the entries of the next release, with their heading. */
  head: string;
  /** The entries of the next release; empty if there are none. */
  unreleased: string;
  /** The entries of earlier releases, with their headings. */
  released: string;
}

/** Reads a changelog. @returns null if it has no part for the next release */
export function readChangelog(text: string): Changelog | null {
  const start = text.indexOf(`${UNRELEASED}\n`);
  if (start < 0) return null;
  const entries = start + UNRELEASED.length + 1;
  const next = text.indexOf("\n## ", entries);
  const end = next < 0 ? text.length : next + 1;
  return {
    head: text.slice(0, entries),
    unreleased: text.slice(entries, end).trim(),
    released: text.slice(end),
  };
}

/** The changelog after a release: its entries have its version and date, and there are none of the next one. */
export function releaseEntries(
  { head, unreleased, released }: Changelog,
  version: string,
  date: string,
): string {
  const rest = released === "" ? "" : `\n${released}`;
  return `${head}\n## [${version}] - ${date}\n\n${unreleased}\n${rest}`;
}

/** Whether an entry names a member as code: a word, or several, of a span in backticks. */
export function mentions(entries: string, name: string): boolean {
  const isPartOfWord = (character: string | undefined) =>
    character !== undefined && /[\w-]/.test(character);
  return Array.from(entries.matchAll(/`([^`]+)`/g), ([, code = ""]) => code).some((code) => {
    for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1)) {
      if (!isPartOfWord(code[at - 1]) && !isPartOfWord(code[at + name.length])) return true;
    }
    return false;
  });
}
