import { Fault } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import { isValidText } from "../../../core/text/text";
import { isObject } from "./json";

/** Maximum number of problems that a fault lists. */
const PROBLEMS_MAX = 10;

/**
 * Reads the keys of an object by type and collects all problems, so that the sender sees them at once.
 * Returns undefined for a missing, null or invalid key.
 */
export class KeyReader {
  /**
   * @param source the object
   * @param path prefix of its keys in messages, for example `ios_loc_data.`
   * @param problems collects invalid keys; shared by the readers of a message
   * @param dropped collects dropped keys with reasons; shared by the readers of a message
   */
  constructor(
    private readonly source: JsonObject,
    private readonly path = "",
    readonly problems: string[] = [],
    readonly dropped: string[] = [],
  ) {}

  /** The object's keys. */
  keys(): string[] {
    return Object.keys(this.source);
  }

  /** A string. */
  text(key: string): string | undefined {
    return this.read(key, "text", (value) => (typeof value === "string" ? value : undefined));
  }

  /** A string that matches a pattern. */
  textMatching(key: string, pattern: RegExp, expected: string): string | undefined {
    return this.read(key, expected, (value) =>
      typeof value === "string" && pattern.test(value) ? value : undefined,
    );
  }

  /** One of several values, in any case, with or without their common prefix. */
  enumValue(key: string, words: readonly string[], prefix = ""): string | undefined {
    return this.read(key, `one of ${words.join(", ")}`, (value) => {
      if (typeof value !== "string") return undefined;
      const upper = value.toUpperCase();
      return words.find((word) => word.toUpperCase() === upper || word === prefix + upper);
    });
  }

  /** An integer from 0 to a maximum, as a number or string. */
  integer(key: string, max: number): number | undefined {
    return this.read(key, `an integer from 0 to ${max}`, (value) => {
      const digits = typeof value === "string" && /^\d{1,15}$/.test(value);
      const number = digits ? Number(value) : value;
      const fits = Number.isInteger(number) && (number as number) >= 0 && (number as number) <= max;
      return fits ? (number as number) : undefined;
    });
  }

  /** A number from 0 to 1. */
  fraction(key: string): number | undefined {
    return this.read(key, "a number from 0 to 1", (value) =>
      typeof value === "number" && value >= 0 && value <= 1 ? value : undefined,
    );
  }

  /** A flag: 1 or 0, as a number, string or boolean. */
  flag(key: string): boolean | undefined {
    return this.read(key, "1 or 0", (value) => {
      if (value === true || value === 1 || value === "1" || value === "true") return true;
      if (value === false || value === 0 || value === "0" || value === "false") return false;
      return undefined;
    });
  }

  /** A list of strings. Converts numbers to strings, and accepts the list as a JSON string. */
  texts(key: string): string[] | undefined {
    return this.read(key, "a list of texts", (value) => {
      const list = typeof value === "string" ? parseList(value) : value;
      if (!Array.isArray(list)) return undefined;
      const fits = list.every((each) =>
        typeof each === "string" ? isValidText(each) : Number.isFinite(each),
      );
      return fits ? list.map(String) : undefined;
    });
  }

  /** An object. */
  object(key: string): JsonObject | undefined {
    return this.read(key, "an object", (value) => (isObject(value) ? value : undefined));
  }

  /** A string or an object. */
  textOrObject(key: string): string | JsonObject | undefined {
    return this.read(key, "text or an object", (value) =>
      typeof value === "string" || isObject(value) ? value : undefined,
    );
  }

  /** A reader for a nested object, which shares this reader's problems; undefined without the object. */
  nested(key: string): KeyReader | undefined {
    const object = this.object(key);
    return object && new KeyReader(object, `${this.path}${key}.`, this.problems, this.dropped);
  }

  /** Records a dropped key. */
  drop(key: string, reason: string): void {
    this.dropped.push(`${this.path}${key} is dropped: ${reason}`);
  }

  /** Records an invalid key. */
  addProblem(key: string, problem: string): void {
    this.problems.push(`contains ${this.path}${key}, which ${problem}`);
  }

  /** @throws Fault INVALID on `message` if there are problems, with the first ten of them */
  throwProblems(): void {
    const listed = this.problems.slice(0, PROBLEMS_MAX);
    if (listed.length > 0) {
      throw new Fault("INVALID", `message ${listed.join("; ")}`, { message: listed });
    }
  }

  private read<T>(
    key: string,
    expected: string,
    convert: (value: JsonObject[string]) => T | undefined,
  ): T | undefined {
    const value = Object.hasOwn(this.source, key) ? this.source[key] : undefined;
    if (value === undefined || value === null) return undefined;
    const converted = convert(value);
    if (converted === undefined) this.addProblem(key, `must be ${expected}`);
    return converted;
  }
}

/** Parses a list given as JSON. */
function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
