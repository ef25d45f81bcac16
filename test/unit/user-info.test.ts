import fc from "fast-check";
import { Fault } from "../../src/core/errors";
import type { Json } from "../../src/core/json";
import { checkUserInfo, fromElements, toElements } from "../../src/domain/calls/signals/user-info";
import type { XmlElement } from "../../src/platform/xml/xml-element";

describe("userInfo as elements", () => {
  it.each<[string, { [key: string]: Json }, XmlElement[]]>([
    ["text", { a: "b" }, [{ name: "a", text: "b" }]],
    [
      "true and false",
      { busy: true, x: false },
      [
        { name: "busy", text: "true" },
        { name: "x", text: "false" },
      ],
    ],
    [
      "numbers",
      { a: 1, b: -1.5 },
      [
        { name: "a", text: "1" },
        { name: "b", text: "-1.5" },
      ],
    ],
    ["nothing", { a: null, b: "", c: {} }, [{ name: "a" }, { name: "b" }, { name: "c" }]],
    [
      "objects",
      { a: { b: { c: "d" } } },
      [{ name: "a", children: [{ name: "b", children: [{ name: "c", text: "d" }] }] }],
    ],
    [
      "arrays",
      { a: ["1", { b: "2" }, null] },
      [
        { name: "a", text: "1" },
        { name: "a", children: [{ name: "b", text: "2" }] },
        { name: "a" },
      ],
    ],
    ["an array of one", { a: ["1"] }, [{ name: "a", text: "1" }]],
    ["an empty array", { a: [], b: "1" }, [{ name: "b", text: "1" }]],
  ])("writes %s", (_name, json, elements) => {
    checkUserInfo(json);
    expect(toElements(json)).toEqual(elements);
  });

  it.each<[string, XmlElement[], { [key: string]: Json }]>([
    [
      "text as a string, even if it looks like another type",
      [
        { name: "a", text: "true" },
        { name: "b", text: "1" },
      ],
      { a: "true", b: "1" },
    ],
    ["an empty element as the empty text", [{ name: "a" }], { a: "" }],
    [
      "elements inside as an object",
      [{ name: "a", children: [{ name: "b", text: "c" }] }],
      { a: { b: "c" } },
    ],
    [
      "consecutive elements of one name as an array",
      [{ name: "a", text: "1" }, { name: "a" }, { name: "a", text: "3" }],
      { a: ["1", "", "3"] },
    ],
    [
      "names of prototype members as own keys",
      [{ name: "constructor", text: "1" }, { name: "toString" }],
      { constructor: "1", toString: "" },
    ],
    ["nothing as an empty object", [], {}],
  ])("reads %s", (_name, elements, json) => {
    const read = fromElements(elements);
    expect(read).toEqual(json);
    expect(Object.keys(read ?? {})).toEqual(Object.keys(json));
  });

  it.each<[string, XmlElement[]]>([
    ["attributes", [{ name: "a", attributes: { b: "c" } }]],
    ["a namespace", [{ name: "a", namespace: "urn:x" }]],
    ["mixed content", [{ name: "a", children: [{ name: "#text", text: "x" }, { name: "b" }] }]],
    ["scattered names", [{ name: "a" }, { name: "b" }, { name: "a" }]],
    ["the name __proto__", [{ name: "__proto__", text: "x" }]],
    ["a bad element deep inside", [{ name: "a", children: [{ name: "b", attributes: {} }] }]],
  ])("does not convert %s to JSON", (_name, elements) => {
    expect(fromElements(elements)).toBeUndefined();
  });
});

describe("validation", () => {
  it.each<[string, unknown, RegExp]>([
    ["text", "x", /must be an object/],
    ["an array", [], /must be an object/],
    ["null", null, /must be an object/],
    ["an array in an array", { a: [["b"]] }, /a nested array, at a/],
    ["a key with a space", { a: { "b c": "" } }, /"b c".*at a/],
    ["a key with a colon", { "a:b": "" }, /"a:b"/],
    ["a key that begins with a digit", { "1": "" }, /"1"/],
    ["an empty key", { "": "" }, /""/],
    ["the key __proto__", JSON.parse('{"__proto__": {"a": 1}}'), /__proto__/],
    ["a control character", { a: "\u0007" }, /character/],
    ["a lone surrogate", { a: ["\udc00"] }, /character/],
    ["NaN", { a: Number.NaN }, /number/],
    ["a function", { a: () => 1 }, /not JSON/],
    ["undefined", { a: undefined }, /not JSON/],
  ])("refuses %s", (_name, value, message) => {
    expect(() => checkUserInfo(value)).toThrow(message);
    try {
      checkUserInfo(value, "parameters");
    } catch (error) {
      expect(error).toBeInstanceOf(Fault);
      expect(error).toMatchObject({
        code: "INVALID",
        fields: { parameters: [expect.any(String)] },
      });
    }
    expect.assertions(3);
  });

  it("refuses any nesting deeper than a stanza's", () => {
    const nest = (depth: number) => {
      let value: Json = "x";
      for (let level = 0; level < depth; level += 1) value = { a: value };
      return value;
    };
    expect(() => checkUserInfo(nest(27))).not.toThrow();
    expect(() => checkUserInfo(nest(28))).toThrow(/nests deeper/);
    expect(() => checkUserInfo(nest(100_000))).toThrow(Fault);
  });

  it("accepts any value or throws a fault", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          checkUserInfo(value);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          return;
        }
        expect(fromElements(toElements(value))).toBeDefined();
      }),
    );
  });
});
