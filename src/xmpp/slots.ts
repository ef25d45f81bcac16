import type { JsonObject, XmlElement } from "../calls/signal";
import { fromElements } from "../calls/user-info";

/**
 * How child elements go to fields and back without losing their order: the part of the codec that
 * knows no names.
 */

/** One child that a field of F stands for. */
export interface Slot<F> {
  name: string;
  /** Puts the element in its field; false when it is not in its plain form. */
  take(into: Partial<F>, element: XmlElement): boolean;
  /** The element of the field; undefined when the field is not set. */
  put(from: F): XmlElement | undefined;
}

/** A slot that is one field of F. */
export function slot<F, K extends keyof F & string>(
  name: string,
  key: K,
  read: (element: XmlElement) => NonNullable<F[K]> | undefined,
  write: (value: NonNullable<F[K]>) => XmlElement,
): Slot<F> {
  return {
    name,
    take(into, element) {
      const value = read(element);
      if (value === undefined) return false;
      into[key] = value;
      return true;
    },
    put(from) {
      const value = from[key];
      return value === undefined || value === null ? undefined : write(value);
    },
  };
}

/**
 * Sorts elements into fields and rest: an element goes to its field when it is in the plain form and
 * the first of its name.
 * @param dynamic elements that have a place elsewhere
 * @returns the fields, the names they were taken from, the rest in the order sent, and the names of
 *   all elements in that order where it is not the usual one
 */
export function take<F>(slots: Slot<F>[], elements: XmlElement[], dynamic?: Set<XmlElement>) {
  const fields: Partial<F> = {};
  const seen = new Set<string>();
  const taken = new Set<string>();
  const rest: XmlElement[] = [];
  for (const element of elements) {
    const { name } = element;
    if (dynamic?.has(element)) continue;
    const match = seen.has(name) ? undefined : slots.find((candidate) => candidate.name === name);
    seen.add(name);
    if (match?.take(fields, element)) taken.add(name);
    else rest.push(element);
  }
  const order = elements.map(({ name }) => name);
  const usual = [
    ...slots.filter(({ name }) => taken.has(name)).map(({ name }) => name),
    ...elements.filter((element) => dynamic?.has(element)).map(({ name }) => name),
    ...rest.map(({ name }) => name),
  ];
  const same = order.every((name, index) => name === usual[index]);
  return { fields, taken, rest, order: same ? undefined : order };
}

/** The elements of the fields that are set, by name, in the usual order. */
export function put<F>(slots: Slot<F>[], from: F): Map<string, XmlElement[]> {
  const typed = new Map<string, XmlElement[]>();
  for (const { name, put: write } of slots) {
    const element = write(from);
    if (element) typed.set(name, [element]);
  }
  return typed;
}

/** Lines elements up in the order given, then those that it does not name in the usual order. */
export function arrange(typed: Map<string, XmlElement[]>, extra: XmlElement[], order?: string[]) {
  if (!order) return [...typed.values(), extra].flat();
  const waiting = new Map<string, XmlElement[]>();
  for (const element of extra.toReversed()) {
    const same = waiting.get(element.name);
    if (same) same.push(element);
    else waiting.set(element.name, [element]);
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
    const next = waiting.get(name)?.pop();
    if (!next) continue;
    result.push(next);
    placed.add(next);
  }
  return [...result, ...[...typed.values()].flat(), ...extra.filter((item) => !placed.has(item))];
}

/**
 * Reads elements as a JSON object: every name whose elements stand side by side and are JSON.
 * @param reserved names that are fields
 * @returns the object, and the elements it was read from
 */
export function takeParameters(elements: XmlElement[], reserved: Set<string>) {
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
  const dynamic = new Set<XmlElement>();
  for (const run of runs) {
    const name = run[0]?.name ?? "";
    const json = reserved.has(name) || count.get(name) !== 1 ? undefined : fromElements(run);
    if (!json) continue;
    Object.assign(parameters, json);
    for (const element of run) dynamic.add(element);
  }
  return { parameters, dynamic };
}
