import { exceedsDepth } from "../../../core/json";
import { isValidText } from "../../../core/text/text";
import { type JanusCode, JanusError } from "./janus-error";
import { MESSAGE_LEVELS } from "./janus-limits";

/** A JSON object of a client. Only {@link FieldReader} reads it. */
export type Received = Record<string, unknown>;

/**
 * Parses a message: one JSON object.
 * @throws JanusError 454 for text that is not JSON or nests too deeply, 455 for another value
 */
export function parseMessage(text: string): Received {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JanusError(454, "Invalid JSON");
  }
  if (!isMessageObject(value)) throw new JanusError(455, "Invalid JSON object");
  if (exceedsDepth(value, MESSAGE_LEVELS)) throw new JanusError(454, "The JSON nests too deeply");
  return value;
}

/** Whether a JSON value is an object. */
export function isMessageObject(value: unknown): value is Received {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The codes of errors about fields: those of Janus itself, or those of its plugin. */
export interface FieldCodes {
  missing: JanusCode;
  invalid: JanusCode;
}

/** Errors about fields of a message itself. */
export const MESSAGE_FIELDS: FieldCodes = { missing: 456, invalid: 467 };
/** Errors about fields of a message's body. */
export const BODY_FIELDS: FieldCodes = { missing: 429, invalid: 430 };

/** Reads known fields of an object by their type. Null counts as absent; inherited properties do not exist. */
export class FieldReader {
  constructor(
    private readonly object: Received,
    private readonly codes: FieldCodes,
  ) {}

  /** The value of a field; undefined if it is absent or null. */
  get(name: string): unknown {
    return Object.hasOwn(this.object, name) ? (this.object[name] ?? undefined) : undefined;
  }

  /** A text of at most `max` characters. */
  text(name: string, max: number): string | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== "string" || value.length > max || !isValidText(value)) {
      throw this.invalid(name, `a text of at most ${max} characters`);
    }
    return value;
  }

  /** A positive integer that JSON numbers hold exactly. */
  id(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!Number.isSafeInteger(value) || (value as number) < 1) {
      throw this.invalid(name, "a positive integer");
    }
    return value as number;
  }

  /** A boolean. */
  flag(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.invalid(name, "a boolean");
  }

  /** The value, which must not be absent. */
  required<T>(name: string, value: T | undefined): T {
    if (value !== undefined) return value;
    throw new JanusError(this.codes.missing, `Missing mandatory element (${name})`);
  }

  /** The error of a value that is not `expected`. */
  invalid(name: string, expected: string): JanusError {
    return new JanusError(
      this.codes.invalid,
      `Invalid element type (${name} should be ${expected})`,
    );
  }
}
