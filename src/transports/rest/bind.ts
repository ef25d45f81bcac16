import { Fault, type FieldErrors } from "../../core/errors";
import { type Binder, compileBinder } from "./binders";
import { type Coerce, CoercionProblem, compileCoercion } from "./coerce";
import type { RestDocument } from "./documents";
import type { Fields } from "./form";
import type { RestParameter } from "./parameters";

/** The parts of a request that contain parameters. */
export interface BindSource {
  /** Decoded path parameters by name. */
  path: Readonly<Record<string, string>>;
  query: Fields | undefined;
  /** Undefined if none was sent; body parameters are then read from the query. */
  body: Fields | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Converts a request to the variables of an operation.
 * @throws Fault INVALID with all problems, by the last segment of the parameters' names
 */
export type Bind = (source: BindSource) => Record<string, unknown>;

/** Binds one variable, or adds the problem of its parameter to `errors`. */
type Step = (source: BindSource, values: Record<string, unknown>, errors: FieldErrors) => void;

/** Compiles the parameters of a document. A parameter that was not sent stays absent; null stays null. */
export function compileBind(document: RestDocument): Bind {
  const named = new Set(
    document.parameters
      .filter(({ binder, location }) => !binder && location === "query")
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
  const coerce: Coerce | undefined = compileCoercion(parameter.type, parameter.csv);
  if (!coerce) throw new TypeError(`${parameter.type} cannot be bound`);
  const read = compileRead(parameter, document);
  return (source, values, errors) => {
    const raw = read(source, errors);
    if (raw === undefined || raw === null) {
      if (required) addError(errors, key, "is required");
      else if (raw === null) values[variable] = null;
      return;
    }
    const value = coerce(raw);
    if (value instanceof CoercionProblem) addError(errors, key, value.text);
    else values[variable] = value;
  };
}

function addError(errors: FieldErrors, key: string, text: string): void {
  const texts = errors[key];
  if (!texts) errors[key] = [text];
  else if (!texts.includes(text)) texts.push(text);
}

type Read = (source: BindSource, errors: FieldErrors) => unknown;

function compileRead(parameter: RestParameter, { path }: RestDocument): Read {
  const { wireName, segments } = parameter;
  switch (parameter.location) {
    case "path": {
      // The router matches /users/12.json as /users/{id}; the suffix belongs to the path, not to the id.
      const last = path.endsWith(`{${wireName}}`);
      return (source) => {
        const text = source.path[wireName];
        return last && text?.endsWith(".json") ? text.slice(0, -5) : text;
      };
    }
    case "header": {
      const name = wireName.toLowerCase();
      // Some clients send an empty header instead of omitting it.
      return (source) => source.headers[name] || undefined;
    }
    case "query":
      return (source, errors) => find(source.query, segments, errors);
    case "body":
      // Some clients send the parameters of a DELETE in the query. The query is ignored if there is a body,
      // so that each parameter has one value, and a signed request has no unsigned parameter.
      return (source, errors) => find(source.body ?? source.query, segments, errors);
  }
}

/** The value of a parameter; undefined if it, or a group around it, is absent or null. */
function find(
  fields: Fields | undefined,
  segments: readonly string[],
  errors: FieldErrors,
): unknown {
  let value: unknown = fields;
  for (const [index, segment] of segments.entries()) {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "object" || Array.isArray(value)) {
      addError(errors, segments[index - 1] ?? segment, "must be an object");
      return undefined;
    }
    value = Object.hasOwn(value, segment) ? (value as Fields)[segment] : undefined;
  }
  return value;
}
