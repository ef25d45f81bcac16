import { replaceControls } from "./terminal";

/** Names of pino's levels, and their colours on a terminal (ECMA-48 select graphic rendition). */
const LEVELS: Readonly<Record<number, { name: string; color: number }>> = {
  10: { name: "TRACE", color: 90 },
  20: { name: "DEBUG", color: 34 },
  30: { name: "INFO", color: 32 },
  40: { name: "WARN", color: 33 },
  50: { name: "ERROR", color: 31 },
  60: { name: "FATAL", color: 31 },
};
const DIM = 2;

interface LoggedError {
  message?: string;
  stack?: string;
}

/**
 * Formats a JSON line of the log for people: the local time, the level, the message and the other fields, and
 * below them the stack of an error. Control characters are replaced, because texts of clients may be logged.
 * @returns the lines, with the last line break; the text itself if it is not a JSON line of the log
 */
export function formatLogLine(line: string, colors: boolean): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time, msg, err, ...others } = fields;
  const { name, color } = LEVELS[Number(level)] ?? { name: String(level), color: DIM };
  const paint = (text: string, code: number) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  const head = [
    paint(new Date(Number(time)).toTimeString().slice(0, 8), DIM),
    paint(name.padEnd(5), color),
    replaceControls(String(msg ?? "")),
    ...Object.entries(others).map(([key, value]) =>
      paint(`${replaceControls(key)}=${formatValue(value)}`, DIM),
    ),
  ];
  return `${[head.join(" "), ...formatError(err as LoggedError | undefined)].join("\n")}\n`;
}

function formatValue(value: unknown): string {
  const isWord = typeof value === "string" && /^[^\s"=]+$/.test(value);
  return replaceControls(isWord ? value : JSON.stringify(value));
}

function formatError(error: LoggedError | undefined): string[] {
  if (error === undefined) return [];
  const text = error.stack ?? error.message ?? JSON.stringify(error);
  return text.split("\n").map((line) => `    ${replaceControls(line.trim())}`);
}
