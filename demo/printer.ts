import { Mismatch } from "./check";
import { type Colors, colorMarkup } from "./colors";
import { truncate } from "./format";

/** A sent or received message: a heading, and its lines for a given width. */
export interface Pane {
  heading: string;
  lines(width: number): string[];
}

/** Minimum width for two panes side by side, in columns. */
const SIDE_BY_SIDE = 110;
/** Maximum used width, in columns; longer lines are hard to read. */
const WIDTH_MAX = 170;
const MARGIN = "  ";
const INDENT = "      ";
const RULE = " │ ";
/** Right edge of the column with the steps' times. */
const TIME_COLUMN = 72;

/** Prints the progress of the demo. */
export class Printer {
  private readonly width: number;
  private blank = false;

  /** @param live whether lines can be overwritten, as on a terminal */
  constructor(
    private readonly output: { write(text: string): unknown },
    columns: number,
    private readonly live: boolean,
    readonly colors: Colors,
  ) {
    this.width = Math.min(columns, WIDTH_MAX);
  }

  /** Prints a line; skips repeated empty lines. */
  line(text = ""): void {
    if (text !== "") this.write(`${MARGIN}${text}`);
    else if (!this.blank) this.write("");
  }

  /** Prints a row of a two-column table. */
  row(name: string, value: string): void {
    this.line(`${this.colors.dim(name.padEnd(11))}${value}`);
  }

  section(title: string): void {
    this.line();
    const rest = Math.max(0, Math.min(this.width, TIME_COLUMN + 2) - title.length - 5);
    this.line(this.colors.bold(title) + this.colors.dim(` ${"─".repeat(rest)}`));
    this.line();
  }

  /** Prints the current step; the next line overwrites it. */
  busy(text: string): void {
    if (this.live) this.output.write(`${MARGIN}${this.colors.dim(`· ${text}`)}`);
  }

  pass(name: string, route: string, milliseconds: number): void {
    const { bold, dim, green } = this.colors;
    const time = formatMs(milliseconds).padStart(7);
    const gap = " ".repeat(Math.max(2, TIME_COLUMN - name.length - route.length - time.length - 4));
    this.replace(`${green("✓")} ${bold(name)}${gap}${dim(route)}  ${time}`);
  }

  note(text: string): void {
    this.line(this.colors.dim(truncate(`  ${text}`, this.width - MARGIN.length)));
  }

  fail(name: string, error: unknown): void {
    const { bold, dim, red } = this.colors;
    this.replace(`${red("✗")} ${bold(name)}`);
    this.line();
    if (error instanceof Mismatch) {
      this.line(`  ${error.subject}`);
      this.line(`  ${dim("expected")}  ${error.expected}`);
      this.line(`  ${dim("actual")}    ${red(error.actual)}`);
    } else this.line(`  ${red(messageOf(error))}`);
    this.line();
  }

  /** Prints two panes, side by side if the width allows it. */
  panes(left: Pane, right: Pane): void {
    this.line();
    if (this.width >= SIDE_BY_SIDE) this.sideBySide(left, right);
    else {
      this.stacked(left);
      this.line();
      this.stacked(right);
    }
    this.line();
  }

  private sideBySide(left: Pane, right: Pane): void {
    const { dim } = this.colors;
    const width = Math.floor((this.width - INDENT.length - RULE.length - 1) / 2);
    const lefts = left.lines(width);
    const rights = right.lines(width);
    const heading = dim(left.heading.padEnd(width) + RULE + right.heading);
    this.write(`${INDENT}${heading}`);
    for (let row = 0; row < Math.max(lefts.length, rights.length); row++) {
      const first = lefts[row] ?? "";
      const space = " ".repeat(Math.max(0, width - first.length));
      const second = colorMarkup(rights[row] ?? "", this.colors);
      const line = `${INDENT}${colorMarkup(first, this.colors)}${space}${dim(RULE)}${second}`;
      this.write(line.trimEnd());
    }
  }

  private stacked(pane: Pane): void {
    this.write(`${INDENT}${this.colors.dim(pane.heading)}`);
    for (const line of pane.lines(this.width - INDENT.length - 1)) {
      this.write(`${INDENT}${colorMarkup(line, this.colors)}`);
    }
  }

  private write(line: string): void {
    this.blank = line === "";
    this.output.write(`${line}\n`);
  }

  private replace(text: string): void {
    if (this.live) this.output.write("\r\x1b[2K");
    this.line(text);
  }
}

/** Formats a duration: `1.4 ms`, `32 ms`, `2.5 s`. */
export function formatMs(milliseconds: number): string {
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

/** The messages of an error and its causes; fetch gives the reason of a failure only in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${messageOf(error.cause)}`;
}
