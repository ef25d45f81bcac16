import { createHmac } from "node:crypto";

/** One exchange with the REST door. */
export interface Step {
  /** What happens, for the reader. */
  what: string;
  request: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    /** An object goes out as JSON, text as it stands (a form says so in its headers). */
    body?: unknown;
  };
  answer: Reply;
}

/** An answer as a transcript states it: all of it. */
export interface Reply {
  status: number;
  /** Of {@link HEADERS}, those that come; one that is left out does not come. */
  headers: Record<string, string>;
  /** The JSON, or null for an empty body. */
  body: unknown;
}

/**
 * A transcript of one operation of schema/rest. Every text may hold placeholders: `<kind:name>` is what
 * the name stands for. In a request it must be known. In an answer, one that is alone in its text and
 * not yet known takes what came, if it is of the kind; `<kind>` is anything of the kind.
 */
export interface Transcript {
  /** The operation; the file is called so too. */
  name: string;
  /** For the reader: what the operation does. */
  what: string;
  steps: Step[];
}

/** Headers of an answer that matter to clients. */
export const HEADERS = ["content-type", "svc-token-expirationdate", "retry-after", "location"];

/** What names stand for, by `kind:name`. */
export type Known = Map<string, string | number>;

const KINDS: Record<string, (value: unknown) => boolean> = {
  id: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  integer: (value) => Number.isSafeInteger(value),
  token: (value) => typeof value === "string" && /^[\w-]{43}$/.test(value),
  // An id as text; known by the name of the id.
  digits: (value) => typeof value === "string" && /^\d+$/.test(value),
  text: (value) => typeof value === "string" && value !== "",
  date: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value),
  // Written some seconds after a request, so either may be seen.
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
 * What is expected in place of a stated answer, for a comparison in whole: placeholders that what came
 * is of the kind of are replaced by it, and known from then on.
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

/** The body to send: placeholders replaced, `<signature>` by that over the mandatory parameters. */
export function filledBody(stated: unknown, known: Known, secret: string): unknown {
  const signed = typeof stated === "object" && stated !== null && "signature" in stated;
  if (!signed || stated.signature !== "<signature>") return filled(stated, known);
  const { signature: _, ...rest } = stated;
  const body = filled(rest, known) as Record<string, unknown>;
  const line = SIGNED.map((name) => `${name}=${body[name]}`).join("&");
  return { ...body, signature: createHmac("sha1", secret).update(line).digest("hex") };
}
