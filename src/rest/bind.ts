import { Fault, type FieldErrors } from "../core/errors";
import { type Binder, compileBinder } from "./binders";
import { type Coerce, coercer, Refusal } from "./coerce";
import type { RestDocument } from "./documents";
import type { Fields } from "./form";
import type { RestParameter } from "./parameters";

/** The parts of a request that parameters come from. */
export interface BindSource {
  /** Decoded parameters of the path, by the names in its braces. */
  path: Readonly<Record<string, string>>;
  query: Fields | undefined;
  /** Undefined where none was sent: then the query holds what a body would. */
  body: Fields | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Makes the engine's variables of a request.
 * @throws Fault INVALID with every problem at once, by the last segment of the parameters' names
 */
export type Bind = (source: BindSource) => Record<string, unknown>;

/** Writes one variable, or what is wrong with its parameter. */
type Step = (source: BindSource, values: Record<string, unknown>, errors: FieldErrors) => void;

/** Compiles the parameters of a document. A variable that was not sent stays absent, null stays null. */
export function compileBind(document: RestDocument): Bind {
  const named = new Set(
    document.parameters
      .filter(({ binder, place }) => !binder && place === "query")
      .map(({ segments }) => segments[0] ?? ""),
  );
  const steps = document.parameters.map((parameter) => compileStep(parameter, document, named));
  const { direct, lifted } = document;
  return (source) => {
    const values: Record<string, unknown> = {};
    const errors: FieldErrors = Object.create(null);
    for (const step of steps) step(source, values, errors);
    for (const key in errors) throw new Fault("INVALID", `${key} ${errors[key]?.[0]}`, errors);
    if (lifted.length === 0) return values;
    const variables: Record<string, unknown> = {};
    for (const name of direct) {
      if (Object.hasOwn(values, name)) variables[name] = values[name];
    }
    for (const { variable, build } of lifted) {
      const value = build(values);
      if (value !== undefined) variables[variable] = value;
    }
    return variables;
  };
}

function compileStep(
  parameter: RestParameter,
  document: RestDocument,
  named: ReadonlySet<string>,
): Step {
  const { variable, key, required } = parameter;
  if (parameter.binder) {
    const binder: Binder = compileBinder(parameter);
    return (source, values, errors) => {
      const value = binder(source.query, named, errors);
      if (value !== undefined) values[variable] = value;
    };
  }
  const coerce: Coerce | undefined = coercer(parameter.type, parameter.csv);
  if (!coerce) throw new TypeError(`${parameter.type} cannot be bound`);
  const read = compileRead(parameter, document);
  return (source, values, errors) => {
    const raw = read(source, errors);
    if (raw === undefined || raw === null) {
      if (required) note(errors, key, "is required");
      else if (raw === null) values[variable] = null;
      return;
    }
    const value = coerce(raw);
    if (value instanceof Refusal) note(errors, key, value.text);
    else values[variable] = value;
  };
}

function note(errors: FieldErrors, key: string, text: string): void {
  const texts = errors[key];
  if (!texts) errors[key] = [text];
  else if (!texts.includes(text)) texts.push(text);
}

type Read = (source: BindSource, errors: FieldErrors) => unknown;

function compileRead(parameter: RestParameter, { path }: RestDocument): Read {
  const { wire, segments } = parameter;
  switch (parameter.place) {
    case "path": {
      // The router matches /users/12.json as /users/{id}, where the suffix is of the path, not the id.
      const last = path.endsWith(`{${wire}}`);
      return (source) => {
        const text = source.path[wire];
        return last && text?.endsWith(".json") ? text.slice(0, -5) : text;
      };
    }
    case "header": {
      const name = wire.toLowerCase();
      // An empty header is how some clients leave one out.
      return (source) => source.headers[name] || undefined;
    }
    case "query":
      return (source, errors) => find(source.query, segments, errors);
    case "body":
      // Some clients send the parameters of a DELETE in the query. Beside a body the query is not read,
      // so that a request has one value of each parameter, and a signed one no value that is unsigned.
      return (source, errors) => find(source.body ?? source.query, segments, errors);
  }
}

/** The value at a name; undefined where nothing was sent, groups that are null included. */
function find(
  fields: Fields | undefined,
  segments: readonly string[],
  errors: FieldErrors,
): unknown {
  let place: unknown = fields;
  for (const [index, segment] of segments.entries()) {
    if (place === undefined || place === null) return undefined;
    if (typeof place !== "object" || Array.isArray(place)) {
      note(errors, segments[index - 1] ?? segment, "must be an object");
      return undefined;
    }
    place = Object.hasOwn(place, segment) ? (place as Fields)[segment] : undefined;
  }
  return place;
}
