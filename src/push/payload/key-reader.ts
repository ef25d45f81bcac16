import { Fault } from "../../core/errors";
import { isText } from "../../core/text";
import { isObject, type JsonObject } from "./json";

/** Wrong keys that a fault names at most. */
const SHOWN_MAX = 10;

/**
 * Reads single keys of an object and gathers what is wrong with them, so that a sender learns it all at
 * once. A key that is missing or null is undefined; so is one that is wrong.
 */
export class KeyReader {
  /**
   * @param source the object
   * @param path what its keys are called in front of their name, like `ios_loc_data.`
   * @param problems where to note what is wrong; shared by the readers of one message
   * @param leftOut where to note what is not sent, and why; shared as well
   */
  constructor(
    private readonly source: JsonObject,
    private readonly path = "",
    readonly problems: string[] = [],
    readonly leftOut: string[] = [],
  ) {}

  /** Names of the object's keys. */
  keys(): string[] {
    return Object.keys(this.source);
  }

  /** Text. */
  text(key: string): string | undefined {
    return this.read(key, "text", (value) => (typeof value === "string" ? value : undefined));
  }

  /** Text of a form. */
  textLike(key: string, form: RegExp, name: string): string | undefined {
    return this.read(key, name, (value) =>
      typeof value === "string" && form.test(value) ? value : undefined,
    );
  }

  /** One of some words, in whatever case; their common prefix may be left out. */
  word(key: string, words: readonly string[], prefix = ""): string | undefined {
    return this.read(key, `one of ${words.join(", ")}`, (value) => {
      if (typeof value !== "string") return undefined;
      const upper = value.toUpperCase();
      return words.find((word) => word.toUpperCase() === upper || word === prefix + upper);
    });
  }

  /** Integer, also as text. */
  integer(key: string, max: number): number | undefined {
    return this.read(key, `an integer of 0 to ${max}`, (value) => {
      const digits = typeof value === "string" && /^\d{1,15}$/.test(value);
      const number = digits ? Number(value) : value;
      const fits = Number.isInteger(number) && (number as number) >= 0 && (number as number) <= max;
      return fits ? (number as number) : undefined;
    });
  }

  /** Number of 0 to 1. */
  share(key: string): number | undefined {
    return this.read(key, "a number of 0 to 1", (value) =>
      typeof value === "number" && value >= 0 && value <= 1 ? value : undefined,
    );
  }

  /** 1 or 0, as number, text or truth. */
  flag(key: string): boolean | undefined {
    return this.read(key, "1 or 0", (value) => {
      if (value === true || value === 1 || value === "1" || value === "true") return true;
      if (value === false || value === 0 || value === "0" || value === "false") return false;
      return undefined;
    });
  }

  /** List of texts; numbers become texts, and the JSON text of a list is a list. */
  texts(key: string): string[] | undefined {
    return this.read(key, "a list of texts", (value) => {
      const list = typeof value === "string" ? parseList(value) : value;
      if (!Array.isArray(list)) return undefined;
      const fits = list.every((each) =>
        typeof each === "string" ? isText(each) : Number.isFinite(each),
      );
      return fits ? list.map(String) : undefined;
    });
  }

  /** Object. */
  object(key: string): JsonObject | undefined {
    return this.read(key, "an object", (value) => (isObject(value) ? value : undefined));
  }

  /** Text or object. */
  textOrObject(key: string): string | JsonObject | undefined {
    return this.read(key, "text or an object", (value) =>
      typeof value === "string" || isObject(value) ? value : undefined,
    );
  }

  /** Reader of an object inside, which notes its problems with this one's; undefined without it. */
  inside(key: string): KeyReader | undefined {
    const object = this.object(key);
    return object && new KeyReader(object, `${this.path}${key}.`, this.problems, this.leftOut);
  }

  /** Notes that a key is not sent, and why. */
  leaveOut(key: string, reason: string): void {
    this.leftOut.push(`${this.path}${key} is left out: ${reason}`);
  }

  /** Notes that a key is wrong. */
  refuse(key: string, problem: string): void {
    this.problems.push(`holds ${this.path}${key}, which ${problem}`);
  }

  /**
   * Ends the reading.
   * @throws Fault INVALID on `message` that names every key that was wrong, of many the first
   */
  finish(): void {
    const shown = this.problems.slice(0, SHOWN_MAX);
    if (shown.length > 0) {
      throw new Fault("INVALID", `message ${shown.join("; ")}`, { message: shown });
    }
  }

  private read<T>(
    key: string,
    name: string,
    take: (value: JsonObject[string]) => T | undefined,
  ): T | undefined {
    const value = Object.hasOwn(this.source, key) ? this.source[key] : undefined;
    if (value === undefined || value === null) return undefined;
    const taken = take(value);
    if (taken === undefined) this.refuse(key, `must be ${name}`);
    return taken;
  }
}

/** The list that a text is the JSON of. */
function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
