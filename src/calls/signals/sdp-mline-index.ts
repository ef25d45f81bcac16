import type { XmlElement } from "./signal";

/**
 * Conversion of an ICE candidate's sdpMLineIndex between its text and a number. A client may write it empty,
 * which means 0, or as `00`. GraphQL has the number; a non-canonical text is kept as the first element of the
 * candidate's `extra`, so that a forwarded signal is written as it was received.
 */

const NAME = "sdpMLineIndex";

function numberOf(element: XmlElement | undefined): number | undefined {
  const { name, namespace, attributes, text = "", children } = element ?? {};
  const plain = name === NAME && namespace === undefined && !attributes && !children;
  return plain && /^\d{0,9}$/.test(text) ? Number(text) : undefined;
}

/** Converts the index to a number, and adds its text to `extra` if that is not canonical. */
export function indexToGraphql(
  written: string,
  extra: XmlElement[],
): { index: number; extra: XmlElement[] } {
  const index = Number(written);
  // If the first element looks like a kept text, the text is kept in front of it even if canonical.
  if (written === String(index) && numberOf(extra[0]) !== index) return { index, extra };
  const kept: XmlElement = written === "" ? { name: NAME } : { name: NAME, text: written };
  return { index, extra: [kept, ...extra] };
}

/** Restores the text of the index and the remaining `extra`: the inverse of {@link indexToGraphql}. */
export function indexFromGraphql(
  index: number,
  extra: XmlElement[],
): { written: string; extra: XmlElement[] } {
  const [kept, ...rest] = extra;
  if (numberOf(kept) !== index) return { written: String(index), extra };
  return { written: kept?.text ?? "", extra: rest };
}
