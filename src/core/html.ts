const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Line breaks and invisible characters: controls, separators, bidirectional marks. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Shortens a name to one line and blanks {@link INVISIBLE} characters, which could inject a mail header. */
export function toSingleLine(text: string, max = 80): string {
  const line = text.replace(INVISIBLE, " ").replace(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  const characters = [...line.slice(0, 2 * (max + 1))];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : line;
}
