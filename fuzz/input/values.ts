import { HOSTILE } from "../../tools/hostile-values";
import type { Random } from "../../tools/seeded-random";
import { chance, pick, several } from "./random";

/** Ranges of code units for random text: ASCII, controls, Latin, CJK, surrogates, specials. */
const RANGES: ReadonlyArray<readonly [from: number, to: number]> = [
  [0x20, 0x7e],
  [0x20, 0x7e],
  [0x00, 0x1f],
  [0x7f, 0xff],
  [0x4e00, 0x4fff],
  [0x200b, 0x202e],
  [0xd800, 0xdfff],
  [0xfff0, 0xffff],
];

/** Fragments whose repetition makes expressions backtrack and parsers recurse. */
const REPEATED = [" ", "\t", "a", "=", "&", "a@", "[", "{", "(", '"', "\\", "%", "<a>", "&amp;"];
const REPEATED_MORE = ["A=", "-", ",", "0", "\r\n", "\u00a0", "é", "👍", "a.", "../", ";a=", "[a]"];

const NUMBER_TEXTS = [
  "0",
  "-0",
  "1",
  "-1",
  "1.5",
  "1e3",
  "1e400",
  "NaN",
  "Infinity",
  "0x10",
  "0b1",
  "01",
  "+1",
  "9007199254740991",
  "9007199254740992",
  "9223372036854775807",
  "9223372036854775808",
  "2147483647",
  "2147483648",
  "-2147483649",
  "1_000",
  "１２",
  "1,2",
  " 1",
  "1 ",
  "null",
  "true",
];

const DATES = [
  "2018-12-05T11:58:02Z",
  "2018-12-05",
  "0000-00-00",
  "9999-12-31T23:59:59Z",
  "+275760-09-13",
  "-000001-01-01",
  "2018-02-30T25:61:61Z",
  "1969-12-31T23:59:59Z",
  "1e15",
  "12345678901",
];

/** A number of repetitions: mostly small, one in fifty large. */
function count(random: Random): number {
  if (chance(random, 2)) return random(20_000);
  return random(chance(random, 20) ? 400 : 24);
}

/** Text that is rarely valid for a field. */
export function hostileText(random: Random): string {
  switch (random(8)) {
    case 0:
      return pick(random, REPEATED).repeat(count(random)) + pick(random, ["", "!", "\u0000", "x"]);
    case 1:
      return pick(random, REPEATED_MORE).repeat(count(random));
    case 2:
      return pick(random, NUMBER_TEXTS);
    case 3:
      return pick(random, DATES);
    case 4: {
      const [from, to] = pick(random, RANGES);
      const units = several(random, 0, 12, () => from + random(to - from + 1));
      return String.fromCharCode(...units);
    }
    case 5:
      return `${hostileText(random)}${pick(random, ["@", " ", ".", ",", "/", "\u0000"])}${hostileText(random)}`;
    default: {
      const known = pick(random, HOSTILE);
      return typeof known === "string" ? known : JSON.stringify(known);
    }
  }
}

/** A JSON value that is rarely valid for a field. */
export function hostileValue(random: Random, depth = 3): unknown {
  const kind = random(10);
  if (kind < 5 || depth === 0) return hostileText(random);
  if (kind < 7) return pick(random, HOSTILE);
  if (kind === 7) return several(random, 0, 4, () => hostileValue(random, depth - 1));
  if (kind === 8) return nested(random, 1 + random(chance(random, 5) ? 2_000 : 30));
  return Object.fromEntries(
    several(random, 0, 4, () => [hostileName(random), hostileValue(random, depth - 1)]),
  );
}

/** A hostile name for an object key or a parameter. */
export function hostileName(random: Random): string {
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "length",
    "0",
    "",
    "id",
    "$ne",
    "[]",
    "a=b",
  ];
  return chance(random, 70) ? pick(random, names) : hostileText(random).slice(0, 200);
}

/** A value nested in arrays or objects. */
export function nested(random: Random, depth: number): unknown {
  let value: unknown = 1;
  const list = chance(random, 50);
  for (let level = 0; level < depth; level += 1) value = list ? [value] : { a: value };
  return value;
}

/** Changes, removes, duplicates or inserts parts of a text. */
export function mutateText(random: Random, text: string): string {
  let changed = text;
  for (let edits = 1 + random(4); edits > 0; edits -= 1) {
    const at = random(changed.length + 1);
    const length = random(chance(random, 20) ? 60 : 6);
    const [head, part, tail] = [
      changed.slice(0, at),
      changed.slice(at, at + length),
      changed.slice(at + length),
    ];
    const kind = random(5);
    if (kind === 0) changed = head + tail;
    else if (kind === 1) changed = head + part + part + tail;
    else if (kind === 2) changed = head + hostileText(random) + tail;
    else if (kind === 3) changed = head + hostileText(random) + part + tail;
    else changed = head + part.toUpperCase() + pick(random, REPEATED) + tail;
  }
  return changed;
}

/** Random bytes. */
export function randomBytes(random: Random, most: number): Buffer {
  return Buffer.from(several(random, 1, most, () => random(256)));
}

/** Serializes to JSON, including lone surrogates; "null" if the value is nested too deeply. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null";
  }
}

/** Percent-encodes text, with lone surrogates replaced by U+FFFD. */
export const urlEncode = (text: string): string =>
  encodeURIComponent(Buffer.from(text).toString("utf8"));
