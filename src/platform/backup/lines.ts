import { BackupError } from "./backup-error";

/** Maximum length of a line, in characters; a row of the service has far less than a hundredth of it. */
const LINE_MAX = 64 * 2 ** 20;

/**
 * Splits texts into lines at line feeds alone. A last line without one counts as well.
 * @throws BackupError if a line is too long
 */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts) {
    const lines = text.split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    if (rest.length > LINE_MAX) throw new BackupError("The backup has a line that is too long.");
    yield* lines;
  }
  if (rest !== "") yield rest;
}
