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
 * Makes the text of a success from an operation's data; undefined when what was asked for is not there
 * (a root field, or anything on the way of `pick`, is null).
 */
export type Answer = (
  data: Readonly<Record<string, unknown>> | null | undefined,
) => string | undefined;

type Transform = (value: unknown) => unknown;
type Keys = Readonly<Record<string, unknown>>;

/**
 * Compiles how a document answers. One without `@omit`, `@csv` and enums is written out as it is; the data of
 * any other are used up.
 */
export function compileAnswer(document: RestDocument): Answer {
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
  let place = selection;
  let field: SelectedField | undefined;
  for (const key of pick) {
    field = place.fields.find((known) => known.key === key);
    if (!field) throw new TypeError(`"${key}" is not selected`);
    place = field.selection ?? { fields: [] };
  }
  return field ? compileField(field) : compileSelection(place);
}

function compileField({ type, csv, selection }: SelectedField): Transform | undefined {
  if (csv) return toCsv;
  if (isEnumType(getNamedType(type))) return throughLists(type, toWireName);
  const inner = selection && compileSelection(selection);
  return inner && throughLists(type, inner);
}

/** Names of an enum's values are in lower case on the wire, as they are taken off it. */
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

/**
 * Changes the object that it is given, which is nobody else's: a copy of each user of a list would cost
 * more than writing it out.
 */
function compileSelection({ fields }: Selection): Transform | undefined {
  const omits = fields.flatMap(({ key, omit }) => (omit ? [{ key, keep: compileKeep(omit) }] : []));
  const changes = fields.flatMap((field) => {
    const transform = compileField(field);
    return transform ? [{ key: field.key, transform }] : [];
  });
  if (omits.length === 0 && changes.length === 0) return undefined;
  return (value) => {
    const object = value as Record<string, unknown>;
    // Decided before anything is changed, since one field's place may hang on another.
    const omitted = omits.filter(({ key, keep }) => !keep(object, object[key]));
    for (const { key, transform } of changes) {
      // A conditional field that was not asked for stays away.
      if (object[key] !== undefined) object[key] = transform(object[key]);
    }
    // JSON leaves out what is undefined.
    for (const { key } of omitted) object[key] = undefined;
    return object;
  };
}
