import { Fault } from "../../src/core/errors";
import { checkUserFields, TAGS_MAX, type UserFields } from "../../src/domain/users/user-fields";

function errorsOf(fields: UserFields): Record<string, string[]> {
  try {
    checkUserFields(fields);
    return {};
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect((error as Fault).code).toBe("INVALID");
    return (error as Fault).fields ?? {};
  }
}

const TEXTS = [
  "externalUserId",
  "externalId",
  "facebookId",
  "twitterId",
  "fullName",
  "phone",
  "website",
  "avatar",
] as const;

describe("columns", () => {
  test("contain the given values and the normalized keys of login and e-mail", () => {
    const { columns, tags } = checkUserFields({
      login: "Alice.B-c_d+1@x",
      email: "Alice@Example.COM",
      fullName: "Zoë",
      customData: "{}",
      blobId: 2 ** 53 - 1,
      timezone: -720,
      tags: ["a", "b"],
    });
    expect(columns).toEqual({
      login: "Alice.B-c_d+1@x",
      loginKey: "alice.b-c_d+1@x",
      email: "Alice@Example.COM",
      emailKey: "alice@example.com",
      fullName: "Zoë",
      customData: "{}",
      blobId: 9007199254740991n,
      timezone: -720,
    });
    expect(tags).toEqual(["a", "b"]);
  });

  test("are absent for absent fields and null for null fields", () => {
    expect(checkUserFields({})).toEqual({ columns: {}, tags: undefined });
    const nothing: UserFields = { login: null, email: null, customData: null, blobId: null };
    const { columns, tags } = checkUserFields({
      ...nothing,
      timezone: null,
      tags: null,
      ...Object.fromEntries(TEXTS.map((field) => [field, null])),
    });
    expect(Object.values(columns).every((value) => value === null)).toBe(true);
    expect(Object.keys(columns).sort()).toEqual(
      [
        ...TEXTS,
        "login",
        "loginKey",
        "email",
        "emailKey",
        "customData",
        "blobId",
        "timezone",
      ].sort(),
    );
    expect(tags).toEqual([]);
  });
});

describe("login", () => {
  test.each(["a", "0", "A.b-c_d@e+f", "x".repeat(70)])("%j is valid", (login) => {
    expect(errorsOf({ login })).toEqual({});
  });
  test.each([
    "",
    " ",
    "a b",
    "x".repeat(71),
    "ä",
    "a\n",
    "a,b",
    "a/b",
    "a'b",
    "a%",
    "а",
  ])("%j is refused", (login) => {
    expect(errorsOf({ login })).toEqual({ login: [expect.any(String)] });
  });
});

describe("email", () => {
  test.each([
    "a@b",
    "a.b+c@d.example",
    "ö@ü.example",
    `${"x".repeat(253)}@b`,
  ])("%j is valid", (email) => {
    expect(errorsOf({ email })).toEqual({});
  });
  test.each([
    "",
    "a",
    "@b",
    "a@",
    "a@b@c",
    "a b@c",
    "a@b\r\nBcc: x@y",
    "a@b\n",
    `${"x".repeat(254)}@b`,
  ])("%j is refused", (email) => {
    expect(Object.keys(errorsOf({ email }))).toEqual(["email"]);
  });
});

describe("texts", () => {
  test.each(TEXTS)("%s has at most 255 characters, counted as code points", (field) => {
    for (const good of ["", "x".repeat(255), "👍".repeat(255), "<b>", "a\nb", "e\u0301"]) {
      expect(errorsOf({ [field]: good })).toEqual({});
    }
    for (const long of ["x".repeat(256), "👍".repeat(256)]) {
      expect(errorsOf({ [field]: long })).toEqual({ [field]: [expect.stringContaining("255")] });
    }
  });

  test("custom data has at most 5,000 characters", () => {
    expect(errorsOf({ customData: "👍".repeat(5_000) })).toEqual({});
    expect(errorsOf({ customData: "x".repeat(5_001) })).toEqual({
      customData: [expect.stringContaining("5000")],
    });
  });
});

describe("timezone", () => {
  test.each([-720, 0, 330, 840])("%i is valid", (timezone) => {
    expect(errorsOf({ timezone })).toEqual({});
  });
  test.each([-721, 841, 2 ** 31 - 1])("%i is refused", (timezone) => {
    expect(errorsOf({ timezone })).toEqual({ timezone: [expect.stringContaining("-720")] });
  });
});

describe("tags", () => {
  test("are trimmed and deduplicated", () => {
    expect(checkUserFields({ tags: [" a ", "b", "a", "", "  "] }).tags).toEqual(["a", "b"]);
    expect(checkUserFields({ tags: [] }).tags).toEqual([]);
  });

  test("keep their case and their order", () => {
    expect(checkUserFields({ tags: ["b", "A", "a"] }).tags).toEqual(["b", "A", "a"]);
  });

  test("are limited to five, after deduplication", () => {
    expect(TAGS_MAX).toBe(5);
    expect(errorsOf({ tags: ["a", "b", "c", "d", "e", "e"] })).toEqual({});
    expect(errorsOf({ tags: ["a", "b", "c", "d", "e", "f"] })).toEqual({
      tags: [expect.stringContaining("5")],
    });
  });

  test("contain no comma and at most 255 characters", () => {
    expect(errorsOf({ tags: ["a,b"] })).toEqual({ tags: [expect.stringContaining("comma")] });
    expect(errorsOf({ tags: ["x".repeat(256)] })).toEqual({
      tags: [expect.stringContaining("255")],
    });
  });
});

test("all invalid fields are reported at once", () => {
  const errors = errorsOf({
    login: "a b",
    email: "nobody",
    fullName: "x".repeat(256),
    customData: "x".repeat(5_001),
    timezone: 9_999,
    tags: ["a,b"],
  });
  expect(Object.keys(errors).sort()).toEqual(
    ["customData", "email", "fullName", "login", "tags", "timezone"].sort(),
  );
});
