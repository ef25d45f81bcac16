import fc from "fast-check";
import { emailKey, emailKeys, emailOperand, isEmail } from "../../src/core/text/email";

test.each([
  "a@b",
  "Alice.O'Neil+tag@Example.COM",
  "a@[192.0.2.1]",
  "jörg@bücher.example",
  "用户@例子.广告",
  "a_b@xn--bcher-kva.example",
])("%j is an address", (text) => expect(isEmail(text)).toBe(true));

test.each([
  "",
  "a",
  "a@",
  "@b",
  "a@b@c",
  "a@b,c@d",
  "a,b@c",
  "a;b@c",
  "a b@c",
  "a@b c",
  "<a@b>",
  "A <a@b>",
  '"a"@b',
  "a(c)@b",
  "a\u00a0b@c",
  "a\u200bb@c",
  "a\u00adb@c",
  "a\u202eb@c",
  "a\u2060@c",
  "a\ufe0f@c",
  "a\u3164@c",
  "a\u0001@c",
  "a@c\u007f",
  "a\u2028@c",
  "a\ud800@c",
  "a\uff20b@c",
  "a\uff0cb@c",
  "a@\u0300",
  `${"x".repeat(600)}@b`,
])("%j is not an address", (text) => expect(isEmail(text)).toBe(false));

test.each([
  ["Alice@Example.COM", "alice@example.com"],
  ["e\u0301va@example.com", "\u00e9va@example.com"],
  ["\uff41lice@example.com", "alice@example.com"],
  ["a@B\u00dcCHER.example", "a@xn--bcher-kva.example"],
  ["a@bu\u0308cher.example", "a@xn--bcher-kva.example"],
  ["a@XN--BCHER-KVA.example", "a@xn--bcher-kva.example"],
  ["no address", "no address"],
])("the key of %j is %j", (text, key) => {
  expect(emailKey(text)).toBe(key);
  expect(emailKey(key)).toBe(key);
});

test("an ASCII address has one key, its lower case", () => {
  const ascii = fc.string({ unit: "grapheme-ascii", maxLength: 60 });
  fc.assert(
    fc.property(ascii, (text) => {
      fc.pre(!/xn--/i.test(text));
      expect(emailKey(text)).toBe(text.toLowerCase());
      expect(emailKeys(text)).toEqual([text.toLowerCase()]);
    }),
  );
});

test("the keys of an address start with its lower case and contain its key and its older spellings", () => {
  const keys = emailKeys("Jo\u0308rg@b\u00fccher.example");
  expect(keys.slice(0, 2)).toEqual([
    "jo\u0308rg@b\u00fccher.example",
    "j\u00f6rg@xn--bcher-kva.example",
  ]);
  for (const local of ["jo\u0308rg", "j\u00f6rg"]) {
    for (const host of ["b\u00fccher", "bu\u0308cher", "xn--bcher-kva"]) {
      expect(keys).toContain(`${local}@${host}.example`);
    }
  }
  expect(keys).toHaveLength(6);
});

test("filters compare all keys", () => {
  expect(emailOperand("eq", "A@b")).toEqual(["eq", "a@b"]);
  expect(emailOperand("in", ["A@b", "C@d"])).toEqual(["in", ["a@b", "c@d"]]);
  expect(emailOperand("startWith", "Abc")).toEqual(["startWith", "abc"]);
  const [operator, keys] = emailOperand("eq", "e\u0301@b");
  expect([operator, keys]).toEqual(["in", expect.arrayContaining(["e\u0301@b", "\u00e9@b"])]);
});
