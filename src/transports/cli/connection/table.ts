import { CONTROLS, replaceControls } from "../../../core/terminal";

/** Unwraps the result: descends while an object has a single field that holds an object or list. */
export function unwrap(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [field, ...others] = Object.values(value);
  const isWrapper = others.length === 0 && typeof field === "object" && field !== null;
  return isWrapper ? unwrap(field) : value;
}

/** Formats a result as JSON, with control characters in texts (such as user names) escaped. */
export function toJson(value: unknown): string {
  return escapeControls(JSON.stringify(value, null, 2));
}

/** Formats an entry of an export as JSON on one line. */
export function toJsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value));
}

function escapeControls(text: string): string {
  // Remaining line ends are formatting: those inside texts are escaped already.
  return text.replace(CONTROLS, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Formats a result for people: a list as a table, an object as one line per field. */
export function toTable(value: unknown): string {
  if (Array.isArray(value)) {
    const [first] = value as Array<Record<string, unknown>>;
    if (first === undefined) return "None.";
    const names = Object.keys(first);
    return alignColumns([names, ...value.map((row) => names.map((name) => cell(row[name])))]);
  }
  if (typeof value !== "object" || value === null) return cell(value);
  const { nodes, totalCount, pageInfo } = value as Record<string, unknown>;
  if (Array.isArray(nodes)) {
    return `${toTable(nodes)}${pageNote(nodes.length, totalCount, pageInfo)}`;
  }
  return alignColumns(fieldsOf(value));
}

/** Name and value of each field; nested objects are flattened, for example `web.subject`. */
function fieldsOf(value: object, prefix = ""): string[][] {
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? fieldsOf(each, `${prefix}${name}.`)
      : [[`${prefix}${name}`, cell(each)]],
  );
}

/** Says how to show the next page; empty on the last one. */
function pageNote(length: number, totalCount: unknown, pageInfo: unknown): string {
  const { hasNextPage, endCursor } = (pageInfo ?? {}) as Partial<PageInfo>;
  if (!hasNextPage) return "";
  const count = totalCount === undefined ? `${length}` : `${length} of ${totalCount}`;
  return `\n\n${count}; --after ${endCursor} shows the next.`;
}

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

/** Aligns rows of cells in columns. */
export function alignColumns(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  return rows
    .map((row) =>
      row
        .map(
          (text, column) => text + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text))),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function widthOf(text: string): number {
  return [...text].length;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return replaceControls(typeof value === "object" ? JSON.stringify(value) : String(value));
}
