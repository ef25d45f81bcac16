/**
 * What drivers and node put into errors, read without asking for their class: tests run the service in
 * a realm of its own, where an error of node is no instance of the realm's Error.
 */

/** A property of an object; undefined of anything else. */
export function partOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** A property that holds text. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = partOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** The message of an error, of its first part where it has none; its code at the least. */
export function messageOf(error: unknown): string {
  const several = partOf(error, "errors");
  const first: unknown = Array.isArray(several) ? several[0] : error;
  return textOf(first, "message") || textOf(error, "message") || String(error);
}
