import { createHmac } from "node:crypto";

/** A REST request and its expected response. */
export interface Step {
  /** Description. */
  what: string;
  request: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    /** An object is sent as JSON, text unchanged (a form sets its header). */
    body?: unknown;
  };
  answer: Reply;
}

/** A complete expected response. */
export interface Reply {
  status: number;
  /** The headers of {@link HEADERS} that are present; others must be absent. */
  headers: Record<string, string>;
  /** The JSON value, or null for an empty body. */
  body: unknown;
}

/**
 * A transcript of an operation of schema/rest. Texts may contain placeholders: `<kind:name>` is replaced by
 * the value of the name, which must exist in requests. In a response, a placeholder that is a whole text
 * and has no value yet captures the actual value if it has the kind. `<kind>` matches any value of the kind.
 */
export interface Transcript {
  /** Name of the operation and of the file. */
  name: string;
  /** Description of the operation. */
  what: string;
  steps: Step[];
}

/** Response headers that matter to clients. */
export const HEADERS = ["content-type", "svc-token-expirationdate", "retry-after", "location"];

/** PlaceholderValues by `kind:name`. */
export type PlaceholderValues = Map<string, string | number>;

const KINDS: Record<string, (value: unknown) => boolean> = {
  id: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  integer: (value) => Number.isSafeInteger(value),
  token: (value) => typeof value === "string" && /^[\w-]{43}$/.test(value),
  // An id as text; shares the value of the id.
  digits: (value) => typeof value === "string" && /^\d+$/.test(value),
  text: (value) => typeof value === "string" && value !== "",
  date: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value),
  // Stored some seconds after a request, so it may still be null.
  "date or null": (value) => value === null || KINDS.date!(value),
  "expiration date": (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(value),
};

const PLACEHOLDER = /<([a-z ]+)(?::([\w ]+))?>/g;
const ALONE = /^<([a-z ]+)(?::([\w ]+))?>$/;

/** The value with every placeholder replaced. */
export function substitute(value: unknown, values: PlaceholderValues): unknown {
  if (typeof value === "string") {
    const whole = values.get(value.slice(1, -1));
    if (ALONE.test(value) && whole !== undefined) return whole;
    return value.replace(PLACEHOLDER, (text) => {
      const found = values.get(text.slice(1, -1));
      if (found === undefined) throw new Error(`${text} has no value`);
      return String(found);
    });
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substitute(item, values)]),
  );
}

/**
 * The expected response for a full comparison: placeholders whose kind matches the actual value are replaced
 * by it, and have that value from then on.
 */
export function expectation(
  expected: unknown,
  actual: unknown,
  values: PlaceholderValues,
): unknown {
  if (typeof expected === "string") {
    const [, kind, name] = ALONE.exec(expected) ?? [];
    const key = expected.slice(1, -1);
    if (kind === undefined || values.has(key)) return substitute(expected, values);
    const isOfKind = KINDS[kind];
    if (!isOfKind) throw new Error(`there is no kind ${kind}`);
    if (!isOfKind(actual)) return expected;
    if (name !== undefined) values.set(key, actual as string | number);
    if (kind === "id" && name !== undefined) values.set(`digits:${name}`, String(actual));
    return actual;
  }
  if (Array.isArray(expected)) {
    const items: unknown[] = Array.isArray(actual) ? actual : [];
    return expected.map((item, index) => expectation(item, items[index], values));
  }
  if (typeof expected !== "object" || expected === null) return expected;
  const object = (actual ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(expected).map(([key, item]) => [key, expectation(item, object[key], values)]),
  );
}

const SIGNED = ["application_id", "auth_key", "nonce", "timestamp"];

/** The body to send, with placeholders replaced; `<signature>` covers the mandatory parameters. */
export function requestBody(template: unknown, values: PlaceholderValues, secret: string): unknown {
  const signed = typeof template === "object" && template !== null && "signature" in template;
  if (!signed || template.signature !== "<signature>") return substitute(template, values);
  const { signature: _, ...rest } = template;
  const body = substitute(rest, values) as Record<string, unknown>;
  const line = SIGNED.map((name) => `${name}=${body[name]}`).join("&");
  return { ...body, signature: createHmac("sha1", secret).update(line).digest("hex") };
}
