import type { XmlElement } from "./signal";

/**
 * The sdpMLineIndex of an ICE candidate as a number and as it was written. A client may write it empty,
 * which means 0, or `00`. GraphQL has the number; a form that is not the number's own stands before the
 * rest of the candidate's `extra`, so that a signal that is passed on is written again as it came.
 */

const NAME = "sdpMLineIndex";

function numberOf(element: XmlElement | undefined): number | undefined {
  const { name, namespace, attributes, text = "", children } = element ?? {};
  const plain = name === NAME && namespace === undefined && !attributes && !children;
  return plain && /^\d{0,9}$/.test(text) ? Number(text) : undefined;
}

/** The index as a number, and the `extra` that keeps its written form where that is another. */
export function showIndex(
  written: string,
  extra: XmlElement[],
): { index: number; extra: XmlElement[] } {
  const index = Number(written);
  // An element that reading would take for the written form must not come first by itself.
  if (written === String(index) && numberOf(extra[0]) !== index) return { index, extra };
  const form: XmlElement = written === "" ? { name: NAME } : { name: NAME, text: written };
  return { index, extra: [form, ...extra] };
}

/** The index as it is to be written, and the rest of `extra`: {@link showIndex} the other way round. */
export function readIndex(
  index: number,
  extra: XmlElement[],
): { written: string; extra: XmlElement[] } {
  const [form, ...rest] = extra;
  if (numberOf(form) !== index) return { written: String(index), extra };
  return { written: form?.text ?? "", extra: rest };
}
