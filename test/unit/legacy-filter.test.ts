import { Fault } from "../../src/core/errors";
import {
  compileLegacyConditions,
  compileLegacyOrder,
  LEGACY_FIELDS,
  type LegacyCondition,
  parseTimeRange,
} from "../../src/domain/users/lists/legacy-filter";
import { compileBind } from "../../src/transports/rest/bind";
import { readDocuments } from "../../src/transports/rest/documents";
import { readQuery } from "../../src/transports/rest/form";
import { FILES, sampleSchema } from "../support/rest/rest-sample";

const document = readDocuments(FILES, sampleSchema()).find(
  ({ name }) => name === "ListUsersByPage",
);
if (!document) throw new Error("no operation ListUsersByPage");
const bindPage = compileBind(document);

const bind = (query: string) =>
  bindPage({ path: {}, query: readQuery(`/users?${query}`), body: undefined, headers: {} });

/** The field errors of a refused query. */
function refusals(query: string): Record<string, string[]> {
  try {
    bind(query);
  } catch (error) {
    if (error instanceof Fault && error.code === "INVALID") return { ...error.fields };
    throw error;
  }
  throw new Error("the query was accepted");
}

const number = (field: string, operator: string, ...numbers: number[]) => ({
  field,
  operator,
  numbers,
});
const string = (field: string, operator: string, ...strings: string[]) => ({
  field,
  operator,
  strings,
});
const date = (field: string, operator: string, ...dates: string[]) => ({
  field,
  operator,
  dates,
});

describe("a filter", () => {
  const ONE = [number("ID", "GT", 1)];
  test.each([
    ["filter[]=number+id+gt+1", ONE],
    ["filter%5B%5D=number%20id%20gt%201", ONE],
    ["filter[gt]=number+id+gt+1", ONE],
    ["filter=number+id+gt+1", ONE],
    ["filter[]=integer+id+gt+1", ONE],
    ["filter[]=++number++id++gt++1+", ONE],
    ["filter[]=number+id+between+1,20", [number("ID", "BETWEEN", 1, 20)]],
    ["filter[]=number+id+between+1,+20", [number("ID", "BETWEEN", 1, 20)]],
    ["filter[]=number+id+in+1,2,,3", [number("ID", "IN", 1, 2, 3)]],
    ["filter[]=number+id+in+", [number("ID", "IN")]],
    ["filter[]=number+timezone+le+-60", [number("TIMEZONE", "LE", -60)]],
    ["filter[]=string+login+in+a,b", [string("LOGIN", "IN", "a", "b")]],
    ["filter[]=string+full_name+eq+Ann+Other", [string("FULL_NAME", "EQ", "Ann Other")]],
    ["filter[]=string+full_name+eq++Ann+", [string("FULL_NAME", "EQ", " Ann ")]],
    ["filter[]=string+full_name+eq+Other,+Ann", [string("FULL_NAME", "EQ", "Other, Ann")]],
    [
      "filter[]=string+full_name+eq+A,+string+and+B+C",
      [string("FULL_NAME", "EQ", "A, string and B C")],
    ],
    ["filter[]=string+full_name+eq+A,+B+is+in+C", [string("FULL_NAME", "EQ", "A, B is in C")]],
    ["filter[]=string+full_name+eq+", [string("FULL_NAME", "EQ", "")]],
    ["filter[]=string+phone+eq+%2B49+1", [string("PHONE", "EQ", "+49 1")]],
    ["filter[]=string+user_tags+ne+red", [string("USER_TAGS", "NE", "red")]],
    ["filter[]=date+created_at+eq+2026.03.01", [date("CREATED_AT", "EQ", "2026.03.01")]],
    [
      "filter[]=date+created_at+between+2026-03-01,2026-03-02",
      [date("CREATED_AT", "BETWEEN", "2026-03-01", "2026-03-02")],
    ],
  ])("%s", (query, filter) => {
    expect(bind(query)).toEqual({ filter });
  });

  test.each([
    ["filter[]=number+id+gt+1,string+login+eq+a"],
    ["filter[]=number+id+gt+1,+string+login+eq+a"],
    ["filter[]=number+id+gt+1&filter[]=string+login+eq+a"],
    ["filter[gt]=number+id+gt+1&filter[eq]=string+login+eq+a"],
    ["filter[]=number+id+gt+1&filter[eq]=string+login+eq+a"],
    ["filter[gt]=number+id+gt+1&filter[gt]=string+login+eq+a"],
  ])("has several conditions: %s", (query) => {
    expect(bind(query)).toEqual({ filter: [...ONE, string("LOGIN", "EQ", "a")] });
  });

  test("distinguishes the commas of values from those between conditions", () => {
    const query = "filter[]=number+id+in+1,2,3,string+login+in+a,b,c,date+created_at+gt+2026-01-01";
    expect(bind(query)).toEqual({
      filter: [
        number("ID", "IN", 1, 2, 3),
        string("LOGIN", "IN", "a", "b", "c"),
        date("CREATED_AT", "GT", "2026-01-01"),
      ],
    });
  });

  test("is absent when it was not sent", () => {
    expect(bind("page=2&per_page=3")).toEqual({ page: 2, perPage: 3 });
  });

  test.each([
    ["", /condition 1: must be a data type, a field, an operator and a value/],
    ["number", /must be a data type/],
    ["number+id+gt", /must be a data type/],
    ["float+id+gt+1", /condition 1: has an unknown data type; .* number, integer, string, date$/],
    ["Number+id+gt+1", /unknown data type/],
    ["number+password+gt+1", /condition 1: has an unknown field; the fields are id, login, /],
    ["string+password_hash+gt+a", /unknown field/],
    ["string+custom_data+eq+a", /unknown field/],
    ["number+ID+gt+1", /unknown field/],
    ["string+fullName+eq+a", /unknown field/],
    ["number+application_id+gt+1", /unknown field/],
    ["number+id;--+gt+1", /unknown field/],
    ["number+toString+gt+1", /unknown field/],
    ["number+__proto__+gt+1", /unknown field/],
    ["number+id+like+1", /condition 1: has an unknown operator; .* gt, lt, ge, le, eq, ne, /],
    ["number+id+gte+1", /unknown operator/],
    ["number+id+constructor+1", /unknown operator/],
    ["number+id+gt+x", /condition 1: the value must be a whole number/],
    ["number+id+gt+1.5", /the value must be a whole number/],
    ["number+id+gt+1,2", /the value must be a whole number/],
    ["number+id+gt+", /the value must be a whole number/],
    ["number+id+in+1,x", /the value must be a whole number/],
    ["number+id+eq+9007199254740992", /the value must be a whole number/],
    [`number+id+eq+${"9".repeat(400)}`, /the value must be a whole number/],
    ["number+id+gt+1,string+nothing+eq+a", /condition 2: has an unknown field/],
  ])("is refused with its invalid part: filter[]=%s", (text, problem) => {
    const { filter, ...others } = refusals(`filter[]=${text}`);
    expect([filter?.length, filter?.[0], others]).toEqual([1, expect.stringMatching(problem), {}]);
  });

  test.each([
    ["filter[$ne]=number+id+gt+1", /has no operator of that name/],
    ["filter[toString]=number+id+gt+1", /has no operator of that name/],
    ["filter[gte]=number+id+gt+1", /has no operator of that name/],
    ["filter[gt][eq]=number+id+gt+1", /must be text, or a list of texts/],
    ["filter[][x]=number+id+gt+1", /must be text|no operator/],
    [
      Array.from({ length: 101 }, () => "filter[]=number+id+gt+1").join("&"),
      /takes 100 conditions at most/,
    ],
  ])("is refused for its form: %.60s", (query, problem) => {
    expect(refusals(query)).toEqual({ filter: [expect.stringMatching(problem)] });
  });

  test.each(["__proto__", "constructor", "prototype"])("rejects filter[%s]", (name) => {
    expect(() => bind(`filter[${name}]=number+id+gt+1`)).toThrow(
      expect.objectContaining({ code: "MALFORMED" }),
    );
  });

  test("with many commas and spaces is parsed in linear time", () => {
    const text = `number+id+in+${",".repeat(4_000)}${"+".repeat(4_000)}${",number+id+".repeat(300)}x`;
    expect(refusals(`filter[]=${text}`)).toHaveProperty("filter");
  });
});

describe("an order", () => {
  test.each([
    ["asc+number+id", { field: "ID", direction: "ASC" }],
    ["desc%20string%20id", { field: "ID", direction: "DESC" }],
    ["desc+string+created_at", { field: "CREATED_AT", direction: "DESC" }],
    ["asc+integer+full_name", { field: "FULL_NAME", direction: "ASC" }],
  ])("%s", (text, order) => {
    expect(bind(`order=${text}`)).toEqual({ order });
  });

  test.each([
    ["order=", /must begin with asc or desc/],
    ["order=up+number+id", /must begin with asc or desc/],
    ["order=ASC+number+id", /must begin with asc or desc/],
    ["order=__proto__+number+id", /must begin with asc or desc/],
    ["order=asc+float+id", /unknown data type/],
    ["order=asc+id", /unknown data type/],
    ["order=asc+number", /unknown field/],
    ["order=asc+string+password", /unknown field/],
    ["order=asc+string+custom_data", /unknown field/],
    ["order=asc+number+toString", /unknown field/],
    ["order=asc+number+id+x", /unknown field/],
    ["order=asc+number+id;+DROP", /unknown field/],
    ["order[]=asc+number+id", /must be text/],
    ["order[asc]=id", /must be text/],
    ["order=asc+number+id&order=desc+number+id", /must be text/],
  ])("is refused: %s", (query, problem) => {
    expect(refusals(query)).toEqual({ order: [expect.stringMatching(problem)] });
  });

  test("orders ties by id", () => {
    expect(compileLegacyOrder(null)).toBe("u.id");
    expect(compileLegacyOrder({ field: "id", direction: "desc" })).toBe("u.id DESC");
    expect(compileLegacyOrder({ field: "createdAt", direction: "desc" })).toBe(
      "u.created_at DESC, u.id",
    );
    expect(compileLegacyOrder({ field: "fullName", direction: "asc" })).toBe(
      "u.full_name ASC NULLS FIRST, u.id",
    );
  });
});

describe("a date", () => {
  const DAY = 24 * 60 * 60 * 1000;
  test.each([
    ["2026-03-01", "2026-03-01T00:00:00Z", DAY],
    ["2026.03.01", "2026-03-01T00:00:00Z", DAY],
    ["2024-02-29", "2024-02-29T00:00:00Z", DAY],
    ["1970-01-01", "1970-01-01T00:00:00Z", DAY],
    ["2026-03-01T10:20:30Z", "2026-03-01T10:20:30Z", 1000],
    ["2026-03-01 10:20:30", "2026-03-01T10:20:30Z", 1000],
    ["2026-03-01T10:20", "2026-03-01T10:20:00Z", 1000],
    ["2026-03-01T10:20:30.999Z", "2026-03-01T10:20:30Z", 1000],
    ["2026-03-01T01:00:00+02:00", "2026-02-28T23:00:00Z", 1000],
    ["2026-03-01T01:00:00-0530", "2026-03-01T06:30:00Z", 1000],
  ])("%s", (text, start, length) => {
    const at = Date.parse(start);
    expect(parseTimeRange(text)).toEqual({ start: at, end: at + length });
  });

  test("in the last year ends at the last storable time", () => {
    const { end = 0 } = parseTimeRange("9999-12-31") ?? {};
    expect(new Date(end).toISOString()).toBe("9999-12-31T23:59:59.999Z");
  });

  test.each([
    "",
    "yesterday",
    "2026-3-1",
    "2026-03.01",
    "2026/03/01",
    "2026-02-30",
    "2025-02-29",
    "2026-00-01",
    "2026-13-01",
    "2026-03-00",
    "2026-03-32",
    "0000-01-01",
    "1969-12-31",
    "2026-03-01T24:00:00Z",
    "2026-03-01T10:60:00Z",
    "2026-03-01T10:00:60Z",
    "1772323200",
    "2026-03-01T10:00:00+15:00",
    "+12026-03-01",
    "1970-01-01T00:00:00+01:00",
    "2026-03-01\n",
  ])("is invalid: %j", (text) => {
    expect(parseTimeRange(text)).toBeUndefined();
  });
});

describe("conditions as SQL", () => {
  const sql = (...conditions: LegacyCondition[]) => compileLegacyConditions(conditions);
  const problem = (condition: LegacyCondition) => {
    try {
      sql(condition);
    } catch (error) {
      if (error instanceof Fault) return error.fields;
    }
    throw new Error("the condition was accepted");
  };

  test("are joined with AND, and bind every value", () => {
    expect(
      sql(
        { field: "id", operator: "gt", numbers: [1] },
        { field: "login", operator: "in", strings: ["A'; --", "b"] },
        { field: "fullName", operator: "ne", strings: ["$1"] },
        { field: "website", operator: "between", strings: ["a", "b"] },
      ),
    ).toEqual({
      sql: "u.id > $2::bigint AND u.login_key = ANY($3::text[]) AND u.full_name IS DISTINCT FROM $4::text AND u.website BETWEEN $5::text AND $6::text",
      values: [1, ["a'; --", "b"], "$1", "a", "b"],
    });
    expect(sql()).toEqual({ sql: "TRUE", values: [] });
  });

  test("compare dates by bounds on the bare column", () => {
    const [day, next] = [new Date("2026-03-01T00:00:00Z"), new Date("2026-03-02T00:00:00Z")];
    const of = (operator: LegacyCondition["operator"]) =>
      sql({ field: "createdAt", operator, dates: ["2026-03-01"] });
    const at = "u.created_at";
    expect(of("gt")).toEqual({ sql: `${at} >= $2::timestamptz`, values: [next] });
    expect(of("ge")).toEqual({ sql: `${at} >= $2::timestamptz`, values: [day] });
    expect(of("lt")).toEqual({ sql: `${at} < $2::timestamptz`, values: [day] });
    expect(of("le")).toEqual({ sql: `${at} < $2::timestamptz`, values: [next] });
    expect(of("eq").values).toEqual([day, next]);
    expect(of("ne")).toEqual({
      sql: `(${at} >= $2::timestamptz AND ${at} < $3::timestamptz) IS NOT TRUE`,
      values: [day, next],
    });
  });

  test.each<[LegacyCondition, RegExp]>([
    [{ field: "id", operator: "eq", strings: ["1"] }, /data type of id is number/],
    [{ field: "fullName", operator: "eq", numbers: [1] }, /data type of full_name is string/],
    [{ field: "createdAt", operator: "gt", numbers: [1] }, /data type of created_at is date/],
    [{ field: "externalUserId", operator: "gt", numbers: [1] }, /of external_user_id is string/],
    [{ field: "createdAt", operator: "gt", dates: ["2026-02-30"] }, /value must be a date/],
    [{ field: "id", operator: "eq", numbers: [] }, /eq takes one value/],
    [{ field: "id", operator: "eq", numbers: [1, 2] }, /eq takes one value/],
    [{ field: "id", operator: "between", numbers: [1] }, /between takes two values/],
    [{ field: "id", operator: "between", numbers: [1, 2, 3] }, /between takes two values/],
    [{ field: "id", operator: "in", numbers: [] }, /in takes at least one value/],
    [{ field: "id", operator: "in", numbers: Array(1_001).fill(1) }, /at most 1000 values/],
    [{ field: "userTags", operator: "gt", strings: ["a"] }, /user_tags takes eq, ne and in/],
    [{ field: "id", operator: "eq" }, /takes one of numbers, strings and dates/],
    [{ field: "id", operator: "eq", numbers: [1], strings: ["1"] }, /takes one of/],
  ])("are refused with their problem: %j", (condition, text) => {
    expect(problem(condition)).toEqual({
      filter: [expect.stringMatching(new RegExp(`^condition 1: .*${text.source}`))],
    });
  });

  test("convert numbers for external_user_id to text", () => {
    expect(sql({ field: "externalUserId", operator: "in", numbers: [5, 6] })).toEqual({
      sql: "u.external_user_id = ANY($2::text[])",
      values: [["5", "6"]],
    });
  });

  test("are limited to 50", () => {
    const one: LegacyCondition = { field: "id", operator: "gt", numbers: [1] };
    expect(() => compileLegacyConditions(Array(51).fill(one))).toThrow(/at most 50 conditions/);
  });

  test("cannot reach secrets or other applications", () => {
    const columns = Object.values(LEGACY_FIELDS).map((field) => field.sql);
    expect(columns.join(" ")).not.toMatch(/password|hash|application|custom_data|guest_until/);
  });
});
