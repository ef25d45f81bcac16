/** An actual value differs from the expected one. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  constructor(
    /** The compared value, such as `sdp` or `POST /session`. */
    readonly subject: string,
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`${subject}: expected ${expected}, got ${actual}`);
  }
}

/**
 * Compares two JSON values field by field.
 * @throws Mismatch that names the first different field
 */
export function expectEqual(subject: string, expected: unknown, actual: unknown): void {
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const path = Array.isArray(expected) ? `${subject}[${key}]` : `${subject}.${key}`;
      expectEqual(path, expected[key], actual[key]);
    }
    if (Array.isArray(expected) === Array.isArray(actual)) return;
  }
  if (!Object.is(expected, actual)) throw new Mismatch(subject, format(expected), format(actual));
}

/** @throws Mismatch when the condition does not hold */
export function expectThat(
  holds: boolean,
  subject: string,
  expected: string,
  actual: unknown,
): void {
  if (!holds) throw new Mismatch(subject, expected, format(actual));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function format(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
