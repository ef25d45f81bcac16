import { randomBytes } from "node:crypto";
import { Sealer } from "../../src/core/sealer";
import { decodeKey } from "../../src/core/variables/variable";

const [first, second] = [randomBytes(32), randomBytes(32)];
const sealer = new Sealer([first]);

describe("a sealed secret", () => {
  test.each([
    "",
    "s",
    "secret with ünïcode 🔑",
    "x".repeat(10_000),
  ])("can be opened: %#", (text) => {
    const sealed = sealer.seal(text, "auth_secret");
    expect(sealed).toMatch(/^sealed:[\w-]{6}:[\w-]+$/);
    if (text.length > 1) expect(sealed).not.toContain(text);
    expect(sealer.open(sealed, "auth_secret")).toBe(text);
  });

  test("differs each time", () => {
    expect(sealer.seal("s", "p")).not.toBe(sealer.seal("s", "p"));
  });

  test("cannot be opened with another purpose or key, or after a change", () => {
    const sealed = sealer.seal("secret", "auth_secret");
    expect(() => sealer.open(sealed, "facebook.appSecret")).toThrow();
    expect(() => new Sealer([second]).open(sealed, "auth_secret")).toThrow(/not configured/);
    const body = sealed.slice(14);
    for (let index = 0; index < body.length; index += 7) {
      const other = body[index] === "A" ? "B" : "A";
      const changed = `${sealed.slice(0, 14)}${body.slice(0, index)}${other}${body.slice(index + 1)}`;
      expect(() => sealer.open(changed, "auth_secret")).toThrow();
    }
    expect(() => sealer.open(sealed.slice(0, 40), "auth_secret")).toThrow();
  });

  test("of an older key can be opened, and is stale", () => {
    const old = sealer.seal("secret", "p");
    const both = new Sealer([second, first]);
    expect(both.open(old, "p")).toBe("secret");
    expect([both.isStale(old), both.isStale(both.seal("secret", "p"))]).toEqual([true, false]);
  });

  test("may be plain text, which is returned unchanged and stale", () => {
    expect([sealer.open("in clear", "p"), sealer.isStale("in clear")]).toEqual(["in clear", true]);
  });
});

describe("a key", () => {
  const bytes = randomBytes(32);
  test.each(["hex", "base64", "base64url"] as const)("is decoded from %s", (encoding) => {
    expect(decodeKey(bytes.toString(encoding))).toEqual(bytes);
  });

  test.each([
    "",
    "secret",
    "0".repeat(63),
    "x".repeat(64),
    randomBytes(31).toString("base64"),
  ])("is not decoded from %p", (text) => {
    expect(decodeKey(text)).toBeNull();
  });
});
