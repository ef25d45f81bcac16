/** The first word of a statement that begins or ends a transaction, or a part of one. */
const TRANSACTION_WORDS = new Set([
  "BEGIN",
  "START",
  "COMMIT",
  "END",
  "ROLLBACK",
  "ABORT",
  "SAVEPOINT",
  "RELEASE",
  "PREPARE",
]);

/** Where a string, a quoted identifier or a comment ends, by how it starts. */
const ENDS: readonly (readonly [start: string, end: string])[] = [
  ["--", "\n"],
  ["/*", "*/"],
  ["'", "'"],
  ['"', '"'],
];

/** The start of a string in dollar quotes, such as `$$` or `$body$`. */
const DOLLAR_QUOTE = /^\$(?:[A-Za-z_]\w{0,62})?\$/;

/**
 * The statements of an SQL script, without comments. The contents of strings are left out: `'…'` becomes `''`. Quoted
 * identifiers are kept. Comments do not nest, and a backslash in a string is an ordinary character.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let text = "";
  let at = 0;
  const finish = () => {
    const statement = text.trim();
    if (statement !== "") statements.push(statement);
    text = "";
  };
  while (at < script.length) {
    const end = endOfQuoted(script, at);
    if (end > at) {
      const first = script[at];
      if (first === '"') text += script.slice(at, end);
      else text += first === "'" || first === "$" ? "''" : " ";
      at = end;
    } else {
      if (script[at] === ";") finish();
      else text += script[at];
      at++;
    }
  }
  finish();
  return statements;
}

/** Where the string, quoted identifier or comment that starts at a position ends; the position if none does. */
function endOfQuoted(script: string, at: number): number {
  for (const [start, end] of ENDS) {
    if (script.startsWith(start, at)) return after(script, end, at + start.length);
  }
  if (script[at] !== "$") return at;
  const tag = DOLLAR_QUOTE.exec(script.slice(at, at + 66))?.[0];
  return tag === undefined ? at : after(script, tag, at + tag.length);
}

function after(script: string, end: string, from: number): number {
  const found = script.indexOf(end, from);
  return found < 0 ? script.length : found + end.length;
}

/**
 * The first statement of a script that controls a transaction; null if none does. A migration runs in one transaction
 * with its record, which such a statement would end or divide.
 */
export function transactionControlOf(script: string): string | null {
  const found = statementsOf(script).find((statement) => {
    const [word = ""] = statement.split(/\W/, 1);
    return TRANSACTION_WORDS.has(word.toUpperCase());
  });
  return found ?? null;
}
