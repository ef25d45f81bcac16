import fc from "fast-check";

const SURROGATES_START = 0xd800;
const SURROGATES = 0x800;
const LAST_CODE_POINT = 0x10ffff;

function characterAt(position: number): string {
  return String.fromCodePoint(position < SURROGATES_START ? position : position + SURROGATES);
}

function positionOf(character: unknown): number {
  const point = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== character)
    throw new Error("no character");
  return point < SURROGATES_START ? point : point - SURROGATES;
}

const anyCharacter = fc.nat(LAST_CODE_POINT - SURROGATES).map(characterAt, positionOf);

/**
 * Strings of any characters but surrogates, as `fc.string({ unit: "binary" })`, which takes a second to build a
 * table of all characters.
 */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}) {
  return fc.string({ ...constraints, unit: anyCharacter });
}
