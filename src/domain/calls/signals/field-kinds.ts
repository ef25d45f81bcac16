// The tables of fields are read before the schema is built, whose decorators need this.
import "reflect-metadata";
import { GraphQLJSONObject } from "graphql-scalars";
import { ID } from "type-graphql";
import type { Json, JsonObject } from "../../../core/json";
import { checkText } from "../../../platform/xml/rules";
import {
  isPlain,
  parentElement,
  plainText,
  textElement,
  type XmlElement,
} from "../../../platform/xml/xml-element";
import type { KnownType } from "./signal-types";
import { checkUserInfo, fromElements, toElements } from "./user-info";

/** The size of a signal: total length of its texts in UTF-16 code units, and their number. */
export interface TextSize {
  codeUnits: number;
  texts: number;
}

/** Adds texts to a size. */
export function measureTexts(size: TextSize, texts: (string | undefined)[]): void {
  for (const text of texts) size.codeUnits += text?.length ?? 0;
  size.texts += texts.length;
}

/** Adds elements with all their descendants to a size. */
export function measureElements(size: TextSize, elements: XmlElement[] = []): void {
  for (const { name, namespace, attributes, text, children } of elements) {
    measureTexts(size, [name, namespace, text]);
    for (const key in attributes) measureTexts(size, [key, attributes[key]]);
    measureElements(size, children);
  }
}

/** Adds a JSON value to a size: an array repeats the name of its key for each item. */
export function measureJson(size: TextSize, name: string, value: Json): void {
  if (Array.isArray(value)) for (const item of value) measureJson(size, name, item);
  else if (typeof value === "object" && value !== null) {
    measureTexts(size, [name]);
    for (const [key, inner] of Object.entries(value)) measureJson(size, key, inner);
  } else measureTexts(size, [name, String(value)]);
}

/** Everything that the service knows about one field of a signal: its rule, GraphQL form, XML form and size. */
export interface SignalField<Key extends string = string, Value = unknown> {
  /** Name of the field in a signal. */
  key: Key;
  /** Name of the field in GraphQL, and in errors. */
  name: string;
  description: string;
  /** The GraphQL type of the field in a received signal. */
  outputType(): object;
  /** The GraphQL type of the field in a signal to send. */
  inputType(): object;
  /** Addition to the description of the input. */
  inputNote?: string;
  /** The signal types that need it. */
  requiredBy: readonly KnownType[];
  /** Name of its element in extraParams. */
  element: string;
  /** Reads the element. Undefined if it is not in its plain form; it is then shown in `extra`. */
  read(element: XmlElement): Value | undefined;
  write(value: Value): XmlElement;
  /** Converts a value of the input type. @throws Fault INVALID */
  fromInput(value: never): Value;
  /** Converts a value to the output type. */
  toOutput(value: Value): unknown;
  /** Checks that a value can be written as XML. @throws Fault INVALID */
  check(value: Value): void;
  measure(size: TextSize, value: Value): void;
}

/** The parts of a field that differ within a kind. */
type Row<Key extends string> = Pick<SignalField<Key>, "description" | "inputNote"> & {
  element: string;
  /** The same as the key when omitted. */
  name?: string;
  requiredBy?: readonly KnownType[];
};

/** A field of text. */
export function textField<Key extends string>(
  key: Key,
  row: Row<Key> & {
    /** The GraphQL type; String when omitted. */
    type?: () => object;
    /** The texts that are valid in a stanza; any when omitted. */
    pattern?: RegExp;
    /** Converts the text that a GraphQL client sends. */
    normalize?(text: string): string;
  },
): SignalField<Key, string> {
  const { name = key, type = () => String, pattern, normalize = (text) => text } = row;
  return {
    ...common(key, row, type),
    read(element) {
      const text = plainText(element);
      return text === undefined || pattern?.test(text) === false ? undefined : text;
    },
    write: (text) => textElement(row.element, text),
    fromInput: normalize,
    check: (text) => checkText(name, text),
    measure: (size, text) => measureTexts(size, [text]),
  };
}

/** A field with a list of ids, each an element in the list's element. */
export function idListField<Key extends string>(
  key: Key,
  row: Row<Key> & { itemElement: string },
): SignalField<Key, string[]> {
  const { name = key, element, itemElement } = row;
  return {
    ...common(key, row, () => [ID]),
    read: (list) => readList(list, itemElement, plainText),
    write: (ids) =>
      parentElement(
        element,
        ids.map((id) => textElement(itemElement, id)),
      ),
    fromInput: (ids) => ids,
    check: (ids) => {
      for (const id of ids) checkText(name, id);
    },
    measure: measureTexts,
  };
}

/** A field with a JSON object. */
export function jsonField<Key extends string>(
  key: Key,
  row: Row<Key>,
): SignalField<Key, JsonObject> {
  const { name = key, element } = row;
  return {
    ...common(key, row, () => GraphQLJSONObject),
    read: (found) =>
      isPlain(found) && found.text === undefined ? fromElements(found.children ?? []) : undefined,
    write: (json) => parentElement(element, toElements(json)),
    fromInput(json: unknown) {
      checkUserInfo(json, name);
      return json;
    },
    check: (json) => checkUserInfo(json, name),
    measure: (size, json) => measureJson(size, name, json),
  };
}

function common<Key extends string, Value>(key: Key, row: Row<Key>, type: () => object) {
  return {
    key,
    name: row.name ?? key,
    description: row.description,
    inputNote: row.inputNote,
    outputType: type,
    inputType: type,
    requiredBy: row.requiredBy ?? [],
    element: row.element,
    toOutput: (value: Value): unknown => value,
  };
}

/** Reads a list of elements of one name; undefined if any of them cannot be read. */
export function readList<T>(
  list: XmlElement,
  name: string,
  read: (element: XmlElement) => T | undefined,
): T[] | undefined {
  if (!isPlain(list) || list.text !== undefined) return undefined;
  const items: T[] = [];
  for (const child of list.children ?? []) {
    const item = child.name === name ? read(child) : undefined;
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}
