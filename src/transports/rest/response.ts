import {
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
} from "graphql";
import type { OmitDirective } from "./directives";
import type { RestDocument } from "./documents";
import type { SelectedField, Selection } from "./selection";

/**
 * Serializes an operation's data as the response body.
 * @returns undefined if the result does not exist: a root field, or a value along `pick`, is null
 */
export type Serialize = (
  data: Readonly<Record<string, unknown>> | null | undefined,
) => string | undefined;

type Transform = (value: unknown) => unknown;
type Keys = Readonly<Record<string, unknown>>;

/**
 * Compiles the serializer of a document's response. With `@omit`, `@csv` or enums it modifies the data in
 * place; otherwise it serializes them unchanged.
 */
export function compileResponse(document: RestDocument): Serialize {
  const roots = document.selection.fields.map(({ key }) => key);
  const present = (data: Keys) => roots.every((key) => data[key] !== null);
  if (document.body !== "JSON") {
    const text = document.body === "NONE" ? "" : "{}";
    return (data) => (data && present(data) ? text : undefined);
  }
  const { pick } = document;
  const transform = compilePicked(document.selection, pick);
  return (data) => {
    if (!data || !present(data)) return undefined;
    let picked: unknown = data;
    for (const key of pick) {
      picked = (picked as Keys)[key];
      if (picked === null || picked === undefined) return undefined;
    }
    return JSON.stringify(transform ? transform(picked) : picked);
  };
}

function compilePicked(selection: Selection, pick: readonly string[]): Transform | undefined {
  let current = selection;
  let field: SelectedField | undefined;
  for (const key of pick) {
    field = current.fields.find((candidate) => candidate.key === key);
    if (!field) throw new TypeError(`"${key}" is not selected`);
    current = field.selection ?? { fields: [] };
  }
  return field ? compileField(field) : compileSelection(current);
}

function compileField({ type, csv, selection }: SelectedField): Transform | undefined {
  if (csv) return toCsv;
  if (isEnumType(getNamedType(type))) return throughLists(type, toWireName);
  const inner = selection && compileSelection(selection);
  return inner && throughLists(type, inner);
}

/** Enum values are in lower case on the wire, in requests and responses. */
function toWireName(name: unknown): string {
  return String(name).toLowerCase();
}

function toCsv(list: unknown): string | null {
  return Array.isArray(list) && list.length > 0 ? list.join(",") : null;
}

function throughLists(type: GraphQLOutputType, inner: Transform): Transform {
  const nullable = getNullableType(type);
  const each = isListType(nullable) ? throughLists(nullable.ofType, inner) : undefined;
  if (!each) return (value) => (value === null ? null : inner(value));
  return (value) => (Array.isArray(value) ? value.map(each) : null);
}

type Keep = (object: Keys, value: unknown) => boolean;

function compileKeep({ when, unless }: OmitDirective): Keep {
  if (when === undefined && unless === undefined) return (_object, value) => value !== null;
  return (object) =>
    (when === undefined || !object[when]) && (unless === undefined || Boolean(object[unless]));
}

/** Modifies the object in place: copying each user of a list would cost more than serializing it. */
function compileSelection({ fields }: Selection): Transform | undefined {
  const omits = fields.flatMap(({ key, omit }) => (omit ? [{ key, keep: compileKeep(omit) }] : []));
  const changes = fields.flatMap((field) => {
    const transform = compileField(field);
    return transform ? [{ key: field.key, transform }] : [];
  });
  if (omits.length === 0 && changes.length === 0) return undefined;
  return (value) => {
    const object = value as Record<string, unknown>;
    // Evaluated before any change, since a field's condition may depend on another field.
    const omitted = omits.filter(({ key, keep }) => !keep(object, object[key]));
    for (const { key, transform } of changes) {
      // Fields excluded by @skip or @include stay absent.
      if (object[key] !== undefined) object[key] = transform(object[key]);
    }
    // JSON.stringify skips undefined.
    for (const { key } of omitted) object[key] = undefined;
    return object;
  };
}
