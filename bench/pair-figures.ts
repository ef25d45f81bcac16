/** A figure of a benchmark's tables. */
export interface Figure {
  /** The row: its first cells, up to the first figure. */
  row: string;
  /** The head of the column. */
  figure: string;
  value: number;
}

/** The columns that runs are compared by; less is better in each. */
const COMPARED = /^(CPU µs each|.*RSS MB.*|ready in ms|KiB each)$/;

/** Reads the compared figures from the Markdown tables that a benchmark prints, in order. */
export function parseFigures(text: string): Figure[] {
  const figures: Figure[] = [];
  let head: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("| ")) {
      head = [];
      continue;
    }
    const cells = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (head.length === 0) head = cells;
    else if (!cells.every((cell) => /^-+:?$/.test(cell))) figures.push(...figuresOf(head, cells));
  }
  return figures;
}

function figuresOf(head: readonly string[], cells: readonly string[]): Figure[] {
  const names = cells.filter(
    (cell) => /[a-z]{2}/i.test(cell) && !/\d (%|MB)|met|missed/.test(cell),
  );
  const row = names.join(", ");
  return head.flatMap((figure, index) => {
    const number = /\d[\d,.]*/.exec(cells[index] ?? "")?.[0];
    if (!COMPARED.test(figure) || number === undefined) return [];
    return [{ row, figure, value: Number(number.replaceAll(",", "")) }];
  });
}

/** The median of some ratios, and a confidence interval of it. */
export interface MedianRatio {
  median: number;
  low: number;
  high: number;
}

/**
 * Computes the median and the narrowest interval of order statistics that contains it with a probability of at
 * least 95 %, whatever the distribution; with fewer than six values, all of them.
 */
export function medianRatio(values: readonly number[]): MedianRatio {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const median = (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
  // P(fewer than k of n values lie below the median), by the binomial distribution with p = 1/2.
  let outside = 0.5 ** count;
  let term = outside;
  let cut = 0;
  for (let k = 1; k < count / 2; k++) {
    term *= (count - k + 1) / k;
    outside += term;
    if (2 * outside > 0.05) break;
    cut = k;
  }
  return { median, low: at(cut), high: at(count - 1 - cut) };
}
