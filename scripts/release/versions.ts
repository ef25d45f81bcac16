/** A semantic version without a suffix: https://semver.org. */
export type Version = readonly [major: number, minor: number, patch: number];

/** Reads `MAJOR.MINOR.PATCH`. @returns null for any other text */
export function readVersion(text: string): Version | null {
  const match = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/.exec(text);
  return match && [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Whether the first version is later than the second. */
export function isLater(version: Version, than: Version): boolean {
  const at = version.findIndex((part, index) => part !== than[index]);
  return at >= 0 && (version[at] ?? 0) > (than[at] ?? 0);
}

/** The least version after one that may have changes of a kind. Before 1.0, a minor version may break. */
export function nextVersion(
  [major, minor, patch]: Version,
  changes: "breaking" | "added" | "none",
): Version {
  if (changes === "breaking" && major > 0) return [major + 1, 0, 0];
  if (changes === "breaking" || (changes === "added" && major > 0)) return [major, minor + 1, 0];
  return [major, minor, patch + 1];
}
