const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML shows it, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Characters that end a line, or that a reader cannot see: controls, separators, direction marks. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** A name as one short line: what could begin a header line or turn the reading direction is blanked. */
export function oneLine(text: string, max = 80): string {
  const line = text.replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : line;
}
