import { Fault } from "../../src/core/errors";
import { type BindSource, compileBind } from "../../src/transports/rest/bind";
import { readBody } from "../../src/transports/rest/body";
import { type RestDocument, readDocuments } from "../../src/transports/rest/documents";
import { nest, readPairs, readQuery } from "../../src/transports/rest/form";
import { FILES, SEARCH, sampleSchema } from "../support/rest/rest-sample";

const documents = readDocuments([...FILES, SEARCH], sampleSchema());

function named(name: string): RestDocument {
  const found = documents.find((document) => document.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}

const NOTHING: BindSource = { path: {}, query: undefined, body: undefined, headers: {} };

function bind(name: string, source: Partial<BindSource>): Record<string, unknown> {
  return compileBind(named(name))({ ...NOTHING, ...source });
}

/** The field errors of a rejected request. */
function refusals(name: string, source: Partial<BindSource>): unknown {
  try {
    bind(name, source);
  } catch (error) {
    if (error instanceof Fault && error.code === "INVALID") return { ...error.fields };
    throw error;
  }
  throw new Error("it was bound");
}

/** Code and message of a thrown fault. */
function faultOf(act: () => unknown): [code: string, message: string] {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return [error.code, error.message];
    throw error;
  }
  throw new Error("nothing was thrown");
}

const search = (query: string, path = "1") =>
  bind("Search", {
    path: { page: path },
    query: readQuery(`/?${query}`),
    headers: { "x-trace": "t" },
  });
const searchRefusals = (query: string, path = "1") =>
  refusals("Search", {
    path: { page: path },
    query: readQuery(`/?${query}`),
    headers: { "x-trace": "t" },
  });

const SIGNED = {
  application_id: "774",
  auth_key: "k",
  timestamp: 1353966601,
  nonce: "33432",
  signature: "s",
};
const SIGNED_INPUT = {
  applicationId: 774,
  authKey: "k",
  timestamp: 1353966601,
  nonce: 33432,
  signature: "s",
};

describe("values", () => {
  const cases: Array<[query: string, variable: string, value: unknown]> = [
    ["tags=a,b", "tags", ["a", "b"]],
    ["tags[]=a,b", "tags", ["a", "b"]],
    ["tags[]=a&tags[]=b", "tags", ["a", "b"]],
    ["tags%5B%5D=a%2Cb&tags%5B%5D=c", "tags", ["a", "b", "c"]],
    ["tags[0]=a&tags[1]=b", "tags", ["a", "b"]],
    ["tags=a&tags=b", "tags", ["a", "b"]],
    ["tags=%20a%20,,b", "tags", ["a", "b"]],
    ["tags=", "tags", []],
    ["filter[ids]=1,2", "ids", [1, 2]],
    ["filter[ids][]=1&filter[ids][]=-2", "ids", [1, -2]],
    ["filter%5Bids%5D=9007199254740991", "ids", [9007199254740991]],
    ["flags[]=true&flags[]=0&flags[]=1&flags[]=false", "flags", [true, false, true, false]],
    ["flags=1", "flags", [true]],
    ["since=1544011082", "since", "1544011082"],
    ["since=2018-12-05T11:58:02Z", "since", "2018-12-05T11:58:02Z"],
    ["ratio=1.5", "ratio", 1.5],
    ["ratio=-2", "ratio", -2],
    ["active=true", "active", true],
    ["active=0", "active", false],
  ];
  test.each(cases)("%s is bound as %s %s", (query, variable, value) => {
    expect(search(query)[variable]).toEqual(value);
  });

  test("removes only the .json suffix from a path parameter", () => {
    expect(searchRefusals("", "7.json")).toEqual({ page: ["must be a whole number"] });
    expect(bind("GetUser", { path: { id: "12.json" } })).toEqual({ by: { id: "12" } });
    expect(bind("GetUser", { path: { id: "12" } })).toEqual({ by: { id: "12" } });
  });

  test("binds a header case-insensitively, and ignores an empty one", () => {
    expect(bind("GetAccountSettings", { headers: { "svc-account-key": "k" } })).toEqual({
      accountKey: "k",
    });
    expect(refusals("GetAccountSettings", { headers: { "svc-account-key": "" } })).toEqual({
      "Svc-Account-Key": ["is required"],
    });
  });

  test("converts numbers and booleans to text", () => {
    const body = { user: { login: 12, password: true } };
    expect(bind("CreateUser", { body })).toEqual({ input: { login: "12", password: "true" } });
  });

  test("passes a JSON object unchanged", () => {
    const userInfo = { busy: true, deep: [{ n: null }] };
    const body = { recipientId: 12, sessionID: 1.5, userInfo };
    expect(bind("RejectCall", { body })).toEqual({
      input: { recipientId: "12", callId: "1.5", userInfo },
    });
  });

  test("finds an enum value by its lower-case name", () => {
    const { order } = search("filter[order][by]=full_name") as { order: unknown };
    expect(order).toEqual({ by: "FULL_NAME", ascending: false });
  });
});

describe("invalid values", () => {
  const cases: Array<[query: string, errors: unknown]> = [
    ["tags[x]=a", { tags: ["must be a list"] }],
    ["tags[][x]=a", { tags: ["must be text"] }],
    ["filter[ids]=1,x", { ids: ["must be a whole number"] }],
    ["filter[ids]=1.0", { ids: ["must be a whole number"] }],
    ["filter[ids]=0x10", { ids: ["must be a whole number"] }],
    ["filter[ids]=%2B1", { ids: ["must be a whole number"] }],
    ["filter[ids]=9007199254740992", { ids: ["must be a whole number"] }],
    ["filter[ids]=99999999999999999999", { ids: ["must be a whole number"] }],
    ["filter=x", { filter: ["must be an object"] }],
    ["filter[]=x", { filter: ["must be an object"] }],
    ["filter[order]=x", { order: ["must be an object"] }],
    [
      "filter[order][by]=password",
      {
        by: [
          "must be one of id, login, email, full_name, phone, external_id, facebook_id, twitter_id, user_tags, last_request_at, created_at, updated_at",
        ],
      },
    ],
    ["flags=yes", { flags: ["must be true or false"] }],
    ["active=", { active: ["must be true or false"] }],
    ["active[]=1", { active: ["must be true or false"] }],
    ["since=yesterday", { since: ["must be a date and time in ISO 8601"] }],
    ["since[]=1544011082", { since: ["must be a date and time in ISO 8601"] }],
    ["ratio=1e999", { ratio: ["must be a number"] }],
    [
      "active=2&ratio=x&tags[x]=1",
      {
        tags: ["must be a list"],
        ratio: ["must be a number"],
        active: ["must be true or false"],
      },
    ],
  ];
  test.each(cases)("%s", (query, errors) => {
    expect(searchRefusals(query)).toEqual(errors);
  });

  test("rejects a path parameter of the wrong type", () => {
    expect(searchRefusals("", "x")).toEqual({ page: ["must be a whole number"] });
  });

  test.each([
    [{ user: "x", ...SIGNED }, { user: ["must be an object"] }],
    [{ user: ["x"], ...SIGNED }, { user: ["must be an object"] }],
    [{ user: { login: { $ne: "" } }, ...SIGNED }, { login: ["must be text"] }],
    [{ user: { login: ["a"] }, ...SIGNED }, { login: ["must be text"] }],
    [{ ...SIGNED, application_id: 1.5 }, { application_id: ["must be a whole number"] }],
    [{ ...SIGNED, application_id: true }, { application_id: ["must be a whole number"] }],
    [{ ...SIGNED, application_id: null }, { application_id: ["is required"] }],
    [
      {},
      {
        application_id: ["is required"],
        auth_key: ["is required"],
        timestamp: ["is required"],
        nonce: ["is required"],
        signature: ["is required"],
      },
    ],
  ])("the body %j", (body, errors) => {
    expect(refusals("CreateSession", { body })).toEqual(errors);
  });

  test("limits Int to 32 bits", () => {
    const body = (timezone: unknown) => ({ user: { password: "12345678", timezone } });
    expect(bind("CreateUser", { body: body(2147483647) }).input).toMatchObject({
      timezone: 2147483647,
    });
    expect(refusals("CreateUser", { body: body(2147483648) })).toEqual({
      timezone: ["must be a whole number"],
    });
  });
});

describe("absent and null", () => {
  test("an absent parameter has no key, and null stays null", () => {
    const body = { user: { phone: null, website: "w" } };
    expect(bind("UpdateUser", { path: { id: "12" }, body })).toEqual({
      input: { id: "12", phone: null, website: "w" },
    });
  });

  test.each([
    [{ ...SIGNED }],
    [{ ...SIGNED, user: {} }],
    [{ ...SIGNED, user: null }],
    [{ ...SIGNED, user: { unknown: 1 } }],
  ])("an empty group is omitted: %j", (body) => {
    expect(bind("CreateSession", { body })).toEqual({ input: SIGNED_INPUT });
  });

  test("a group with one parameter is present, even if that is null", () => {
    expect(bind("CreateSession", { body: { ...SIGNED, user: { login: null } } })).toEqual({
      input: { ...SIGNED_INPUT, user: { login: null } },
    });
  });

  test("an optional argument is omitted with its group", () => {
    expect(bind("ListUsers", { query: { login: "a" } })).toEqual({
      filter: { login: { eq: "a" } },
    });
    expect(bind("ListUsers", { query: { login: "a", sort_desc: "created_at" } })).toEqual({
      filter: { login: { eq: "a" } },
      sort: { desc: "CREATED_AT" },
    });
  });

  test("a required argument is an empty object", () => {
    expect(bind("Login", {})).toEqual({ input: {} });
  });
});

describe("locations", () => {
  test("the query is ignored if there is a body, and replaces it otherwise", () => {
    const body = { login: "body", email: null };
    const query = { login: "query", email: "query", password: "query" };
    expect(bind("Login", { body, query })).toEqual({ input: { login: "body", email: null } });
    expect(bind("Login", { body: {}, query })).toEqual({ input: {} });
    expect(bind("Login", { query })).toEqual({ input: query });
  });

  test("a method without a body does not read one", () => {
    const source = { path: { page: "1" }, headers: { "x-trace": "t" }, body: { active: true } };
    expect(bind("Search", source)).not.toHaveProperty("active");
  });

  test("names of Object.prototype are not found", () => {
    expect(bind("Login", { body: {}, query: {} })).toEqual({ input: {} });
    expect(bind("ListUsers", { query: {} })).toEqual({ filter: {} });
  });
});

describe("FIELD_OPERATORS", () => {
  const list = (query: string) => bind("ListUsers", { query: readQuery(`/?${query}`) }).filter;
  const cases: Array<[query: string, filter: unknown]> = [
    ["login=a", { login: { eq: "a" } }],
    ["full_name[start_with]=Alic", { fullName: { startWith: "Alic" } }],
    ["full_name%5Bstart_with%5D=Alic", { fullName: { startWith: "Alic" } }],
    ["id[in][]=1&id[in][]=2", { id: { in: [1, 2] } }],
    ["id[in]=1", { id: { in: [1] } }],
    ["login[in]=a,b", { login: { in: ["a,b"] } }],
    ["id[gt]=1&id[lte]=9", { id: { gt: 1, lte: 9 } }],
    [
      "user_tags=vip&created_at[gt]=1544011082",
      {
        userTags: { eq: "vip" },
        createdAt: { gt: "1544011082" },
      },
    ],
    ["login=a&limit=5&offset=1&sort_asc=login", { login: { eq: "a" } }],
    ["", {}],
  ];
  test.each(cases)("%s", (query, filter) => {
    expect(list(query)).toEqual(filter);
  });

  const fields =
    "id, login, email, full_name, phone, external_id, facebook_id, twitter_id, user_tags, last_request_at, created_at, updated_at";
  const unknown = [`is not a parameter; the fields to filter by are ${fields}`];
  const operators = "eq, in, start_with, nin, gt, lt, gte, lte";
  const refused: Array<[query: string, errors: unknown]> = [
    ["password=x", { password: unknown }],
    ["fullName=x", { fullName: unknown }],
    ["toString=x", { toString: unknown }],
    ["hasOwnProperty[eq]=x", { hasOwnProperty: unknown }],
    ["__typename=x", { __typename: unknown }],
    ["login[like]=x", { login: [`has no operator "like"; the operators are ${operators}`] }],
    ["login[$ne]=", { login: [`has no operator "$ne"; the operators are ${operators}`] }],
    [
      "login[startWith]=x",
      {
        login: [`has no operator "startWith"; the operators are ${operators}`],
      },
    ],
    [
      "login[toString]=x",
      {
        login: [`has no operator "toString"; the operators are ${operators}`],
      },
    ],
    ["id=x", { id: ["must be a whole number"] }],
    ["id[in][]=1&id[in][]=x", { id: ["[in] must be a whole number"] }],
    ["id[in]=1,2", { id: ["[in] must be a whole number"] }],
    ["login=a&login=b", { login: ["must be text"] }],
    ["login[]=a", { login: ["must be text"] }],
    ["login[eq][x]=a", { login: ["[eq] must be text"] }],
    ["created_at[gt]=soon", { created_at: ["[gt] must be a date and time in ISO 8601"] }],
    ["sort_asc=custom_data", { sort_asc: [`must be one of ${fields}`] }],
    ["limit=ten", { limit: ["must be a whole number"] }],
    ["limit[x]=10", { limit: ["must be a whole number"] }],
    [
      "nickname=x&limit=ten&id=y",
      {
        nickname: unknown,
        id: ["must be a whole number"],
        limit: ["must be a whole number"],
      },
    ],
  ];
  test.each(refused)("refuses %s", (query, errors) => {
    expect(refusals("ListUsers", { query: readQuery(`/?${query}`) })).toEqual(errors);
  });
});

describe("forms", () => {
  test("nests by brackets, makes lists of repeated names, decodes + and %20", () => {
    expect(nest(readPairs("a[b][c]=1&a[b][d][]=2&a[b][d][]=3&x=1&x=2&y=a+b%20c&&=z&e"))).toEqual({
      a: { b: { c: "1", d: ["2", "3"] } },
      x: ["1", "2"],
      y: "a b c",
      e: "",
    });
  });

  test("keeps brackets and = in values", () => {
    expect(nest(readPairs("password=a]=b&user[password]=c%5D=[d]=e"))).toEqual({
      password: "a]=b",
      user: { password: "c]=[d]=e" },
    });
  });

  test.each([
    ["a=%", "A parameter is not valid percent-encoded UTF-8"],
    ["a=%FF", "A parameter is not valid percent-encoded UTF-8"],
    ["%C3=a", "A parameter is not valid percent-encoded UTF-8"],
    ["__proto__[x]=1", "The name __proto__ is not allowed"],
    ["a[__proto__]=1", "The name __proto__ is not allowed"],
    ["a[constructor][prototype][x]=1", "The name constructor is not allowed"],
    ["a%5Bprototype%5D=1", "The name prototype is not allowed"],
    ["%5F_proto__=1", "The name __proto__ is not allowed"],
    ["a[b][c][d][e][f][g]=1", "The parameters nest too deeply, or a list is too long"],
    ["a[1000]=1", "The parameters nest too deeply, or a list is too long"],
    [Array(1001).fill("a=1").join("&"), "There are too many parameters"],
  ])("refuses %s", (text, message) => {
    expect(faultOf(() => nest(readPairs(text)))).toEqual(["MALFORMED", message]);
  });

  test("accepts five levels of brackets and a thousand parameters", () => {
    expect(nest(readPairs("a[b][c][d][e][f]=1"))).toEqual({
      a: { b: { c: { d: { e: { f: "1" } } } } },
    });
    expect(nest(readPairs(Array(1000).fill("a[]=1").join("&"))).a).toHaveLength(1000);
  });

  test("requires percent-encoding, and treats a bare ? as no query", () => {
    expect(readQuery("/users?")).toBeUndefined();
    expect(readQuery("/users")).toBeUndefined();
    expect(faultOf(() => readQuery("/users?a=\u00e9"))).toEqual([
      "MALFORMED",
      "The URL must be percent-encoded",
    ]);
  });
});

describe("bodies", () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const form = "application/x-www-form-urlencoded";
  const nested = (levels: number) => Buffer.from(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

  test("JSON and forms result in the same fields", () => {
    const wanted = { application_id: "774", user: { login: "älice", tag_list: ["a", "b"] } };
    const text = "application_id=774&user[login]=%C3%A4lice&user[tag_list][]=a&user[tag_list][]=b";
    expect(readBody("application/json", json(wanted)).fields).toEqual(wanted);
    expect(readBody(form, Buffer.from(text)).fields).toEqual(wanted);
    expect(readBody(`${form}; charset=UTF-8`, Buffer.from(text)).fields).toEqual(wanted);
    expect(readBody('APPLICATION/JSON;charset="utf-8"', json(wanted)).fields).toEqual(wanted);
    expect(
      readBody("application/json", Buffer.from(`\ufeff${JSON.stringify(wanted)}`)).fields,
    ).toEqual(wanted);
  });

  test("an empty body has no parameters, whatever its type", () => {
    for (const type of [undefined, "", "text/plain", "application/json", form]) {
      const body = readBody(type, Buffer.alloc(0));
      expect(body.fields).toEqual({});
      expect(body.parameters()).toEqual([]);
    }
  });

  test("exposes every parameter as sent, for signatures", () => {
    const text = "nonce=0042&user[password]=p4ss+word%261&tags[]=a&tags[]=b&signature=s&long=1";
    expect(readBody(form, Buffer.from(text)).parameters()).toEqual([
      ["nonce", "0042"],
      ["user[password]", "p4ss word&1"],
      ["tags[]", "a"],
      ["tags[]", "b"],
      ["signature", "s"],
      ["long", "1"],
    ]);
    const value = { nonce: 42, user: { guest: true, full_name: null }, tags: ["a", { b: 1 }] };
    expect(readBody("application/json", json(value)).parameters()).toEqual([
      ["nonce", "42"],
      ["user[guest]", "true"],
      ["user[full_name]", ""],
      ["tags[]", "a"],
      ["tags[][b]", "1"],
    ]);
  });

  test("accepts 32 levels of JSON", () => {
    expect(readBody("application/json", nested(32)).fields).toHaveProperty("a.a.a");
  });

  const type = "The body must be application/json or application/x-www-form-urlencoded";
  test.each([
    ["text/plain", Buffer.from("{}"), type],
    ["multipart/form-data; boundary=x", Buffer.from("--x--"), type],
    ["application/json-patch+json", Buffer.from("{}"), type],
    [undefined, Buffer.from("{}"), type],
    ["application/json; charset=latin1", Buffer.from("{}"), "The body is not valid UTF-8"],
    [
      "application/json",
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      "The body is not valid UTF-8",
    ],
    [form, Buffer.from([0x61, 0x3d, 0xc3]), "The body is not valid UTF-8"],
    ["application/json", Buffer.from("{"), "The body is not valid JSON"],
    ["application/json", Buffer.from("{}{}"), "The body is not valid JSON"],
    ["application/json", Buffer.from("[]"), "The body must be a JSON object"],
    ["application/json", Buffer.from("null"), "The body must be a JSON object"],
    ["application/json", Buffer.from('"x"'), "The body must be a JSON object"],
    ["application/json", Buffer.from('{"__proto__":{}}'), "The name __proto__ is not allowed"],
    [
      "application/json",
      Buffer.from('{"a":[{"constructor":1}]}'),
      "The name constructor is not allowed",
    ],
    ["application/json", nested(33), "The body is nested too deeply"],
    ["application/json", Buffer.from(`${"[".repeat(100_000)}`), "The body is not valid JSON"],
    [
      "application/json",
      Buffer.from(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
      "The body is nested too deeply",
    ],
  ])("refuses %s %#", (media, bytes, message) => {
    expect(faultOf(() => readBody(media, bytes))).toEqual(["MALFORMED", message]);
  });
});
