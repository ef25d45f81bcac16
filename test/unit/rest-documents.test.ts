import { buildSchema, parse, validate } from "graphql";
import { Fault } from "../../src/core/errors";
import { RestDocumentsError, readDocuments } from "../../src/transports/rest/documents";
import { toWireNames } from "../../src/transports/rest/error";
import { compileResponse } from "../../src/transports/rest/response";
import { FILES, sampleSchema, sampleSession, sampleUser } from "../support/rest/rest-sample";

const schema = sampleSchema();

/** The problems of one file, in order. */
function problems(text: string, using = schema): string[] {
  try {
    readDocuments([{ name: "a.graphql", text }], using);
  } catch (error) {
    if (error instanceof RestDocumentsError) return error.problems;
    throw error;
  }
  return [];
}

const user = (head: string, body = "user(by: {id: $id}) { id }") => `query A${head} { ${body} }`;

describe("the documents of schema/rest", () => {
  const documents = readDocuments(FILES, schema);

  test("become operations of the schema, without REST directives", () => {
    for (const { text } of documents) {
      expect(validate(schema, parse(text))).toEqual([]);
      expect(text).not.toMatch(/@(rest|param|omit|csv)\b/);
    }
    expect(schema.getDirective("rest")).toBeUndefined();
    expect(schema.getType("RestMethod")).toBeUndefined();
  });

  test("all have a summary", () => {
    expect(documents.filter(({ description }) => !description)).toEqual([]);
  });
});

describe("invalid documents throw, with file, line and column", () => {
  const cases: Array<[what: string, text: string, problem: string | RegExp]> = [
    ["syntax", 'query A @rest(method: GET, path: "/a") {\n  user(', /^a\.graphql:2:8 Syntax Error/],
    [
      "an unknown field",
      'query A @rest(method: GET, path: "/a") {\n  currentSession { tokn }\n}',
      'a.graphql:2:20 Cannot query field "tokn" on type "Session". Did you mean "token"?',
    ],
    [
      "an unknown argument of an input",
      user('($id: ID!) @rest(method: GET, path: "/a/{id}")', "user(by: {ident: $id}) { id }"),
      /^a\.graphql:1:67 Field "ident" is not defined by type "UserKey"/,
    ],
    [
      "a variable of the wrong type",
      user('($id: Boolean!) @rest(method: GET, path: "/a/{id}")'),
      /Variable "\$id" of type "Boolean!" used in position expecting type "ID/,
    ],
    [
      "an unused variable",
      user('($id: ID!, $x: Int) @rest(method: GET, path: "/a/{id}")'),
      'a.graphql:1:19 Variable "$x" is never used in operation "A".',
    ],
    [
      "an unknown directive",
      user('($id: ID! @parm(name: "x")) @rest(method: GET, path: "/a")'),
      'a.graphql:1:18 Unknown directive "@parm".',
    ],
    [
      "an unknown argument of a directive",
      user('($id: ID!) @rest(method: GET, path: "/a/{id}", stats: 200)'),
      /Unknown argument "stats" on directive "@rest"/,
    ],
    [
      "an unknown method",
      user('($id: ID!) @rest(method: FETCH, path: "/a/{id}")'),
      /Value "FETCH" does not exist in "RestMethod" enum/,
    ],
    [
      "an unknown binder",
      user('($id: ID! @param(binder: ANYTHING)) @rest(method: GET, path: "/a")'),
      /Value "ANYTHING" does not exist in "RestBinder" enum/,
    ],
    ["no route", "query A { currentSession { id } }", "a.graphql:1:1 The operation has no @rest"],
    [
      "no name",
      'query @rest(method: GET, path: "/a") { currentSession { id } }',
      "a.graphql:1:1 The operation has no name",
    ],
    [
      "a type definition",
      'query A @rest(method: GET, path: "/a") { currentSession { id } }\ntype B { c: Int }',
      /^a\.graphql:2:1 The "B" definition is not executable/,
    ],
    [
      "an invalid path",
      'query A @rest(method: GET, path: "a b") { currentSession { id } }',
      'a.graphql:1:1 "a b" is not a path of literal segments and {parameters}',
    ],
    [
      "a path that ends in .json",
      'query A @rest(method: GET, path: "/a.json") { currentSession { id } }',
      "a.graphql:1:1 The path must not end in .json, which every path accepts already",
    ],
    [
      "an unsupported status",
      'query A @rest(method: GET, path: "/a", status: 204) { currentSession { id } }',
      "a.graphql:1:1 The status of a success must be 200 or 201, not 204",
    ],
    [
      "pick with a body other than JSON",
      'query A @rest(method: GET, path: "/a", body: NONE, pick: "currentSession") { currentSession { id } }',
      "a.graphql:1:1 pick requires the body JSON, not NONE",
    ],
    [
      "pick of an unselected key",
      'query A @rest(method: GET, path: "/a", pick: "currentSession.idd") { currentSession { id } }',
      'a.graphql:1:1 pick: the key "idd" is not selected',
    ],
    [
      "pick through a list",
      'query A @rest(method: GET, path: "/a", pick: "users.nodes.id") { users(filter: {}) { nodes { id } } }',
      'a.graphql:1:1 pick cannot go through "nodes"',
    ],
    [
      "an unbound path parameter",
      'query A @rest(method: GET, path: "/a/{id}") { currentSession { id } }',
      "a.graphql:1:1 No variable is bound to the path parameter {id}",
    ],
    [
      "two variables with the same wire name",
      user(
        '($id: ID! @param(name: "a"), $b: [String!] @param(name: "a")) @rest(method: GET, path: "/x")',
        "user(by: {id: $id}) { id } search(tags: $b) { asked }",
      ),
      'a.graphql:1:37 The parameter "a" is bound twice',
    ],
    [
      "an invalid parameter name",
      user('($id: ID! @param(name: "a[")) @rest(method: GET, path: "/x")'),
      'a.graphql:1:9 "a[" is not a valid parameter name',
    ],
    [
      "a name of Object.prototype",
      user('($id: ID! @param(name: "a[__proto__]")) @rest(method: GET, path: "/x")'),
      'a.graphql:1:9 "a[__proto__]" is not a valid parameter name',
    ],
    [
      "an input without a binder",
      user('($by: UserKey!) @rest(method: GET, path: "/x")', "user(by: $by) { id }"),
      "a.graphql:1:9 A variable of type UserKey! needs a binder",
    ],
    [
      "a binder for an input without operators",
      user(
        '($by: UserKey! @param(binder: FIELD_OPERATORS)) @rest(method: GET, path: "/x")',
        "user(by: $by) { id }",
      ),
      "a.graphql:1:9 The binder FIELD_OPERATORS needs an input with operators per field, not UserKey!",
    ],
    [
      "a binder for an input without conditions",
      user(
        '($by: UserKey! @param(binder: LEGACY_FILTER)) @rest(method: GET, path: "/x")',
        "user(by: $by) { id }",
      ),
      "a.graphql:1:9 The binder LEGACY_FILTER needs a list of conditions or a sort order, not UserKey!",
    ],
    [
      "csv for a scalar",
      user('($id: ID! @param(csv: true)) @rest(method: GET, path: "/a/{id}")'),
      "a.graphql:1:9 csv requires a list, not ID!",
    ],
    [
      "a list in the path",
      user(
        '($tags: [String!]) @rest(method: GET, path: "/a/{tags}")',
        "search(tags: $tags) { asked }",
      ),
      "a.graphql:1:9 A list is not supported in a path",
    ],
    [
      "@omit with a sibling that is not selected",
      'query A @rest(method: GET, path: "/a") {\n  currentSession { deviceId @omit(when: "usr") user { id } }\n}',
      'a.graphql:2:20 @omit: "usr" is not selected next to it',
    ],
    [
      "@csv on a scalar",
      'query A @rest(method: GET, path: "/a") {\n  currentSession { token @csv }\n}',
      "a.graphql:2:20 @csv requires a list of scalars, not String!",
    ],
    [
      "@csv on a list of objects",
      'query A @rest(method: GET, path: "/a") {\n  users(filter: {}) { nodes @csv { id } }\n}',
      "a.graphql:2:23 @csv requires a list of scalars, not [User!]!",
    ],
    [
      "two operations on one route",
      'query A($id: ID!) @rest(method: GET, path: "/a/{id}") { user(by: {id: $id}) { id } }\nquery B($x: ID!) @rest(method: GET, path: "/a/{x}") { user(by: {id: $x}) { id } }',
      "a.graphql:2:1 GET /a/{x} is already the route of A",
    ],
    [
      "an unused fragment",
      'query A @rest(method: GET, path: "/a") { currentSession { id } }\nfragment B on User { id }',
      'a.graphql:2:1 Fragment "B" is never used.',
    ],
  ];
  test.each(cases)("%s", (_what, text, problem) => {
    const found = problems(text);
    if (typeof problem === "string") expect(found).toEqual([problem]);
    else expect(found[0]).toMatch(problem);
    expect(found[0]).toMatch(/^a\.graphql:\d+:\d+ /);
  });

  test("all problems at once, each with its file", () => {
    const files = [
      { name: "a.graphql", text: "query A { currentSession { id } }" },
      {
        name: "b.graphql",
        text: '\nquery B @rest(method: GET, path: "x") { currentSession { id } }',
      },
    ];
    expect(() => readDocuments(files, schema)).toThrow(
      new RestDocumentsError([
        "a.graphql:1:1 The operation has no @rest",
        'b.graphql:2:1 "x" is not a path of literal segments and {parameters}',
      ]),
    );
  });

  test("one path with two methods makes two routes", () => {
    expect(
      problems(`query A @rest(method: GET, path: "/a") { currentSession { id } }
        mutation B @rest(method: DELETE, path: "/a") { destroySession { destroyed } }`),
    ).toEqual([]);
  });
});

describe("responses", () => {
  const documents = readDocuments(FILES, schema);
  const answer = (name: string, data: Record<string, unknown>) => {
    const document = documents.find((found) => found.name === name);
    if (!document) throw new Error(`no operation ${name}`);
    const text = compileResponse(document)(data);
    return text === undefined || text === "" ? text : JSON.parse(text);
  };

  /** The data of a selection with aliases, from a sample. */
  const shownUser = (changes: Record<string, unknown> = {}) => {
    const { tags, isGuest, id } = sampleUser(changes) as Record<string, unknown>;
    return { id: 12, login: "alice", user_tags: tags, is_guest: isGuest, _id: id };
  };

  test("tags are comma-separated text, or null", () => {
    const tags = (list: string[]) =>
      answer("GetUser", { user: shownUser({ tags: list }) }).user.user_tags;
    expect(tags(["a", "b"])).toBe("a,b");
    expect(tags(["a"])).toBe("a");
    expect(tags([])).toBeNull();
  });

  test("only guests have is_guest and _id", () => {
    const guest = answer("GetUser", { user: shownUser({ isGuest: true }) }).user;
    expect(guest).toMatchObject({ is_guest: true, _id: "12", id: 12 });
    const other = answer("GetUser", { user: shownUser() }).user;
    expect(Object.keys(other)).toEqual(["id", "login", "user_tags"]);
  });

  test("device_id is present without a user, and the user otherwise", () => {
    const { id } = sampleSession();
    const alone = answer("GetSession", { session: { id, device_id: null, user: null } });
    expect(alone).toEqual({ session: { id, device_id: null } });
    const both = answer("GetSession", { session: { id, device_id: null, user: shownUser() } });
    expect(Object.keys(both.session)).toEqual(["id", "user"]);
  });

  test("transforms the items of lists", () => {
    const data = { users: { limit: 1, items: [shownUser(), shownUser({ tags: [] })] } };
    const { items } = answer("ListUsers", data);
    expect(items.map((item: { user_tags: unknown }) => item.user_tags)).toEqual(["a,b", null]);
  });

  test("null at the root or at the picked key has no response", () => {
    expect(answer("GetUser", { user: null })).toBeUndefined();
    expect(answer("Login", { login: null })).toBeUndefined();
    expect(answer("DestroySession", { destroySession: null })).toBeUndefined();
    expect(answer("RejectCall", { rejectCall: null })).toBeUndefined();
  });

  test("fixed bodies", () => {
    expect(answer("DestroySession", { destroySession: { destroyed: true } })).toBe("");
    expect(answer("RejectCall", { rejectCall: { callId: "s" } })).toEqual({});
  });

  test("transforms through interfaces, fragments and nested lists", () => {
    const other = buildSchema(`
      interface Node { id: ID! }
      type Leaf implements Node { id: ID!  tags: [String!]!  next: [[Node!]] }
      type Query { node: Node! }
    `);
    const [document] = readDocuments(
      [
        {
          name: "a.graphql",
          text: `query A @rest(method: GET, path: "/a", pick: "node") {
            node { ...On ... on Leaf { __typename tags @csv next { ... { id @omit } ...On } } }
          }
          fragment On on Node { id }`,
        },
      ],
      other,
    );
    const data = {
      node: {
        id: "1",
        __typename: "Leaf",
        tags: ["a", "b"],
        next: [[{ id: "2" }, { id: null }], null],
      },
    };
    const text = document && compileResponse(document)(data);
    expect(JSON.parse(text ?? "")).toEqual({
      id: "1",
      __typename: "Leaf",
      tags: "a,b",
      next: [[{ id: "2" }, {}], null],
    });
  });
});

describe("names of fields in errors", () => {
  const keysOf = (name: string) =>
    readDocuments(FILES, schema).find((document) => document.name === name)?.errorKeys ?? new Map();
  test.each([
    ["CreateUser", "fullName", "full_name"],
    ["CreateUser", "tags", "tag_list"],
    ["CreateSession", "user.fullName", "full_name"],
    ["CreateSession", "applicationId", "application_id"],
    ["CreateSession", "fullName", "full_name"],
    ["RejectCall", "callId", "sessionID"],
    ["RejectCall", "recipientId", "recipientId"],
    ["ListUsers", "filter", "base"],
    ["ListUsers", "sort.asc", "sort_asc"],
    ["GetAccountSettings", "accountKey", "Svc-Account-Key"],
    ["ListUsersByPage", "filter", "filter"],
    ["ListUsersByPage", "perPage", "per_page"],
    ["ListUsersByFullName", "fullName", "full_name"],
    ["ListUsersByTags", "tags", "tags"],
    ["GetUser", "somethingElse", "something_else"],
    ["GetUser", "base", "base"],
  ])("%s: %s becomes %s", (name, field, key) => {
    const fault = toWireNames(new Fault("INVALID", "x", { [field]: ["is wrong"] }), keysOf(name));
    expect({ ...fault.fields }).toEqual({ [key]: ["is wrong"] });
  });

  test("fields with the same wire name keep all their messages", () => {
    const fault = new Fault("INVALID", "x", { fullName: ["a"], "user.fullName": ["b"] }, 3);
    const { fields, retryAfter, code } = toWireNames(fault, keysOf("CreateSession"));
    expect({ ...fields }).toEqual({ full_name: ["a", "b"] });
    expect([retryAfter, code]).toEqual([3, "INVALID"]);
  });
});
