import type { Json } from "../../core/json";
import type { XmlElement } from "../../xml/xml-element";

/** The extent of a signal: total length of its texts in UTF-16 code units, and their number. */
export interface Extent {
  units: number;
  parts: number;
}

/** Adds texts to an extent. */
export function measureTexts(extent: Extent, texts: (string | undefined)[]): void {
  for (const text of texts) extent.units += text?.length ?? 0;
  extent.parts += texts.length;
}

/** Adds elements with all their descendants to an extent. */
export function measureElements(extent: Extent, elements: XmlElement[] = []): void {
  for (const { name, namespace, attributes, text, children } of elements) {
    measureTexts(extent, [name, namespace, text]);
    for (const key in attributes) measureTexts(extent, [key, attributes[key]]);
    measureElements(extent, children);
  }
}

/** Adds a JSON value to an extent: an array repeats the name of its key for each item. */
export function measureJson(extent: Extent, name: string, value: Json): void {
  if (Array.isArray(value)) for (const item of value) measureJson(extent, name, item);
  else if (typeof value === "object" && value !== null) {
    measureTexts(extent, [name]);
    for (const [key, inner] of Object.entries(value)) measureJson(extent, key, inner);
  } else measureTexts(extent, [name, String(value)]);
}
