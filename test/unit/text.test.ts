import fc from "fast-check";
import {
  detachText,
  isValidText,
  isValidTextDeep,
  toValidText,
  truncateText,
} from "../../src/core/text/text";

/** Strings of arbitrary code units, including lone surrogates and noncharacters. */
const units = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(
        0,
        0x61,
        0xd7ff,
        0xd800,
        0xdbff,
        0xdc00,
        0xdfff,
        0xe000,
        0xfffd,
        0xfffe,
        0xffff,
      ),
    ),
    { maxLength: 40 },
  )
  .map((list) => String.fromCharCode(...list));

/** Reference implementation of the rule, by code point. */
const isValidByCodePoint = (value: string) =>
  [...value].every((character) => {
    const point = character.codePointAt(0) ?? 0;
    return (
      point !== 0 && point !== 0xfffe && point !== 0xffff && !(point >= 0xd800 && point <= 0xdfff)
    );
  });

describe("text", () => {
  test.each([
    "",
    "a",
    "é€😀",
    "\u0001\u001f\u007f\u0085",
    "\u200b\u202e",
    "\ufffd",
    "\u{1fffe}\u{10ffff}",
  ])("%j is valid", (value) => {
    expect(isValidText(value)).toBe(true);
    expect(toValidText(value)).toBe(value);
  });

  test.each([
    "\0",
    "a\0b",
    "\ud800",
    "a\udc00",
    "\udc00\ud800",
    "😀\ud83d",
    "\ufffe",
    "é\uffff",
  ])("%j is invalid", (value) => {
    expect(isValidText(value)).toBe(false);
    expect(isValidText(toValidText(value))).toBe(true);
  });

  test("matches the rule for every code point", () => {
    fc.assert(
      fc.property(units, (value) => {
        expect(isValidText(value)).toBe(isValidByCodePoint(value));
        expect(isValidText(toValidText(value))).toBe(true);
      }),
    );
  });

  test("is checked in JSON at any depth, including keys", () => {
    expect(isValidTextDeep({ a: ["x", { b: null, c: 1, d: true }] })).toBe(true);
    expect(isValidTextDeep({ a: ["x", { b: "\0" }] })).toBe(false);
    expect(isValidTextDeep({ a: [{ "\ud800": 1 }] })).toBe(false);
    const deep = (end: string) =>
      JSON.parse(`${"[".repeat(100_000)}"${end}"${"]".repeat(100_000)}`);
    expect(isValidTextDeep(deep("x"))).toBe(true);
    expect(isValidTextDeep(deep("\uffff"))).toBe(false);
  });
});

describe("truncation", () => {
  test.each([
    ["abc", 5, "abc"],
    ["abc", 2, "ab"],
    ["abc", 0, ""],
    ["a😀b", 1, "a"],
    ["a😀b", 2, "a😀"],
    ["😀😀😀", 2, "😀😀"],
  ])("of %j to %i", (text, max, cut) => {
    expect(truncateText(text, max)).toBe(cut);
  });

  test("never splits a character", () => {
    fc.assert(
      fc.property(units, fc.nat(50), (value, max) => {
        expect(truncateText(value, max)).toBe([...value].slice(0, max).join(""));
      }),
    );
  });
});

it("copies a valid text", () => {
  for (const text of ["", "1605784922547", "é€😀\r\n"]) expect(detachText(text)).toBe(text);
});
