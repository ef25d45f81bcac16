/**
 * Reads properties of errors without checking their class: jest runs the service in a separate realm, where
 * Node's errors are not instances of the realm's Error.
 */

/** A property of an object; undefined if the value is not an object. */
export function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** A string property; undefined if it is not a string. */
export function stringPropertyOf(value: unknown, name: string): string | undefined {
  const found = propertyOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** The message of an error, or of the first error of an AggregateError. */
export function errorMessage(error: unknown): string {
  const several = propertyOf(error, "errors");
  const first: unknown = Array.isArray(several) ? several[0] : error;
  return stringPropertyOf(first, "message") || stringPropertyOf(error, "message") || String(error);
}
