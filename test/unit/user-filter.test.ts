import { Fault } from "../../src/core/errors";
import {
  compileUserFilter,
  START_WITH_LIMIT,
  USER_LIST_FIELDS,
  type UserFilter,
  type UserListField,
} from "../../src/domain/users/lists/user-filter";

const STAND_ALONE: UserListField[] = [
  "id",
  "login",
  "email",
  "fullName",
  "phone",
  "externalId",
  "facebookId",
  "twitterId",
];
const ADDITIONAL: UserListField[] = ["lastRequestAt", "createdAt", "updatedAt"];
const SELECTIVE: UserListField[] = [...STAND_ALONE, "userTags"];
const ALL: UserListField[] = [...SELECTIVE, ...ADDITIONAL];
const PRIMARY = ["eq", "in", "startWith"] as const;
const COMPARE = ["gt", "lt", "gte", "lte"] as const;

const isDate = (field: UserListField) => ADDITIONAL.includes(field);

/** A valid operand for the field and the operator. */
function operandOf(field: UserListField, operator: string): unknown {
  const one = field === "id" ? 12 : isDate(field) ? new Date("2026-01-02T03:04:05Z") : "alice";
  return operator === "in" || operator === "nin" ? [one] : one;
}
const filter = (...parts: Array<[UserListField, string]>): UserFilter => {
  const made: Record<string, Record<string, unknown>> = {};
  for (const [field, operator] of parts) {
    made[field] = { ...made[field], [operator]: operandOf(field, operator) };
  }
  return made as UserFilter;
};

/** The error message, or null if the filter is accepted. */
function refusal(given: UserFilter): string | null {
  try {
    compileUserFilter(given);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    const fault = error as Fault;
    expect(fault.code).toBe("INVALID");
    return fault.message;
  }
}
const pairs = (fields: readonly UserListField[], operators: readonly string[]) =>
  fields.flatMap((field) =>
    operators.map((operator): [UserListField, string] => [field, operator]),
  );
/** Whether the field's type supports startWith. */
const hasPrefix = (field: UserListField) => field !== "id" && !isDate(field);
const fitting = ([field, operator]: [UserListField, string]) =>
  operator !== "startWith" || hasPrefix(field);

test("the fields are those of the V2 user list, each with its kind", () => {
  expect(Object.keys(USER_LIST_FIELDS).sort()).toEqual([...ALL].sort());
  for (const field of STAND_ALONE) expect(USER_LIST_FIELDS[field].kind).toBe("stand-alone");
  for (const field of ADDITIONAL) expect(USER_LIST_FIELDS[field].kind).toBe("additional");
  expect(USER_LIST_FIELDS.userTags.kind).toBe("either");
});

describe("rule 1: a stand-alone field with a primary operator is required", () => {
  test.each(pairs(SELECTIVE, PRIMARY).filter(fitting))("%s %s is enough", (field, operator) => {
    expect(refusal(filter([field, operator]))).toBeNull();
  });

  test.each([
    ["nothing", {}],
    ["fields without operators", { login: {}, id: {} }],
    ["fields that are null", { login: null }],
    ["operators that are absent", { login: { eq: undefined } }],
  ] as Array<[string, UserFilter]>)("%s is not", (_what, given) => {
    expect(refusal(given)).toMatch(/^Rule 1: /);
  });
});

describe("rule 2: a stand-alone field does not support comparison operators", () => {
  test.each(pairs(SELECTIVE, COMPARE))("%s %s", (field, operator) => {
    expect(refusal(filter([field, operator]))).toMatch(/^Rule 2: /);
    expect(refusal(filter([field, "eq"], [field, operator]))).toMatch(/^Rule 2: /);
    const other = field === "login" ? "email" : "login";
    expect(refusal(filter([other, "eq"], [field, operator]))).toMatch(/^Rule 2: /);
  });

  test.each(
    pairs(ADDITIONAL, COMPARE),
  )("%s %s is allowed in addition to one", (field, operator) => {
    expect(refusal(filter(["login", "eq"], [field, operator]))).toBeNull();
  });
});

describe("rule 3: an additional field alone is not enough", () => {
  test.each(pairs(ADDITIONAL, ["eq", "in", "nin", ...COMPARE]))("%s %s", (field, operator) => {
    expect(refusal(filter([field, operator]))).toMatch(/^Rule 3: .* \(eq, in, startWith\)$/);
    expect(refusal(filter([field, operator], ["id", "in"]))).toBeNull();
  });

  test("nor are all of them together", () => {
    expect(refusal(filter(...pairs(ADDITIONAL, ["eq", ...COMPARE])))).toMatch(
      /^Rule 3: .* \(eq, in, startWith\)$/,
    );
  });
});

describe("rule 4: the exclude operator alone is not enough", () => {
  test.each(SELECTIVE)("%s nin", (field) => {
    expect(refusal(filter([field, "nin"]))).toMatch(/^Rule 4: .* \(eq, in, startWith\)$/);
    expect(refusal(filter([field, "nin"], [field, "eq"]))).toBeNull();
    const other = field === "login" ? "email" : "login";
    expect(refusal(filter([field, "nin"], [other, "eq"]))).toBeNull();
  });

  test("nor is it with an additional field", () => {
    expect(refusal(filter(["login", "nin"], ["createdAt", "gt"]))).toMatch(
      /^Rule 4: .* \(eq, in, startWith\)$/,
    );
  });
});

describe("rule 5: start_with", () => {
  const texts = SELECTIVE.filter(hasPrefix);

  test.each(texts)("%s takes at least four characters", (field) => {
    for (const short of ["", "a", "abc", "äöü", "👍👍👍"]) {
      expect(refusal({ [field]: { startWith: short } })).toMatch(/^Rule 5: /);
    }
    for (const long of ["abcd", "äöüß", "👍👍👍👍", "    ", "%_%_"]) {
      expect(refusal({ [field]: { startWith: long } })).toBeNull();
    }
  });

  test("is reported, because it lowers the limit", () => {
    expect(START_WITH_LIMIT).toBe(5);
    expect(compileUserFilter({ login: { startWith: "abcd" } }).startWith).toBe(true);
    expect(compileUserFilter({ login: { eq: "abcd" } }).startWith).toBe(false);
    expect(compileUserFilter(filter(["id", "in"], ["fullName", "startWith"])).startWith).toBe(true);
  });
});

describe("SQL", () => {
  test.each(
    pairs(ALL, [...PRIMARY, "nin", ...COMPARE]).filter(fitting),
  )("for %s %s binds all values", (field, operator) => {
    const beside: Array<[UserListField, string]> =
      COMPARE.includes(operator as never) && !isDate(field) ? [] : [["id", "eq"]];
    if (beside.length === 0) return expect(refusal(filter([field, operator]))).toMatch(/^Rule 2/);
    const value = operandOf(field, operator);
    const given: UserFilter =
      field === "id"
        ? { id: { [operator]: value, eq: 12 } }
        : {
            ...filter(...beside),
            [field]: { [operator]: value },
          };
    const { sql, values } = compileUserFilter(given);
    expect(sql).not.toContain("alice");
    expect(values.length).toBeGreaterThan(0);
    const places = [...sql.matchAll(/\$(\d+)::/g)].map((match) => Number(match[1]));
    expect(places).toEqual(values.map((_, index) => index + 2));
  });

  test("lower-cases login and e-mail, and no other text", () => {
    expect(compileUserFilter({ login: { eq: "ALICE" } }).values).toEqual(["alice"]);
    expect(compileUserFilter({ email: { in: ["A@B.C", "D@E.F"] } }).values).toEqual([
      ["a@b.c", "d@e.f"],
    ]);
    expect(compileUserFilter({ fullName: { eq: "ALICE" } }).values).toEqual(["ALICE"]);
  });

  test("joins conditions with AND, also those on one field", () => {
    const { sql, values } = compileUserFilter({
      login: { in: ["a", "b"], nin: ["b"] },
      createdAt: { gte: new Date(0), lt: new Date(1) },
    });
    expect(sql.match(/ AND /g)).toHaveLength(3);
    expect(values).toEqual([["a", "b"], ["b"], new Date(0), new Date(1)]);
  });
});

describe("values", () => {
  test.each([
    ["null", { login: { eq: null } }, "login"],
    ["an empty list", { id: { in: [] } }, "id"],
    ["a list of more than a thousand", { id: { in: Array(1_001).fill(1) } }, "id"],
  ] as Array<
    [string, UserFilter, string]
  >)("%s is refused with the field's name", (_w, given, field) => {
    try {
      compileUserFilter(given);
    } catch (error) {
      expect((error as Fault).code).toBe("INVALID");
      expect(Object.keys((error as Fault).fields ?? {})).toEqual([field]);
      return;
    }
    throw new Error("it was accepted");
  });

  test("a thousand are allowed", () => {
    expect(refusal({ id: { in: Array.from({ length: 1_000 }, (_, index) => index) } })).toBeNull();
  });
});
