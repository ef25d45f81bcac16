import { editDistance, nearestWord } from "../../src/core/variables/edit-distance";

test.each([
  ["", "", 0],
  ["same", "same", 0],
  ["", "abc", 3],
  ["port", "ports", 1],
  ["ports", "port", 1],
  ["part", "port", 1],
  ["prot", "port", 1],
  ["prto", "port", 2],
  ["kitten", "sitting", 3],
])("from %s to %s is a distance of %i", (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
  expect(editDistance(to, from)).toBe(distance);
});

test("the nearest word is the first of the nearest ones within the distance", () => {
  expect(nearestWord("prt", ["part", "port", "pt"], 2)).toBe("part");
  expect(nearestWord("ports", ["part", "port"], 2)).toBe("port");
  expect(nearestWord("harbour", ["part", "port"], 2)).toBeUndefined();
});
