/** Something else came than was expected. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  constructor(
    /** What was looked at, such as `sdp` or `POST /session`. */
    readonly subject: string,
    readonly expected: string,
    readonly came: string,
  ) {
    super(`${subject}: expected ${expected}, came ${came}`);
  }
}

/**
 * Compares two values as JSON knows them, field by field.
 * @throws Mismatch that names the first field that differs
 */
export function expectEqual(subject: string, expected: unknown, came: unknown): void {
  if (isObject(expected) && isObject(came)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(came)])) {
      const path = Array.isArray(expected) ? `${subject}[${key}]` : `${subject}.${key}`;
      expectEqual(path, expected[key], came[key]);
    }
    if (Array.isArray(expected) === Array.isArray(came)) return;
  }
  if (!Object.is(expected, came)) throw new Mismatch(subject, show(expected), show(came));
}

/** @throws Mismatch when the condition does not hold */
export function expectThat(holds: boolean, subject: string, expected: string, came: unknown): void {
  if (!holds) throw new Mismatch(subject, expected, show(came));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
