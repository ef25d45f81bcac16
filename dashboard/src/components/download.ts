/** Time that a browser gets to read a file before it is released, in milliseconds. */
const RELEASE_MS = 60_000;

/** Offers a file as a download. */
export function downloadFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS);
}

/**
 * A line of a file for spreadsheets (RFC 4180). Text that begins like a formula gets an apostrophe in front, so that no
 * spreadsheet runs what a client has sent.
 */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return `"${text.replaceAll('"', '""')}"`;
  });
  return `${quoted.join(",")}\r\n`;
}
