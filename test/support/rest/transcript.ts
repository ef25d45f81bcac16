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
 * the value of the name, which must be known in requests. In a response, a placeholder that is a whole text
 * and not yet known captures the actual value if it has the kind. `<kind>` matches any value of the kind.
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

/** Values by `kind:name`. */
export type Known = Map<string, string | number>;

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
export function filled(value: unknown, known: Known): unknown {
  if (typeof value === "string") {
    const whole = known.get(value.slice(1, -1));
    if (ALONE.test(value) && whole !== undefined) return whole;
    return value.replace(PLACEHOLDER, (text) => {
      const found = known.get(text.slice(1, -1));
      if (found === undefined) throw new Error(`nothing is known of ${text}`);
      return String(found);
    });
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, known)]));
}

/**
 * The expected response for a full comparison: placeholders whose kind matches the actual value are replaced
 * by it, and known from then on.
 */
export function expectation(stated: unknown, came: unknown, known: Known): unknown {
  if (typeof stated === "string") {
    const [, kind, name] = ALONE.exec(stated) ?? [];
    const place = stated.slice(1, -1);
    if (kind === undefined || known.has(place)) return filled(stated, known);
    const fits = KINDS[kind];
    if (!fits) throw new Error(`there is no kind ${kind}`);
    if (!fits(came)) return stated;
    if (name !== undefined) known.set(place, came as string | number);
    if (kind === "id" && name !== undefined) known.set(`digits:${name}`, String(came));
    return came;
  }
  if (Array.isArray(stated)) {
    const items: unknown[] = Array.isArray(came) ? came : [];
    return stated.map((item, index) => expectation(item, items[index], known));
  }
  if (typeof stated !== "object" || stated === null) return stated;
  const object = (came ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(stated).map(([key, item]) => [key, expectation(item, object[key], known)]),
  );
}

const SIGNED = ["application_id", "auth_key", "nonce", "timestamp"];

/** The body to send, with placeholders replaced; `<signature>` covers the mandatory parameters. */
export function filledBody(stated: unknown, known: Known, secret: string): unknown {
  const signed = typeof stated === "object" && stated !== null && "signature" in stated;
  if (!signed || stated.signature !== "<signature>") return filled(stated, known);
  const { signature: _, ...rest } = stated;
  const body = filled(rest, known) as Record<string, unknown>;
  const line = SIGNED.map((name) => `${name}=${body[name]}`).join("&");
  return { ...body, signature: createHmac("sha1", secret).update(line).digest("hex") };
}
