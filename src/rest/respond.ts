import { type GraphQLOutputType, getNullableType, isListType } from "graphql";
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

/** Compiles how a document answers. One without `@omit` and `@csv` is written out as it is. */
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
  const inner = selection && compileSelection(selection);
  return inner && throughLists(type, inner);
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

function compileSelection({ fields }: Selection): Transform | undefined {
  const steps = fields.map((field) => ({
    key: field.key,
    keep: field.omit && compileKeep(field.omit),
    transform: compileField(field),
  }));
  if (!steps.some(({ keep, transform }) => keep || transform)) return undefined;
  return (value) => {
    const object = value as Keys;
    const answer: Record<string, unknown> = {};
    for (const { key, keep, transform } of steps) {
      const found = object[key];
      // A conditional field that was not asked for.
      if (found === undefined) continue;
      if (keep && !keep(object, found)) continue;
      answer[key] = transform ? transform(found) : found;
    }
    return answer;
  };
}
