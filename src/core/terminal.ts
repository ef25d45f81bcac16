import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Characters of standard input that are read at most. */
const INPUT_MAX = 65_536;

/** Whether a person sits at standard input. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true;
}

/**
 * All of standard input, without the line end that stands last.
 * @throws Error when it is longer than 65,536 characters
 */
export async function readInput(input: NodeJS.ReadableStream = process.stdin): Promise<string> {
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += chunk;
    if (text.length > INPUT_MAX) throw new Error("standard input is too long");
  }
  return text.replace(/\r?\n$/, "");
}

/**
 * Asks a person for a line that is not shown while it is typed.
 * @returns null when it was broken off (Ctrl+C, Ctrl+D)
 */
export async function askUnseen(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string | null> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  output.write(question);
  try {
    return await new Promise<string | null>((resolve) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => resolve(null));
      lines.once("close", () => resolve(null));
    });
  } finally {
    output.write("\n");
    lines.close();
  }
}

/**
 * Ends the process once everything is written; what is still under way (a name that is being looked
 * up, say) is not waited for.
 */
export function endProcess(code: number): void {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
