/**
 * Reads properties of errors without checking their class: jest runs the service in a separate realm, where
 * Node's errors are not instances of the realm's Error.
 */

/** A property of an object; undefined if the value is not an object. */
export function partOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** A string property; undefined if it is not a string. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = partOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** The message of an error, or of the first error of an AggregateError. */
export function messageOf(error: unknown): string {
  const several = partOf(error, "errors");
  const first: unknown = Array.isArray(several) ? several[0] : error;
  return textOf(first, "message") || textOf(error, "message") || String(error);
}
