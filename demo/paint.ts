/** Colours of a terminal (ECMA-48 section 8.3.117), or none. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  red(text: string): string;
  cyan(text: string): string;
}

/** @param colour false where the output is no terminal, or nobody wants colour there */
export function choosePaint(colour: boolean): Paint {
  const with_ = (on: number, off: number) => (text: string) =>
    colour && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: with_(1, 22),
    dim: with_(2, 22),
    green: with_(32, 39),
    red: with_(31, 39),
    cyan: with_(36, 39),
  };
}

/** Paints what is markup in a line of XML or JSON, so that the values stand out. */
export function paintLine(line: string, paint: Paint): string {
  if (/^\s*(<|… )/.test(line)) {
    return line.replace(/<\/?[\w:]+|\/?>/g, (tag) => paint.cyan(tag));
  }
  return line.replace(/"\w+":/g, (key) => paint.cyan(key));
}
