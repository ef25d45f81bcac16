import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, type TestUser, waitForActivity } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

let node: TestNode;
let other: TestNode;
let users: TestUser[];
let reader: TestUser;

/** The fields of the test users u1 to u6; u6 has none. */
const PEOPLE: Array<Record<string, unknown>> = [
  {
    email: "Ann@Example.com",
    full_name: "Ann Other",
    phone: "+49 1",
    external_id: "ext-a",
    facebook_id: "fb-a",
    twitter_id: "tw-a",
    tag_list: "red,green",
  },
  {
    email: "bob@example.com",
    full_name: "Bob%20_x\\y",
    phone: "+49 2",
    external_id: "ext-b",
    facebook_id: "fb-b",
    twitter_id: "tw-b",
    tag_list: "green",
  },
  {
    email: "cid@example.com",
    full_name: "Bob%20Ax\\z",
    phone: "+41 3",
    external_id: "ext-c",
    facebook_id: "fb-c",
    twitter_id: "tw-c",
    tag_list: "greenish,blue",
  },
  { email: "dora@elsewhere.org", full_name: "ann other", tag_list: "Red" },
  { email: "eve@elsewhere.org", full_name: "Ärger & Co=1" },
  {},
];
const LOGINS = ["v2.alpha", "v2.alpha2", "V2.Beta", "v2_gamma", "v2xgamma", "v2.zeta"];
/** Sign-up, last change and last request, one day apart for each user. */
const day = (index: number) => `2026-03-0${index + 1}T12:00:00Z`;

beforeAll(async () => {
  node = await startNode();
  other = await secondApplication(node);
  users = [];
  for (const [index, fields] of PEOPLE.entries()) {
    users.push(await newUser(node, { login: LOGINS[index], ...fields }));
  }
  await newUser(other, { ...PEOPLE[0], login: LOGINS[0] });
  for (const [index, { id }] of users.entries()) {
    const at = new Date(Date.parse(day(index)) + 250);
    await node.sql("UPDATE users SET created_at = $2, updated_at = $3 WHERE id = $1", [
      id,
      at,
      new Date(Date.parse(day(5 - index)) + 250),
    ]);
  }
  // Without these sessions no delayed activity is written.
  for (const { token } of users) await rest(node, "DELETE", "/session", { token });
  reader = await newUser(node, { login: "reader" });
  await waitForActivity(node);
  for (const [index, { id }] of users.entries()) {
    const at = index === 5 ? null : new Date(Date.parse(day(index)) + 250);
    await node.sql("UPDATE users SET last_request_at = $2 WHERE id = $1", [id, at]);
  }
});
afterAll(() => node.stop());

const list = (query: string, token = reader.token) =>
  rest(node, "GET", `/users/v2?${query}`, { token });

/** The numbers of the users found, 1 to 6; the reader is 0. */
const numbers = (items: Array<{ id: number }>) =>
  items.map(({ id }) => users.findIndex((user) => user.id === id) + 1);

async function found(query: string): Promise<number[]> {
  const { status, body, text } = await list(query);
  expect([query, status, status === 200 ? "" : text]).toEqual([query, 200, ""]);
  return numbers(body.items);
}

const SEARCH = `query ($filter: UserFilter!, $sort: UserSort, $first: Int) {
  users(filter: $filter, sort: $sort, first: $first) {
    totalCount nodes { id: databaseId }
  }
}`;
const search = (variables: Record<string, unknown>, token = reader.token) =>
  graphql(node, SEARCH, variables, token);

describe("the answer", () => {
  it("has exactly limit, skip, total_entries and items", async () => {
    const { status, body } = await list("login=v2.alpha");
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["items", "limit", "skip", "total_entries"]);
    expect(body).toMatchObject({ limit: 100, skip: 0, total_entries: 1 });
    const read = await rest(node, "GET", `/users/${users[0]?.id}`, { token: reader.token });
    expect(body.items).toEqual([read.body.user]);
  });

  it("is empty if no user matches", async () => {
    const { body } = await list("login=nobody");
    expect(body).toEqual({ limit: 100, skip: 0, total_entries: 0, items: [] });
  });
});

/** A filter in both forms and the users that it matches; `{1}` is the id of the first user. */
type Case = [query: string, filter: Record<string, unknown>, finds: number[]];
const fill = (text: string) =>
  text.replace(/\{(\d)\}/g, (_, digit) => String(users[Number(digit) - 1]?.id));

const PRIMARY: Case[] = [
  ["id={1}", { id: { eq: "{1}" } }, [1]],
  ["id[eq]={2}", { id: { eq: "{2}" } }, [2]],
  ["id[in][]={1}&id[in][]={3}", { id: { in: ["{1}", "{3}"] } }, [1, 3]],
  ["id[in][]={1}&id[in][]=999999", { id: { in: ["{1}", "999999"] } }, [1]],
  ["login=v2.alpha", { login: { eq: "v2.alpha" } }, [1]],
  ["login=V2.ALPHA", { login: { eq: "V2.ALPHA" } }, [1]],
  ["login[in][]=v2.beta&login[in][]=v2.zeta", { login: { in: ["v2.beta", "v2.zeta"] } }, [3, 6]],
  ["login[in]=v2.beta", { login: { in: ["v2.beta"] } }, [3]],
  ["login[start_with]=v2.al", { login: { startWith: "v2.al" } }, [1, 2]],
  ["login[start_with]=V2.B", { login: { startWith: "V2.B" } }, [3]],
  ["email=ann@example.com", { email: { eq: "ann@example.com" } }, [1]],
  ["email[in][]=BOB@example.com", { email: { in: ["BOB@example.com"] } }, [2]],
  ["email[start_with]=dora", { email: { startWith: "dora" } }, [4]],
  ["full_name=Ann%20Other", { fullName: { eq: "Ann Other" } }, [1]],
  ["full_name=Ann+Other", { fullName: { eq: "Ann Other" } }, [1]],
  ["full_name=%C3%84rger%20%26%20Co%3D1", { fullName: { eq: "Ärger & Co=1" } }, [5]],
  ["full_name[in][]=ann%20other&full_name[in][]=x", { fullName: { in: ["ann other", "x"] } }, [4]],
  ["full_name[start_with]=Ann%20", { fullName: { startWith: "Ann " } }, [1]],
  ["phone=%2B49%201", { phone: { eq: "+49 1" } }, [1]],
  ["phone[in][]=%2B49%202&phone[in][]=%2B41%203", { phone: { in: ["+49 2", "+41 3"] } }, [2, 3]],
  ["phone[start_with]=%2B49%20", { phone: { startWith: "+49 " } }, [1, 2]],
  ["external_id=ext-a", { externalId: { eq: "ext-a" } }, [1]],
  [
    "external_id[in][]=ext-a&external_id[in][]=ext-c",
    { externalId: { in: ["ext-a", "ext-c"] } },
    [1, 3],
  ],
  ["external_id[start_with]=ext-", { externalId: { startWith: "ext-" } }, [1, 2, 3]],
  ["facebook_id=fb-b", { facebookId: { eq: "fb-b" } }, [2]],
  [
    "facebook_id[in][]=fb-b&facebook_id[in][]=fb-c",
    { facebookId: { in: ["fb-b", "fb-c"] } },
    [2, 3],
  ],
  ["facebook_id[start_with]=fb-c", { facebookId: { startWith: "fb-c" } }, [3]],
  ["twitter_id=tw-c", { twitterId: { eq: "tw-c" } }, [3]],
  ["twitter_id[in][]=tw-a", { twitterId: { in: ["tw-a"] } }, [1]],
  ["twitter_id[start_with]=tw-b", { twitterId: { startWith: "tw-b" } }, [2]],
  ["user_tags=green", { userTags: { eq: "green" } }, [1, 2]],
  ["user_tags[in][]=red&user_tags[in][]=blue", { userTags: { in: ["red", "blue"] } }, [1, 3]],
  ["user_tags[start_with]=gree", { userTags: { startWith: "gree" } }, [1, 2, 3]],
];

const TAG = "user_tags[in][]=green&user_tags[in][]=blue&user_tags[in][]=Red";
const TAGS = { userTags: { in: ["green", "blue", "Red"] } };
const COMBINED: Case[] = [
  [`${TAG}`, TAGS, [1, 2, 3, 4]],
  [`${TAG}&id[nin][]={1}`, { ...TAGS, id: { nin: ["{1}"] } }, [2, 3, 4]],
  [`${TAG}&login[nin][]=V2.ALPHA`, { ...TAGS, login: { nin: ["V2.ALPHA"] } }, [2, 3, 4]],
  [
    `${TAG}&email[nin][]=BOB@example.com`,
    { ...TAGS, email: { nin: ["BOB@example.com"] } },
    [1, 3, 4],
  ],
  [`${TAG}&full_name[nin][]=ann%20other`, { ...TAGS, fullName: { nin: ["ann other"] } }, [1, 2, 3]],
  // nin also matches users without a phone.
  [`${TAG}&phone[nin][]=%2B49%201`, { ...TAGS, phone: { nin: ["+49 1"] } }, [2, 3, 4]],
  [`${TAG}&external_id[nin][]=ext-a`, { ...TAGS, externalId: { nin: ["ext-a"] } }, [2, 3, 4]],
  [`${TAG}&facebook_id[nin][]=fb-b`, { ...TAGS, facebookId: { nin: ["fb-b"] } }, [1, 3, 4]],
  [`${TAG}&twitter_id[nin][]=tw-c`, { ...TAGS, twitterId: { nin: ["tw-c"] } }, [1, 2, 4]],
  [`${TAG}&user_tags[nin][]=red`, { userTags: { ...TAGS.userTags, nin: ["red"] } }, [2, 3, 4]],
  [
    "user_tags=green&login=v2.alpha2",
    { userTags: { eq: "green" }, login: { eq: "v2.alpha2" } },
    [2],
  ],
  ["user_tags[nin][]=red&user_tags=green", { userTags: { eq: "green", nin: ["red"] } }, [2]],
  ["user_tags=green&user_tags[nin][]=red", { userTags: { eq: "green", nin: ["red"] } }, [2]],
  [
    "login[start_with]=v2.al&phone=%2B49%202",
    { login: { startWith: "v2.al" }, phone: { eq: "+49 2" } },
    [2],
  ],
];

const every = "id[in][]={1}&id[in][]={2}&id[in][]={3}&id[in][]={4}&id[in][]={5}&id[in][]={6}";
const EVERY = { id: { in: ["{1}", "{2}", "{3}", "{4}", "{5}", "{6}"] } };
/** A date field, its GraphQL name, and the day of the n-th user. */
const DATES: Array<[string, string, (index: number) => string]> = [
  ["created_at", "createdAt", day],
  ["updated_at", "updatedAt", (index) => day(5 - index)],
  ["last_request_at", "lastRequestAt", day],
];
const ADDITIONAL: Case[] = DATES.flatMap(([wire, name, at]): Case[] => {
  const third = at(2);
  const unix = Date.parse(third) / 1000;
  const known = wire === "last_request_at" ? [1, 2, 3, 4, 5] : [1, 2, 3, 4, 5, 6];
  const later = known.filter((number) => at(number - 1) > third);
  const earlier = known.filter((number) => at(number - 1) < third);
  const sorted = (...all: number[][]) => all.flat().sort();
  return [
    [`${wire}=${third}`, { [name]: { eq: third } }, [3]],
    [`${wire}[eq]=${unix}`, { [name]: { eq: unix } }, [3]],
    [`${wire}[in][]=${third}&${wire}[in][]=${at(0)}`, { [name]: { in: [third, at(0)] } }, [1, 3]],
    // Users without a request never match.
    [`${wire}[nin][]=${third}`, { [name]: { nin: [third] } }, [1, 2, 4, 5, 6]],
    [`${wire}[gt]=${third}`, { [name]: { gt: third } }, later],
    [`${wire}[lt]=${third}`, { [name]: { lt: third } }, earlier],
    [`${wire}[gte]=${unix}`, { [name]: { gte: unix } }, sorted(later, [3])],
    [`${wire}[lte]=${third}`, { [name]: { lte: third } }, sorted(earlier, [3])],
    [`${wire}[gte]=${third}&${wire}[lte]=${third}`, { [name]: { gte: third, lte: third } }, [3]],
  ].map(
    ([query, filter, finds]): Case => [
      `${every}&${query as string}`,
      { ...EVERY, ...(filter as object) },
      finds as number[],
    ],
  );
});

describe.each([
  ["a primary operator", PRIMARY],
  ["more conditions", COMBINED],
  ["an additional field", ADDITIONAL],
])("%s", (_what, cases) => {
  it.each(cases)("%s", async (query, filter, finds) => {
    const filled = fill(query);
    expect(await found(filled)).toEqual(finds);
    const encoded = filled.replaceAll("[", "%5B").replaceAll("]", "%5D");
    expect(await found(encoded)).toEqual(finds);
    const { data, errors } = await search({ filter: withIds(filter) });
    expect(errors).toBeUndefined();
    expect(numbers(data.users.nodes)).toEqual(finds);
    expect(data.users.totalCount).toBe(finds.length);
  });
});

/** The filter with ids in place of `{n}`. */
function withIds(filter: Record<string, unknown>): unknown {
  const text = JSON.stringify(filter).replace(/"\{(\d)\}"/g, (_, digit) => fill(`{${digit}}`));
  return JSON.parse(text.replaceAll('"999999"', "999999"));
}

describe("the rules", () => {
  const broken: Case[] = [];
  const add = (rule: number, query: string, filter: Record<string, unknown>) =>
    broken.push([query, filter, [rule]]);
  const date = "2026-01-01T00:00:00Z";
  const texts: Array<[string, string]> = [
    ["login", "login"],
    ["email", "email"],
    ["full_name", "fullName"],
    ["phone", "phone"],
    ["external_id", "externalId"],
    ["facebook_id", "facebookId"],
    ["twitter_id", "twitterId"],
    ["user_tags", "userTags"],
  ];
  add(1, "", {});
  add(1, "limit=5&sort_asc=id", {});
  for (const operator of ["gt", "lt", "gte", "lte"]) {
    add(2, `id[${operator}]=1`, { id: { [operator]: 1 } });
    add(2, `id=1&id[${operator}]=1`, { id: { eq: 1, [operator]: 1 } });
    for (const [wire, name] of texts) {
      add(2, `id=1&${wire}[${operator}]=aaaa`, { id: { eq: 1 }, [name]: { [operator]: "aaaa" } });
    }
    for (const [wire, name] of DATES)
      add(3, `${wire}[${operator}]=${date}`, { [name]: { [operator]: date } });
  }
  for (const [wire, name] of DATES) {
    add(3, `${wire}=${date}`, { [name]: { eq: date } });
    add(3, `${wire}[in][]=${date}`, { [name]: { in: [date] } });
    add(3, `${wire}[nin][]=${date}`, { [name]: { nin: [date] } });
  }
  add(4, "id[nin][]=1", { id: { nin: [1] } });
  for (const [wire, name] of texts) {
    add(4, `${wire}[nin][]=aaaa`, { [name]: { nin: ["aaaa"] } });
    for (const short of ["", "abc"]) {
      add(5, `${wire}[start_with]=${short}`, { [name]: { startWith: short } });
      add(5, `id=1&${wire}[start_with]=${short}`, { id: { eq: 1 }, [name]: { startWith: short } });
    }
  }
  add(4, `login[nin][]=x&created_at[gt]=${date}`, {
    login: { nin: ["x"] },
    createdAt: { gt: date },
  });

  it.each(broken)("%s violates one, which the error names", async (query, filter, [rule]) => {
    const message = expect.stringMatching(new RegExp(`^Rule ${rule}: `));
    const { status, body } = await list(query);
    expect([query, status, body]).toEqual([query, 422, { errors: { base: [message] } }]);
    const { errors } = await search({ filter });
    const said = errors?.[0].message;
    expect([said, errors?.[0].extensions]).toEqual([
      message,
      { code: "INVALID", fields: { base: [said] } },
    ]);
    // GraphQL has the names of its fields, in a text that is otherwise that of REST.
    expect(said).not.toMatch(/[a-z]_[a-z]/);
    const snakeCase = (text: string) =>
      text.replace(/[A-Z]/g, (letter) => `_${letter}`.toLowerCase());
    expect(snakeCase(said)).toBe(snakeCase(body.errors.base[0]));
  });

  it("are told in REST by the names of its parameters", async () => {
    const texts = [];
    for (const query of ["limit=5", "login[start_with]=abc"]) {
      texts.push((await list(query)).body.errors.base[0]);
    }
    expect(texts).toEqual([
      "Rule 1: a query must contain at least one stand-alone field (id, login, email, full_name, phone, external_id, " +
        "facebook_id, twitter_id, user_tags) with a primary operator (eq, in, start_with)",
      "Rule 5: start_with requires at least 4 characters",
    ]);
  });

  it("apply without a query too", async () => {
    for (const path of ["/users/v2", "/users/v2?", "/users/v2.json"]) {
      expect((await rest(node, "GET", path, { token: reader.token })).status).toBe(422);
    }
  });
});

describe("start_with", () => {
  beforeAll(async () => {
    for (let index = 0; index < 8; index++) await newUser(node, { full_name: `many-${index}` });
  });

  it("sets the limit to 5, regardless of the requested one", async () => {
    for (const limit of ["", "&limit=100", "&limit=1", "&limit=5"]) {
      const { body } = await list(`full_name[start_with]=many${limit}`);
      expect([body.limit, body.items.length, body.total_entries]).toEqual([5, 5, 8]);
    }
    const rest = await list("full_name[start_with]=many&offset=5");
    expect([rest.body.limit, rest.body.skip, rest.body.items.length]).toEqual([5, 5, 3]);
    const { data } = await search({ filter: { fullName: { startWith: "many" } }, first: 50 });
    expect([data.users.totalCount, data.users.nodes.length]).toEqual([8, 5]);
  });

  it("matches literally, without wildcards and escapes", async () => {
    const cases: Array<[string, number[]]> = [
      ["Bob%20_x", [2]],
      ["Bob%20", [2, 3]],
      ["Bob%20_x\\y", [2]],
      ["Bob_20", []],
      ["Bo%0", []],
      ["Bob%%", []],
      ["____", []],
      ["%%%%", []],
      ["Bob\\%", []],
      ["Ann O.*", []],
      ["Ann' OR '1'='1", []],
    ];
    for (const [text, finds] of cases) {
      const query = `full_name[start_with]=${encodeURIComponent(text)}`;
      expect([text, await found(query)]).toEqual([text, finds]);
      const { data } = await search({ filter: { fullName: { startWith: text } } });
      expect([text, numbers(data.users.nodes)]).toEqual([text, finds]);
    }
    expect(await found("login[start_with]=v2_g")).toEqual([4]);
    expect(await found("login[start_with]=v2xg")).toEqual([5]);
  });
});

describe("sorting", () => {
  const orders: Array<[wire: string, name: string, ascending: number[]]> = [
    ["id", "ID", [1, 2, 3, 4, 5, 6]],
    ["login", "LOGIN", [1, 2, 3, 6, 4, 5]],
    ["email", "EMAIL", [6, 1, 2, 3, 4, 5]],
    ["phone", "PHONE", [4, 5, 6, 3, 1, 2]],
    ["external_id", "EXTERNAL_ID", [4, 5, 6, 1, 2, 3]],
    ["facebook_id", "FACEBOOK_ID", [4, 5, 6, 1, 2, 3]],
    ["twitter_id", "TWITTER_ID", [4, 5, 6, 1, 2, 3]],
    ["created_at", "CREATED_AT", [1, 2, 3, 4, 5, 6]],
    ["updated_at", "UPDATED_AT", [6, 5, 4, 3, 2, 1]],
    ["last_request_at", "LAST_REQUEST_AT", [6, 1, 2, 3, 4, 5]],
  ];
  const KEYS: Record<string, string> = { full_name: "FULL_NAME", user_tags: "USER_TAGS" };

  it.each(orders)("by %s, both ways", async (wire, name, ascending) => {
    const filter = withIds(EVERY);
    const up = await search({ filter, sort: { asc: name } });
    expect(numbers(up.data.users.nodes)).toEqual(ascending);
    expect(await found(`${fill(every)}&sort_asc=${wire}`)).toEqual(ascending);
    // Ties are ordered by id in both directions.
    const without = ascending.filter((number) => shownOf(wire, number) === null);
    const descending = [...ascending.filter((number) => !without.includes(number))].reverse();
    const down = await search({ filter, sort: { desc: name } });
    expect(numbers(down.data.users.nodes)).toEqual([...descending, ...without]);
    expect(await found(`${fill(every)}&sort_desc=${wire}`)).toEqual([...descending, ...without]);
  });

  // The order depends on the database's collation, so this checks only that one is the reverse of the other.
  it.each(Object.entries(KEYS))("by %s, both ways", async (wire, name) => {
    const up = await found(`${fill(every)}&sort_asc=${wire}`);
    const down = await found(`${fill(every)}&sort_desc=${wire}`);
    const without = [1, 2, 3, 4, 5, 6].filter((number) => shownOf(wire, number) === null);
    expect(up.slice(0, without.length)).toEqual(without);
    expect(down.slice(-without.length)).toEqual(without);
    expect(down.slice(0, -without.length)).toEqual(up.slice(without.length).reverse());
    expect([...up].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    const { data } = await search({ filter: withIds(EVERY), sort: { asc: name } });
    expect(numbers(data.users.nodes)).toEqual(up);
  });

  function shownOf(wire: string, number: number): unknown {
    if (["id", "login", "created_at", "updated_at"].includes(wire)) return number;
    if (wire === "last_request_at") return number === 6 ? null : number;
    return PEOPLE[number - 1]?.[wire === "user_tags" ? "tag_list" : wire] ?? null;
  }

  it.each([
    "password",
    "password_hash",
    "website",
    "custom_data",
    "avatar",
    "id; DROP TABLE users",
    "",
  ])("refuses any other field: %j", async (field) => {
    for (const direction of ["sort_asc", "sort_desc"]) {
      const { status, body } = await list(`id=1&${direction}=${encodeURIComponent(field)}`);
      expect([status, Object.keys(body.errors)]).toEqual([422, [direction]]);
    }
  });

  it("accepts only one direction", async () => {
    const { status, body } = await list("id=1&sort_asc=id&sort_desc=login");
    expect([status, Object.keys(body.errors).length]).toEqual([422, 1]);
  });
});

describe("paging", () => {
  it("skips, limits and counts", async () => {
    const { body } = await list(`${fill(every)}&offset=2&limit=3&sort_asc=id`);
    expect([body.skip, body.limit, body.total_entries]).toEqual([2, 3, 6]);
    expect(numbers(body.items)).toEqual([3, 4, 5]);
    const end = await list(`${fill(every)}&offset=6`);
    expect(end.body).toMatchObject({ skip: 6, total_entries: 6, items: [] });
  });

  it("continues after a cursor, also among users without a value, and ends with a full page", async () => {
    const document = `query ($filter: UserFilter!, $sort: UserSort, $after: String) {
      users(filter: $filter, sort: $sort, first: 2, after: $after) {
        nodes { id: databaseId } pageInfo { endCursor hasNextPage }
      }
    }`;
    const pages: number[][] = [];
    for (let after: string | null = null, more = true; more && pages.length < 4; ) {
      const variables = { filter: withIds(EVERY), sort: { asc: "PHONE" }, after };
      const { data } = await graphql(node, document, variables, reader.token);
      pages.push(numbers(data.users.nodes));
      ({ endCursor: after, hasNextPage: more } = data.users.pageInfo);
    }
    expect(pages).toEqual([
      [4, 5],
      [6, 3],
      [1, 2],
    ]);
  });

  it("caps the limit at 100", async () => {
    for (const limit of ["100", "101", "1000000", "9007199254740991"]) {
      const { status, body } = await list(`id={1}&limit=${limit}`.replace("{1}", fill("{1}")));
      expect([status, body.limit]).toEqual([200, 100]);
    }
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=-1", "limit"],
    ["limit=ten", "limit"],
    ["limit=1.5", "limit"],
    ["limit=", "limit"],
    ["limit[gt]=1", "limit"],
    ["limit=1&limit=2", "limit"],
    ["offset=-1", "offset"],
    ["offset=x", "offset"],
    ["offset=9007199254740992", "offset"],
  ])("refuses %s", async (query, field) => {
    const { status, body } = await list(`id=1&${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it("does not support page, which belongs to the V1 list", async () => {
    for (const name of ["page", "per_page"]) {
      const { status, body } = await list(`id=1&${name}=1`);
      expect([status, Object.keys(body.errors)]).toEqual([422, [name]]);
    }
  });
});

describe("unknown parameters", () => {
  it.each([
    ["website=x", "website"],
    ["password=x", "password"],
    ["custom_data[eq]=x", "custom_data"],
    ["external_user_id=x", "external_user_id"],
    ["Login=x", "Login"],
    ["fullName=x", "fullName"],
    ["login[ne]=x", "login"],
    ["login[like]=x", "login"],
    ["login[$ne]=x", "login"],
    ["login[startWith]=aaaa", "login"],
    ["login[eq][in]=x", "login"],
    ["login[eq][]=x&login[eq][]=y", "login"],
    ["id[start_with]=1234", "id"],
    ["id=x", "id"],
    ["id[in][]=x", "id"],
    ["id=1.5", "id"],
    ["created_at[start_with]=2026", "created_at"],
    ["id=1&created_at=yesterday", "created_at"],
    ["id=1&created_at[gt]=2026-13-01", "created_at"],
    ["toString=x", "toString"],
    ["login[toString]=x", "login"],
  ])("are refused with their name: %s", async (query, field) => {
    const { status, body } = await list(query);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it.each([
    "__proto__[x]=1",
    "login[__proto__]=1",
    "constructor=1",
  ])("are refused as malformed: %s", async (query) => {
    expect((await list(query)).status).toBe(400);
  });
});

describe("an application", () => {
  it("sees only its own users, with any filter", async () => {
    const foreign = await newUser(other, { login: "only.there", tag_list: "there" });
    const there = await newUser(other);
    const queries = [
      "login=only.there",
      "login[start_with]=only.",
      "user_tags=there",
      "email=ann@example.com",
      `id=${foreign.id}`,
      `id[in][]=${foreign.id}&id[in][]=${users[0]?.id}`,
    ];
    for (const query of queries) {
      const { body } = await list(query);
      const ids = body.items.map(({ id }: { id: number }) => id);
      expect(ids).not.toContain(foreign.id);
      const known = ids.every((id: number) => users.some((user) => user.id === id));
      expect([query, known, body.total_entries]).toEqual([query, true, ids.length]);
    }
    const own = await rest(other, "GET", "/users/v2?login=only.there", { token: there.token });
    expect(own.body.items).toHaveLength(1);
  });

  it("lists only for users", async () => {
    const answer = await rest(node, "GET", "/users/v2?id=1");
    expect(answer.status).toBe(401);
  });
});
