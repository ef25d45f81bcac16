import { Mismatch } from "./check";
import { cut } from "./format";
import { type Paint, paintLine } from "./paint";

/** What was sent, or what arrived: a heading, and the lines that it takes in a given width. */
export interface Pane {
  heading: string;
  lines(width: number): string[];
}

/** Columns from which two panes stand side by side. */
const SIDE_BY_SIDE = 110;
/** A terminal may be wider; lines longer than this are no pleasure. */
const WIDEST = 170;
const MARGIN = "  ";
const INDENT = "      ";
const RULE = " │ ";
/** Where a step's time stands. */
const TIME_COLUMN = 72;

/** Prints the demo as it goes. */
export class Printer {
  private readonly width: number;
  private blank = false;

  /** @param live whether lines can be written over, which takes a terminal */
  constructor(
    private readonly output: { write(text: string): unknown },
    columns: number,
    private readonly live: boolean,
    readonly paint: Paint,
  ) {
    this.width = Math.min(columns, WIDEST);
  }

  /** A line; an empty one only after one that is not. */
  line(text = ""): void {
    if (text !== "") this.write(`${MARGIN}${text}`);
    else if (!this.blank) this.write("");
  }

  /** A name and what it is, in a table. */
  row(name: string, value: string): void {
    this.line(`${this.paint.dim(name.padEnd(11))}${value}`);
  }

  scene(title: string): void {
    this.line();
    const rest = Math.max(0, Math.min(this.width, TIME_COLUMN + 2) - title.length - 5);
    this.line(this.paint.bold(title) + this.paint.dim(` ${"─".repeat(rest)}`));
    this.line();
  }

  /** Says what is under way; the next line takes its place. */
  busy(text: string): void {
    if (this.live) this.output.write(`${MARGIN}${this.paint.dim(`· ${text}`)}`);
  }

  pass(name: string, route: string, milliseconds: number): void {
    const { bold, dim, green } = this.paint;
    const time = formatMs(milliseconds).padStart(7);
    const gap = " ".repeat(Math.max(2, TIME_COLUMN - name.length - route.length - time.length - 4));
    this.replace(`${green("✓")} ${bold(name)}${gap}${dim(route)}  ${time}`);
  }

  note(text: string): void {
    this.line(this.paint.dim(cut(`  ${text}`, this.width - MARGIN.length)));
  }

  fail(name: string, error: unknown): void {
    const { bold, dim, red } = this.paint;
    this.replace(`${red("✗")} ${bold(name)}`);
    this.line();
    if (error instanceof Mismatch) {
      this.line(`  ${error.subject}`);
      this.line(`  ${dim("expected")}  ${error.expected}`);
      this.line(`  ${dim("came")}      ${red(error.came)}`);
    } else this.line(`  ${red(explain(error))}`);
    this.line();
  }

  /** Two panes: side by side where there is room, else one below the other. */
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
    const { dim } = this.paint;
    const width = Math.floor((this.width - INDENT.length - RULE.length - 1) / 2);
    const lefts = left.lines(width);
    const rights = right.lines(width);
    const heading = dim(left.heading.padEnd(width) + RULE + right.heading);
    this.write(`${INDENT}${heading}`);
    for (let row = 0; row < Math.max(lefts.length, rights.length); row++) {
      const first = lefts[row] ?? "";
      const space = " ".repeat(Math.max(0, width - first.length));
      const second = paintLine(rights[row] ?? "", this.paint);
      const line = `${INDENT}${paintLine(first, this.paint)}${space}${dim(RULE)}${second}`;
      this.write(line.trimEnd());
    }
  }

  private stacked(pane: Pane): void {
    this.write(`${INDENT}${this.paint.dim(pane.heading)}`);
    for (const line of pane.lines(this.width - INDENT.length - 1)) {
      this.write(`${INDENT}${paintLine(line, this.paint)}`);
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

/** A duration for a person: `1.4 ms`, `32 ms`, `2.5 s`. */
export function formatMs(milliseconds: number): string {
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

/** What an error says, and what was behind it: fetch tells only there why it failed. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}
