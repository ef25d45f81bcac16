import type { JsonObject, XmlElement } from "../../calls/signals/signal";
import { fromElements } from "../../calls/signals/user-info";

/**
 * The generic part of the stanza codec: decodes child elements to fields and encodes them again without
 * losing their order.
 */

/** Codec between one child element and a field of F. */
export interface FieldCodec<F> {
  /** Name of the element. */
  name: string;
  /** Sets the field from the element. Returns false if the element is not in its plain form. */
  decode(into: Partial<F>, element: XmlElement): boolean;
  /** The element of the field; undefined if the field is not set. */
  encode(from: F): XmlElement | undefined;
}

/** Makes the codec of one field of F. */
export function fieldCodec<F, K extends keyof F & string>(
  name: string,
  key: K,
  read: (element: XmlElement) => NonNullable<F[K]> | undefined,
  write: (value: NonNullable<F[K]>) => XmlElement,
): FieldCodec<F> {
  return {
    name,
    decode(into, element) {
      const value = read(element);
      if (value === undefined) return false;
      into[key] = value;
      return true;
    },
    encode(from) {
      const value = from[key];
      return value === undefined || value === null ? undefined : write(value);
    },
  };
}

/**
 * Splits elements into fields and the rest: an element becomes a field if it is in the plain form and the
 * first with its name.
 * @param skip elements to leave out, since they are parameters
 * @returns the fields, the element names that were decoded, the rest in the order sent, and the names of
 *   all elements in the order sent, unless that is the canonical order
 */
export function decodeFields<F>(
  codecs: FieldCodec<F>[],
  elements: XmlElement[],
  skip?: Set<XmlElement>,
) {
  const fields: Partial<F> = {};
  const seen = new Set<string>();
  const decoded = new Set<string>();
  const rest: XmlElement[] = [];
  for (const element of elements) {
    const { name } = element;
    if (skip?.has(element)) continue;
    const codec = seen.has(name) ? undefined : codecs.find((candidate) => candidate.name === name);
    seen.add(name);
    if (codec?.decode(fields, element)) decoded.add(name);
    else rest.push(element);
  }
  const order = elements.map(({ name }) => name);
  const canonical = [
    ...codecs.filter(({ name }) => decoded.has(name)).map(({ name }) => name),
    ...elements.filter((element) => skip?.has(element)).map(({ name }) => name),
    ...rest.map(({ name }) => name),
  ];
  const same = order.every((name, index) => name === canonical[index]);
  return { fields, decoded, rest, order: same ? undefined : order };
}

/** The elements of the fields that are set, by name, in canonical order. */
export function encodeFields<F>(codecs: FieldCodec<F>[], from: F): Map<string, XmlElement[]> {
  const typed = new Map<string, XmlElement[]>();
  for (const codec of codecs) {
    const element = codec.encode(from);
    if (element) typed.set(codec.name, [element]);
  }
  return typed;
}

/** Merges elements in the given order of names; names that it does not contain follow in canonical order. */
export function mergeInOrder(
  typed: Map<string, XmlElement[]>,
  extra: XmlElement[],
  order?: string[],
) {
  if (!order) return [...typed.values(), extra].flat();
  const remaining = new Map<string, XmlElement[]>();
  for (const element of extra.toReversed()) {
    const same = remaining.get(element.name);
    if (same) same.push(element);
    else remaining.set(element.name, [element]);
  }
  const placed = new Set<XmlElement>();
  const result: XmlElement[] = [];
  for (const name of order) {
    const own = typed.get(name);
    if (own) {
      result.push(...own);
      typed.delete(name);
      continue;
    }
    const next = remaining.get(name)?.pop();
    if (!next) continue;
    result.push(next);
    placed.add(next);
  }
  return [...result, ...[...typed.values()].flat(), ...extra.filter((item) => !placed.has(item))];
}

/**
 * Decodes elements as the members of a JSON object. The elements of a name must be adjacent and hold JSON.
 * @param reserved names that belong to fields
 * @returns the object, and the elements that it was decoded from
 */
export function decodeParameters(elements: XmlElement[], reserved: Set<string>) {
  const runs: XmlElement[][] = [];
  for (const element of elements) {
    const run = runs.at(-1);
    if (run?.[0]?.name === element.name) run.push(element);
    else runs.push([element]);
  }
  const count = new Map<string, number>();
  for (const [first] of runs) {
    if (first) count.set(first.name, (count.get(first.name) ?? 0) + 1);
  }
  const parameters: JsonObject = {};
  const decoded = new Set<XmlElement>();
  for (const run of runs) {
    const name = run[0]?.name ?? "";
    const json = reserved.has(name) || count.get(name) !== 1 ? undefined : fromElements(run);
    if (!json) continue;
    Object.assign(parameters, json);
    for (const element of run) decoded.add(element);
  }
  return { parameters, decoded };
}
