import createClient from "openapi-fetch";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

/**
 * A client that is generated from schema/openapi.json with openapi-typescript, and calls by openapi-fetch, both with
 * their default settings. Here are the types of one route, as openapi-typescript writes them.
 */
interface Paths {
  "/users/v2": {
    get: {
      parameters: {
        query?: {
          id?: number;
          "id[in][]"?: number[];
          "login[in][]"?: string[];
          "login[nin][]"?: string[];
          "full_name[start_with]"?: string;
          "created_at[gt]"?: string | number;
          sort_desc?: string;
        };
      };
      responses: {
        200: { content: { "application/json": { limit: number; items: Array<{ id: number }> } } };
        422: { content: { "application/json": { errors: Record<string, string[]> } } };
      };
    };
  };
}

let node: TestNode;
let users: TestUser[];
beforeAll(async () => {
  node = await startNode();
  users = [];
  for (const full_name of ["Ann Gray & Co", "Ann Gray", "Ben"]) {
    users.push(await newUser(node, { full_name }));
  }
});
afterAll(() => node.stop());

type Query = Paths["/users/v2"]["get"]["parameters"]["query"];

async function list(query: Query) {
  const sent: string[] = [];
  const client = createClient<Paths>({
    baseUrl: node.baseUrl,
    headers: { Authorization: `Bearer ${users[0]?.token}` },
    fetch(request) {
      sent.push(decodeURIComponent(new URL(request.url).search));
      return fetch(request);
    },
  });
  const { data, error, response } = await client.GET("/users/v2", { params: { query } });
  const ids = data?.items.map(({ id }) => users.findIndex((user) => user.id === id));
  return { sent, status: response.status, error, limit: data?.limit, ids };
}

const id = (index: number) => users[index]!.id;
const login = (index: number) => users[index]!.login;

const CASES: Array<[what: string, query: () => Query, sent: () => string, ids: number[]]> = [
  ["one value", () => ({ id: id(1) }), () => `?id=${id(1)}`, [1]],
  [
    "a list of numbers",
    () => ({ "id[in][]": [id(0), id(2)] }),
    () => `?id[in][]=${id(0)}&id[in][]=${id(2)}`,
    [0, 2],
  ],
  [
    "a list of one text",
    () => ({ "login[in][]": [login(2)] }),
    () => `?login[in][]=${login(2)}`,
    [2],
  ],
  [
    "two operators of a field, a comparison and an order",
    () => ({
      "login[in][]": users.map((user) => user.login),
      "login[nin][]": [login(1)],
      "created_at[gt]": "2020-01-01T00:00:00Z",
      sort_desc: "id",
    }),
    () =>
      `?${users.map((user) => `login[in][]=${user.login}`).join("&")}&login[nin][]=${login(1)}&created_at[gt]=2020-01-01T00:00:00Z&sort_desc=id`,
    [2, 0],
  ],
  [
    "a text with characters of queries",
    () => ({ "full_name[start_with]": "Ann Gray &" }),
    () => "?full_name[start_with]=Ann Gray &",
    [0],
  ],
];

test.each(CASES)("sends %s, and gets the right users", async (_what, query, sent, ids) => {
  expect(await list(query())).toMatchObject({ status: 200, sent: [sent()], ids });
});

test("gets the errors of a filter that violates a rule", async () => {
  const { status, error } = await list({ "login[nin][]": ["nobody"] });
  expect(status).toBe(422);
  expect(error?.errors.base?.[0]).toMatch(/^Rule 4/);
});
