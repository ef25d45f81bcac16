import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Maximum length of standard input, in characters. */
const INPUT_MAX = 65_536;

/** Characters that move a terminal's cursor or change the text direction: C0, C1, line and bidi controls. */
export const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces control characters, so that untrusted text cannot leave its line of the terminal. */
export function replaceControls(text: string): string {
  return text.replace(CONTROLS, "?");
}

/** Whether standard input is a terminal. */
export function isStdinTerminal(): boolean {
  return process.stdin.isTTY === true;
}

/**
 * Reads all of standard input, without the final line break.
 * @throws Error if it is longer than 65,536 characters
 */
export async function readStdin(input: NodeJS.ReadableStream = process.stdin): Promise<string> {
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += chunk;
    if (text.length > INPUT_MAX) throw new Error("standard input is too long");
  }
  return text.replace(/\r?\n$/, "");
}

/**
 * Prompts for a line.
 * @returns null if the user cancels (Ctrl+C, Ctrl+D)
 */
export function promptLine(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string | null> {
  return readAnswer(question, { input, output, echo: output });
}

/**
 * Prompts for a line without echoing the input.
 * @returns null if the user cancels (Ctrl+C, Ctrl+D)
 */
export async function promptHidden(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string | null> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readAnswer(question, { input, output, echo: discard });
  } finally {
    output.write("\n");
  }
}

async function readAnswer(
  question: string,
  {
    input,
    output,
    echo,
  }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; echo: NodeJS.WritableStream },
): Promise<string | null> {
  const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
  // As the prompt, so that a redraw of the line keeps it.
  lines.setPrompt(echo === output ? question : "");
  if (echo === output) lines.prompt();
  else output.write(question);
  try {
    return await new Promise<string | null>((resolve) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => resolve(null));
      lines.once("close", () => resolve(null));
    });
  } finally {
    lines.close();
  }
}

/**
 * Exits once standard output and standard error are flushed, without waiting for pending work such as a DNS
 * look-up.
 */
export function exitAfterFlush(code: number): void {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
