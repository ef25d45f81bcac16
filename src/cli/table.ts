/** What an answer is about: the value below its wrappers, each the only field of its object. */
export function coreOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [only, ...more] = Object.values(value);
  const wraps = more.length === 0 && typeof only === "object" && only !== null;
  return wraps ? coreOf(only) : value;
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
  return columns(Object.entries(value).map(([name, each]) => [name, cell(each)]));
}

function columns(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, place) =>
    Math.max(...rows.map((row) => row[place]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((text, place) => text.padEnd(widths[place] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // Names of users are not to move the cursor of the terminal.
  return text.replace(/\p{Cc}/gu, "?");
}
