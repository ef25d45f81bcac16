import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  newUser,
  rest,
  type TestUser,
  waitForActivity,
} from "../../support/rest-client";
import { userBody } from "../../support/security/permission-routes";
import { secondApplication } from "../../support/sessions/second-application";

const NOT_FOUND = { errors: { base: ["Not found"] } };
const NOBODY = { errors: { base: ["There is no such user"] } };
const DISABLED = {
  errors: {
    base: [
      "The list of users at /users is disabled: it can be enabled in the application's user settings. Use /users/v2 instead",
    ],
  },
};

/** The fields of the test users 1 to 6; 6 has none. */
const PEOPLE: Array<Record<string, unknown>> = [
  {
    email: "Ann@Example.com",
    full_name: "Ann Other",
    phone: "+49 1",
    external_id: "ext-a",
    facebook_id: "fb-1",
    twitter_id: "tw-1",
    tag_list: "red,green",
    external_user_id: "77",
    website: "https://a.example/?b=1,2",
    avatar: "av-1",
    blob_id: 10,
    timezone: -60,
    custom_data: "secret sauce",
  },
  {
    email: "bob@example.com",
    full_name: "Bob, the 'second'",
    external_id: "77",
    facebook_id: "fb-2",
    twitter_id: "tw-2",
    tag_list: "green",
    blob_id: 20,
    timezone: 120,
  },
  {
    email: "cid+tag@example.com",
    full_name: "Ann Other",
    external_user_id: "ext-c",
    facebook_id: "fb-2",
    twitter_id: "tw-2",
    tag_list: "blue",
  },
  { full_name: "__proto__", tag_list: "Red,__proto__" },
  { full_name: "ann other", email: "eve@elsewhere.org" },
  {},
];
const LOGINS = ["v1.Alpha", "v1.beta", "v1.gamma", "v1.delta", "v1.epsilon", "v1.zeta"];
const day = (index: number) => new Date(`2026-03-0${index + 1}T12:00:00.250Z`);

let node: TestNode;
let other: TestNode;
let users: TestUser[];
let foreign: TestUser;
let reader: TestUser;

beforeAll(async () => {
  node = await startNode();
  other = await secondApplication(node);
  await node.sql("UPDATE applications SET v1_list_disabled = false WHERE id = $1", [
    node.application.id,
  ]);
  users = [];
  for (const [index, fields] of PEOPLE.entries()) {
    const user = await newUser(node, { login: LOGINS[index], ...fields });
    users.push(user);
    await node.sql("UPDATE users SET created_at = $2, updated_at = $3 WHERE id = $1", [
      user.id,
      day(index),
      day(5 - index),
    ]);
  }
  foreign = await newUser(other, { ...PEOPLE[0], facebook_id: "fb-there", tag_list: "there" });
  reader = await newUser(node, { login: "reader" });
  // The tests compare two reads of each user.
  await waitForActivity(node);
});
afterAll(() => node.stop());

const get = (path: string, token = reader.token) => rest(node, "GET", path, { token });
const idOf = (number: number) => users[number - 1]?.id ?? 0;
const whole = async (number: number) => (await get(`/users/${idOf(number)}`)).body.user;
/** The numbers of the users, 1 to 6; the reader is 0. */
const numbers = (items: Array<{ user: { id: number } }>) =>
  items.map(({ user }) => users.findIndex(({ id }) => id === user.id) + 1);

async function found(path: string): Promise<number[]> {
  const { status, body, text } = await get(path);
  expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
  return numbers(body.items);
}

describe("one user by a key of the profile", () => {
  it.each([
    ["by_login?login=v1.Alpha", 1],
    ["by_login?login=V1.ALPHA", 1],
    ["by_login.json?login=v1.beta", 2],
    ["by_email?email=ann@example.com", 1],
    ["by_email?email=CID%2Btag@example.com", 3],
    ["by_facebook_id?facebook_id=fb-1", 1],
    ["by_facebook_id?facebook_id=fb-2", 2],
    ["by_twitter_id?twitter_id=tw-1", 1],
    ["by_twitter_id?twitter_id=tw-2", 2],
    ["external/ext-a", 1],
    ["external/ext-a.json", 1],
    ["external/ext-c", 3],
    // External ids take precedence over the deprecated ones, regardless of the users' order.
    ["external/77", 2],
  ])("/users/%s", async (path, number) => {
    const { status, body } = await get(`/users/${path}`);
    expect([status, body]).toEqual([200, { user: await whole(number) }]);
  });

  it.each([
    ["by_login?login=nobody"],
    ["by_login?login=v1"],
    ["by_login?login=v1.%25"],
    ["by_login?login=__proto__"],
    ["by_login?login=%27%20OR%20%271%27=%271"],
    ["by_login?login="],
    ["by_email?email=ann"],
    ["by_email?email=%25"],
    ["by_facebook_id?facebook_id=FB-1"],
    ["by_facebook_id?facebook_id=fb-there"],
    ["by_facebook_id?facebook_id=null"],
    ["by_facebook_id?facebook_id="],
    ["by_twitter_id?twitter_id=tw"],
    ["by_twitter_id?twitter_id=constructor"],
    ["external/nobody"],
    ["external/EXT-A"],
    ["external/%27%3B%20DROP%20TABLE%20users"],
    ["external"],
  ])("/users/%s is not found", async (path) => {
    const { status, body } = await get(`/users/${path}`);
    expect([status, body]).toEqual([404, NOT_FOUND]);
  });

  const ROUTES = ["login", "email", "facebook_id", "twitter_id", "full_name", "tags"];
  it.each(ROUTES)("by_%s requires its parameter, as text", async (name) => {
    for (const query of ["", "?", "?x=1", `?user[${name}]=v1.alpha`]) {
      const { status, body } = await get(`/users/by_${name}${query}`);
      expect([query, status, body]).toEqual([query, 422, { errors: { [name]: ["is required"] } }]);
    }
    for (const query of [`${name}[$ne]=x`, `${name}[eq]=v1.alpha`, `${name}=%00`]) {
      const { status, body } = await get(`/users/by_${name}?${query}`);
      expect([query, status, Object.keys(body.errors)]).toEqual([query, 422, [name]]);
    }
    for (const query of [`${name}[__proto__]=x`, `${name}=%ff`]) {
      expect((await get(`/users/by_${name}?${query}`)).status).toBe(400);
    }
  });

  it("refuses a list instead of a text", async () => {
    for (const name of ROUTES.slice(0, -1)) {
      const { status, body } = await get(`/users/by_${name}?${name}[]=a&${name}[]=b`);
      expect([status, body]).toEqual([422, { errors: { [name]: ["must be text"] } }]);
    }
  });

  it("does not find users of another application", async () => {
    const paths = [
      `by_login?login=${foreign.login}`,
      "by_facebook_id?facebook_id=fb-there",
      `by_full_name?full_name=${foreign.login}`,
    ];
    for (const path of paths) {
      const { body } = await get(`/users/${path}`);
      expect([path, JSON.stringify(body).includes(`"id":${foreign.id},`)]).toEqual([path, false]);
    }
    const own = await rest(other, "GET", "/users/external/ext-a", { token: foreign.token });
    expect([own.status, own.body.user.id]).toEqual([200, foreign.id]);
  });

  it("is found in GraphQL by exactly one key", async () => {
    const query = "query ($by: UserKey!) { user(by: $by) { databaseId } }";
    const cases: Array<[object, number]> = [
      [{ facebookId: "fb-2" }, 2],
      [{ twitterId: "tw-1" }, 1],
      [{ externalId: "ext-c" }, 3],
      [{ externalId: "77" }, 2],
    ];
    for (const [by, number] of cases) {
      const { data } = await graphql(node, query, { by }, reader.token);
      expect([by, data.user]).toEqual([by, { databaseId: idOf(number) }]);
    }
    for (const by of [{ facebookId: "a", twitterId: "b" }, { externalId: null }]) {
      const { errors } = await graphql(node, query, { by }, reader.token);
      expect(errors?.[0].extensions.code).toMatch(/^(INVALID|MALFORMED)$/);
    }
  });
});

describe("DELETE /users/external/{external_user_id}", () => {
  const remove = (id: string, token: string) =>
    rest(node, "DELETE", `/users/external/${id}`, { token });

  it("deletes the calling user by either id, with an empty answer", async () => {
    for (const [index, name] of ["external_id", "external_user_id"].entries()) {
      const user = await newUser(node, { [name]: `gone/${index} ü` });
      const answer = await remove(encodeURIComponent(`gone/${index} ü`), user.token);
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect((await get(`/users/${user.id}`)).status).toBe(404);
      expect((await get("/session", user.token)).status).toBe(401);
    }
  });

  it("is allowed only for the calling user", async () => {
    const user = await newUser(node, { external_user_id: "mine" });
    const before = await node.sql("SELECT id FROM users ORDER BY id");
    for (const id of ["ext-a", "ext-c", "77"]) {
      const { status, body } = await remove(id, user.token);
      const errors = { base: ["Users can change and delete only their own account"] };
      expect([id, status, body]).toEqual([id, 403, { errors }]);
    }
    for (const id of ["nobody", "null", "__proto__", String(user.id)]) {
      const { status, body } = await remove(id, user.token);
      expect([id, status, body]).toEqual([id, 404, NOBODY]);
    }
    const application = await remove("mine", await applicationToken(node));
    expect(application.status).toBe(403);
    const elsewhere = await rest(other, "DELETE", "/users/external/mine", { token: foreign.token });
    expect([elsewhere.status, elsewhere.body]).toEqual([404, NOBODY]);
    expect(await node.sql("SELECT id FROM users ORDER BY id")).toEqual(before);
  });

  it("corresponds to deleteUser in GraphQL, with exactly one key", async () => {
    const query =
      "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }";
    const user = await newUser(node, { external_id: "graph-gone" });
    for (const input of [{}, { id: String(user.id), externalId: "graph-gone" }, { id: null }]) {
      const { errors } = await graphql(node, query, { input }, user.token);
      expect(errors?.[0].extensions.code).toMatch(/^(INVALID|MALFORMED)$/);
    }
    const input = { externalId: "graph-gone" };
    const { data } = await graphql(node, query, { input }, user.token);
    expect(data).toEqual({ deleteUser: { deletedUserId: String(user.id) } });
  });
});

describe("the lists by name and by tag", () => {
  it("return exactly the keys of a page", async () => {
    const { status, body } = await get("/users/by_full_name?full_name=Ann+Other");
    expect([status, body]).toEqual([
      200,
      {
        current_page: 1,
        per_page: 10,
        total_entries: 2,
        items: [{ user: await whole(1) }, { user: await whole(3) }],
      },
    ]);
    const nobody = await get("/users/by_tags.json?tags=nothing");
    const empty = { current_page: 1, per_page: 10, total_entries: 0, items: [] };
    expect([nobody.status, nobody.body]).toEqual([200, empty]);
  });

  it.each([
    ["by_full_name?full_name=Ann%20Other", [1, 3]],
    ["by_full_name?full_name=Bob,+the+%27second%27", [2]],
    ["by_full_name?full_name=__proto__", [4]],
    ["by_full_name?full_name=Ann", []],
    ["by_full_name?full_name=Ann%25", []],
    ["by_full_name?full_name=", []],
    ["by_tags?tags=green", [1, 2]],
    ["by_tags?tags=green,blue", [1, 2, 3]],
    ["by_tags?tags=+red+,,+blue", [1, 3]],
    ["by_tags?tags[]=red,blue", [1, 3]],
    ["by_tags?tags[]=red&tags[]=green", [1, 2]],
    ["by_tags?tags=__proto__", [4]],
    ["by_tags?tags=gre%25", []],
    ["by_tags?tags=there", []],
  ])("%s", async (path, finds) => {
    expect(await found(`/users/${path}`)).toEqual(finds);
  });

  it("require a tag", async () => {
    for (const query of ["tags=", "tags=,,", "tags[]="]) {
      const { status, body } = await get(`/users/by_tags?${query}`);
      expect([status, body]).toEqual([422, { errors: { tags: ["is required"] } }]);
    }
  });

  it("work while the V1 list is disabled", async () => {
    for (const path of ["by_full_name?full_name=Ann+Other", "by_tags?tags=there"]) {
      const answer = await rest(other, "GET", `/users/${path}`, { token: foreign.token });
      expect(numbers(answer.body.items)).toEqual([0]);
    }
  });
});

describe("pages", () => {
  const LISTS = [
    "/users?x=1",
    "/users/by_full_name?full_name=Ann+Other",
    "/users/by_tags?tags=green",
  ];

  it.each(LISTS)("of %s", async (path) => {
    const all = await get(`${path}&per_page=100`);
    const total = all.body.total_entries;
    expect(all.body.items).toHaveLength(total);
    const walked: unknown[] = [];
    for (let page = 1; page <= total + 1; page++) {
      const { body } = await get(`${path}&per_page=1&page=${page}`);
      expect([body.current_page, body.per_page, body.total_entries]).toEqual([page, 1, total]);
      walked.push(...body.items);
    }
    expect(numbers(walked as never)).toEqual(numbers(all.body.items));
  });

  it.each(LISTS)("of %s have at most 100 users, and are empty beyond the end", async (path) => {
    for (const size of ["100", "101", "9007199254740991"]) {
      expect((await get(`${path}&per_page=${size}`)).body.per_page).toBe(100);
    }
    const far = await get(`${path}&page=9007199254740991&per_page=100`);
    expect([far.status, far.body.items]).toEqual([200, []]);
    expect(far.body.total_entries).toBeGreaterThan(0);
  });

  it.each(LISTS)("of %s are integers from 1", async (path) => {
    for (const name of ["page", "per_page"]) {
      for (const value of ["0", "-1", "x", "1.5", "", "9007199254740992", "1e1"]) {
        const { status, body } = await get(`${path}&${name}=${value}`);
        expect([name, value, status, Object.keys(body.errors ?? {})]).toEqual([
          name,
          value,
          422,
          [name],
        ]);
      }
      const { status } = await get(`${path}&${name}[gt]=1`);
      expect(status).toBe(422);
    }
  });
});

describe("GET /users", () => {
  const ids = (...list: number[]) => list.map(idOf).join(",");
  const six = () => `filter[]=number+id+in+${ids(1, 2, 3, 4, 5, 6)}`;

  it("returns exactly the keys of a page, 10 users by default", async () => {
    const { status, body } = await get(`/users?filter[]=number+id+eq+${idOf(1)}`);
    expect([status, body]).toEqual([
      200,
      { current_page: 1, per_page: 10, total_entries: 1, items: [{ user: await whole(1) }] },
    ]);
    expect(body.items[0].user).toEqual(
      userBody(users[0] as TestUser, {
        ...PEOPLE[0],
        login: LOGINS[0],
        tag_list: undefined,
        user_tags: "red,green",
      }),
    );
  });

  it("lists all users of the application without a filter", async () => {
    const listed = await get("/users?per_page=100");
    const [row] = await node.sql<{ count: number }>(
      "SELECT count(*) AS count FROM users WHERE application_id = $1",
      [node.application.id],
    );
    expect(listed.body.total_entries).toBe(row?.count);
    const shown = listed.body.items.map(({ user }: { user: { id: number } }) => user.id);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect(shown).not.toContain(foreign.id);
  });

  it("is always refused while the application disables it", async () => {
    for (const query of ["", "?filter[]=number+id+gt+1", "?page=2"]) {
      const answer = await rest(other, "GET", `/users${query}`, { token: foreign.token });
      expect([answer.status, answer.body]).toEqual([403, DISABLED]);
    }
  });

  /** Conditions and the users that they match; `{1}` is the id of the first user. */
  const CASES: Array<[condition: string, finds: number[]]> = [
    ["number+id+gt+{4}", [5, 6]],
    ["number+id+ge+{5}", [5, 6]],
    ["number+id+lt+{3}", [1, 2]],
    ["number+id+le+{2}", [1, 2]],
    ["number+id+eq+{2}", [2]],
    ["integer+id+ne+{2}", [1, 3, 4, 5, 6]],
    ["number+id+between+{2},{4}", [2, 3, 4]],
    ["number+id+between+{4},{2}", []],
    ["number+id+in+{2},{4}", [2, 4]],
    ["number+id+eq+-9007199254740991", []],
    ["string+login+eq+V1.ALPHA", [1]],
    ["string+login+in+v1.alpha,v1.zeta", [1, 6]],
    ["string+login+ge+v1.g", [3, 6]],
    ["string+login+between+V1.A,V1.C", [1, 2]],
    ["string+email+eq+ANN@example.COM", [1]],
    ["string+email+ne+ann@example.com", [2, 3, 4, 5, 6]],
    ["string+external_id+eq+77", [2]],
    ["string+external_user_id+eq+77", [1]],
    ["number+external_user_id+eq+77", [1]],
    ["string+facebook_id+eq+fb-2", [2, 3]],
    ["string+twitter_id+in+tw-1,tw-2", [1, 2, 3]],
    ["string+full_name+eq+Ann+Other", [1, 3]],
    ["string+full_name+eq+Bob,+the+'second'", [2]],
    ["string+full_name+eq+__proto__", [4]],
    ["string+full_name+eq+Ann%25", []],
    ["string+phone+eq+%2B49+1", [1]],
    ["string+website+eq+https://a.example/?b=1,2", [1]],
    ["string+avatar+eq+av-1", [1]],
    ["number+blob_id+ge+10", [1, 2]],
    ["number+timezone+lt+0", [1]],
    ["number+timezone+ne+120", [1, 3, 4, 5, 6]],
    ["string+user_tags+eq+green", [1, 2]],
    ["string+user_tags+ne+green", [3, 4, 5, 6]],
    ["string+user_tags+in+red,blue", [1, 3]],
    ["date+created_at+eq+2026-03-02", [2]],
    ["date+created_at+eq+2026.03.02", [2]],
    ["date+created_at+ne+2026-03-02", [1, 3, 4, 5, 6]],
    ["date+created_at+gt+2026-03-02", [3, 4, 5, 6]],
    ["date+created_at+ge+2026-03-02", [2, 3, 4, 5, 6]],
    ["date+created_at+lt+2026-03-02", [1]],
    ["date+created_at+le+2026-03-02", [1, 2]],
    ["date+created_at+between+2026-03-02,2026-03-03", [2, 3]],
    ["date+created_at+in+2026-03-02,2026-03-05", [2, 5]],
    ["date+created_at+eq+2026-03-02T12:00:00Z", [2]],
    ["date+created_at+gt+2026-03-05T12:00:00Z", [6]],
    ["date+created_at+ge+2026-03-05T12:00:00Z", [5, 6]],
    ["date+created_at+le+9999-12-31", [1, 2, 3, 4, 5, 6]],
    ["date+updated_at+le+2026-03-02", [5, 6]],
    ["date+last_request_at+eq+1999-01-01", []],
    ["number+id+gt+{1},string+user_tags+eq+green", [2]],
    ["date+created_at+in+2026-03-02,2026-03-03,string+full_name+in+Ann+Other,x", [3]],
    ["string+full_name+eq+'+OR+'1'='1", []],
    ["string+full_name+eq+x';+DROP+TABLE+users;+--", []],
    ["string+full_name+eq+$1", []],
  ];
  const fill = (text: string) => text.replace(/\{(\d)\}/g, (_all, n) => String(idOf(Number(n))));

  it.each(CASES)("filter[]=%s", async (condition, finds) => {
    expect(await found(`/users?${six()}&filter[]=${fill(condition)}`)).toEqual(finds);
  });

  it("accepts the operator as a key, and both forms of filters together", async () => {
    const finds = await found(
      `/users?filter[gt]=number+id+gt+${idOf(2)}&filter[le]=number+id+le+${idOf(5)}&filter[]=string+user_tags+in+red,blue,Red`,
    );
    expect(finds).toEqual([3, 4]);
  });

  it.each([
    ["filter[]=string+id+eq+1", "condition 1: the data type of id is number"],
    [
      "filter[]=number+id+gt+1,date+login+gt+2026-01-01",
      "condition 2: the data type of login is string",
    ],
    [
      "filter[]=date+created_at+eq+2026-02-30",
      "condition 1: the value must be a date: yyyy-mm-dd, yyyy.mm.dd or ISO 8601",
    ],
    ["filter[]=number+id+eq+9007199254740992", "condition 1: the value must be a whole number"],
    ["filter[]=number+id+between+1", "condition 1: between takes two values"],
    ["filter[]=number+id+in+", "condition 1: in takes at least one value"],
    ["filter[]=string+user_tags+gt+a", "condition 1: user_tags takes eq, ne and in, not gt"],
  ])("refuses %s with its invalid part", async (query, text) => {
    const { status, body } = await get(`/users?${query}`);
    expect([status, body]).toEqual([422, { errors: { filter: [text] } }]);
  });

  it("reveals nothing about unreadable fields, in answer, order or error", async () => {
    const secrets = [
      "password",
      "password_hash",
      "token",
      "application_id",
      "custom_data",
      "guest_until",
    ];
    const errors = new Set<string>();
    for (const field of secrets) {
      for (const operator of ["gt", "lt", "eq"]) {
        const { status, text } = await get(`/users?filter[]=string+${field}+${operator}+$argon2`);
        expect(status).toBe(422);
        errors.add(text);
      }
      const { status, text } = await get(`/users?order=asc+string+${field}`);
      expect([status, text.includes("argon2")]).toEqual([422, false]);
    }
    // All users get the same answers.
    expect(errors.size).toBe(1);
  });

  it.each([
    ["asc+number+id", [1, 2, 3, 4, 5, 6]],
    ["desc+number+id", [6, 5, 4, 3, 2, 1]],
    ["desc+string+id", [6, 5, 4, 3, 2, 1]],
    ["asc+string+login", [1, 2, 4, 5, 3, 6]],
    ["desc+string+login", [6, 3, 5, 4, 2, 1]],
    ["asc+string+facebook_id", [4, 5, 6, 1, 2, 3]],
    ["desc+string+facebook_id", [2, 3, 1, 4, 5, 6]],
    ["desc+number+timezone", [2, 1, 3, 4, 5, 6]],
    ["asc+date+created_at", [1, 2, 3, 4, 5, 6]],
    ["desc+string+created_at", [6, 5, 4, 3, 2, 1]],
    ["asc+string+updated_at", [6, 5, 4, 3, 2, 1]],
    ["desc+number+blob_id", [2, 1, 3, 4, 5, 6]],
  ])("order=%s", async (order, finds) => {
    expect(await found(`/users?${six()}&order=${order}`)).toEqual(finds);
  });
});
