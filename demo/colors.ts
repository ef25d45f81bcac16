/** Colours of a terminal (ECMA-48 section 8.3.117), or none. */
export interface Colors {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  red(text: string): string;
  cyan(text: string): string;
}

/** @param colour false if the output is not a terminal or colour is disabled */
export function createColors(colour: boolean): Colors {
  const style = (on: number, off: number) => (text: string) =>
    colour && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    green: style(32, 39),
    red: style(31, 39),
    cyan: style(36, 39),
  };
}

/** Colours the markup in a line of XML or JSON, to highlight the values. */
export function colorMarkup(line: string, colors: Colors): string {
  if (/^\s*(<|… )/.test(line)) {
    return line.replace(/<\/?[\w:]+|\/?>/g, (tag) => colors.cyan(tag));
  }
  return line.replace(/"\w+":/g, (key) => colors.cyan(key));
}
