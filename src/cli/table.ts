/** What moves a terminal's cursor, or turns the direction of its text: controls of C0 and C1, of lines and of writing direction. */
const MOVES = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** What an answer is about: the value below its wrappers, each the only field of its object. */
export function coreOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [only, ...more] = Object.values(value);
  const wraps = more.length === 0 && typeof only === "object" && only !== null;
  return wraps ? coreOf(only) : value;
}

/** An answer for a program. Names of users stand escaped in it where they would move the cursor. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  // Line ends are the form's own: those of a text are escaped already.
  return text.replace(MOVES, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** An answer for a person: a list as a table, an object as its fields. */
export function toTable(value: unknown): string {
  if (Array.isArray(value)) {
    const [first] = value as Array<Record<string, unknown>>;
    if (first === undefined) return "None.";
    const names = Object.keys(first);
    return columns([names, ...value.map((row) => names.map((name) => cell(row[name])))]);
  }
  if (typeof value !== "object" || value === null) return cell(value);
  const { nodes, totalCount, offset } = value as Record<string, unknown>;
  if (Array.isArray(nodes)) {
    return `${toTable(nodes)}${rest(nodes.length, Number(offset), Number(totalCount))}`;
  }
  return columns(fieldsOf(value));
}

/** Fields with their values; those of an object in an object stand by themselves, as `web.subject`. */
function fieldsOf(value: object, before = ""): string[][] {
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? fieldsOf(each, `${before}${name}.`)
      : [[`${before}${name}`, cell(each)]],
  );
}

/** What a page leaves out. */
function rest(length: number, offset: number, totalCount: number): string {
  const next = offset + length;
  if (length === 0 || next >= totalCount) return "";
  return `\n\n${offset + 1} to ${next} of ${totalCount}; --offset ${next} shows the next.`;
}

/** Rows of cells below one another. */
export function columns(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, place) =>
    Math.max(...rows.map((row) => widthOf(row[place] ?? ""))),
  );
  return rows
    .map((row) =>
      row
        .map((text, place) => text + " ".repeat(Math.max(0, (widths[place] ?? 0) - widthOf(text))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function widthOf(text: string): number {
  return [...text].length;
}

/** A text that stays on its line of the terminal, whoever wrote it. */
export function printable(text: string): string {
  return text.replace(MOVES, "?");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}
