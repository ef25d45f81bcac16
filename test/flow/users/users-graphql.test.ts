import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken, newUser, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const FIELDS = `id databaseId login email externalId facebookId twitterId fullName phone website customData
  tags avatar timezone isGuest lastRequestAt createdAt updatedAt`;
const CREATE = `mutation ($input: CreateUserInput!) { createUser(input: $input) { user { ${FIELDS} } } }`;
const UPDATE = `mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { ${FIELDS} } } }`;
const DELETE = "mutation ($id: ID!) { deleteUser(input: {id: $id}) { deletedUserId } }";
const USER = `query ($by: UserKey!) { user(by: $by) { databaseId login } }`;
const PAGE = `query ($tag: String!, $first: Int, $after: String) {
  users(filter: {userTags: {eq: $tag}}, first: $first, after: $after) {
    totalCount nodes { databaseId }
    edges { cursor node { databaseId } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

let node: TestNode;
let user: TestUser;
let application: string;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node, { email: "Relay@Example.com" });
  application = await applicationToken(node);
});
afterAll(() => node.stop());

let count = 0;
const fresh = () => `graph-${++count}`;
const code = ({ errors }: { errors?: Array<{ extensions: { code: string } }> }) =>
  errors?.[0]?.extensions.code;
const fields = ({ errors }: { errors?: Array<{ extensions: { fields?: object } }> }) =>
  Object.keys(errors?.[0]?.extensions.fields ?? {});

describe("createUser", () => {
  it("accepts every field", async () => {
    const input = {
      login: fresh(),
      email: `${fresh()}@example.com`,
      password: "correct horse",
      externalId: fresh(),
      facebookId: "f",
      twitterId: "t",
      fullName: "Zoë",
      phone: "1",
      website: "w",
      customData: "c",
      avatar: "a",
      tags: ["x", "y"],
      timezone: 60,
    };
    const { data, errors } = await graphql(node, CREATE, { input }, application);
    expect(errors).toBeUndefined();
    const { password, ...shown } = input;
    expect(data.createUser.user).toEqual({
      ...shown,
      id: String(data.createUser.user.databaseId),
      databaseId: expect.any(Number),
      isGuest: false,
      lastRequestAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(password).toBe("correct horse");
  });

  it.each([
    [{ login: "a b" }, ["login"]],
    [{ email: "nobody" }, ["email"]],
    [{ password: "short" }, ["password"]],
    [{ fullName: "x".repeat(256) }, ["fullName"]],
    [{ customData: "x".repeat(5_001) }, ["customData"]],
    [{ timezone: 841 }, ["timezone"]],
    [{ tags: ["1", "2", "3", "4", "5", "6"] }, ["tags"]],
    [{ tags: ["a,b"] }, ["tags"]],
    [{ login: null }, ["base"]],
    [{ login: "a b", fullName: "x".repeat(256) }, ["login", "fullName"]],
  ])("refuses %j with the names of the input fields", async (change, names) => {
    const input = { login: fresh(), password: "correct horse", ...change };
    const answer = await graphql(node, CREATE, { input }, application);
    expect([code(answer), fields(answer).sort()]).toEqual(["INVALID", [...names].sort()]);
    expect(answer.data ?? null).toBeNull();
  });

  it("refuses a taken login in any case, and one of two concurrent ones", async () => {
    const login = fresh();
    const answers = await Promise.all(
      [login, login.toUpperCase()].map((each) =>
        graphql(node, CREATE, { input: { login: each, password: "correct horse" } }, application),
      ),
    );
    const refused = answers.filter(({ errors }) => errors);
    expect(refused).toHaveLength(1);
    expect([code(refused[0]!), refused[0]?.errors?.[0].extensions.fields]).toEqual([
      "INVALID",
      { login: ["has already been taken"] },
    ]);
  });

  const OTHERS = ["id", "createdAt", "isGuest", "lastRequestAt", "externalUserId", "blobId"];
  it.each(OTHERS)("has no input %s", async (name) => {
    const input = { login: fresh(), password: "correct horse", [name]: 1 };
    const answer = await graphql(node, CREATE, { input }, application);
    expect(code(answer)).toBe("INVALID");
  });

  it("makes users of the own application only, which may be named", async () => {
    const create = async (applicationId: string) => {
      const input = { login: fresh(), password: "correct horse", applicationId };
      return graphql(node, CREATE, { input }, application);
    };
    expect((await create(String(node.application.id))).errors).toBeUndefined();
    for (const other of ["0", "x", "999999999"]) {
      expect(code(await create(other))).toBe("NOT_FOUND");
    }
  });
});

describe("user", () => {
  it.each([
    ["id", () => String(user.id)],
    ["login", () => user.login.toUpperCase()],
    ["email", () => "relay@EXAMPLE.com"],
  ])("is found by %s", async (key, value) => {
    const { data } = await graphql(node, USER, { by: { [key]: value() } }, user.token);
    expect(data.user).toEqual({ databaseId: user.id, login: user.login });
  });

  it.each([
    { id: "999999" },
    { id: "x" },
    { login: "nobody" },
    { email: "no@body" },
  ])("is null if there is none: %j", async (by) => {
    const { data, errors } = await graphql(node, USER, { by }, user.token);
    expect([data, errors]).toEqual([{ user: null }, undefined]);
  });

  it.each([
    {},
    { id: "1", login: "a" },
    { id: null },
    { id: "1", login: null },
  ])("requires exactly one key: not %j", async (by) => {
    const answer = await graphql(node, USER, { by }, user.token);
    expect(answer.data ?? null).toBeNull();
    expect(code(answer)).toMatch(/^(INVALID|MALFORMED)$/);
  });

  it("of another application is not found", async () => {
    const other = await secondApplication(node);
    const foreign = await newUser(other);
    for (const by of [{ id: String(foreign.id) }, { login: foreign.login }]) {
      const { data } = await graphql(node, USER, { by }, user.token);
      // Both applications may have a user with this login.
      expect(data.user?.databaseId).not.toBe(foreign.id);
    }
  });
});

describe("updateUser and deleteUser", () => {
  it("change and clear", async () => {
    const own = await newUser(node, { full_name: "Before", phone: "1", website: "w" });
    const { data } = await graphql(
      node,
      UPDATE,
      { input: { id: own.id, fullName: "After", phone: null, tags: ["t"] } },
      own.token,
    );
    expect(data.updateUser.user).toMatchObject({
      databaseId: own.id,
      fullName: "After",
      phone: null,
      website: "w",
      tags: ["t"],
    });
  });

  it("keep fields of omitted variables, also in compiled operations", async () => {
    const own = await newUser(node, { full_name: "Before", phone: "1" });
    const query = `mutation ($id: ID!, $phone: String, $fullName: String = "Always") {
      ...Change }
      fragment Change on Mutation { updateUser(input: {id: $id, phone: $phone, fullName: $fullName}) {
        user { phone fullName } } }`;
    const run = async (variables: object) =>
      (await graphql(node, query, { id: own.id, ...variables }, own.token)).data.updateUser.user;
    for (let time = 0; time < 4; time++) {
      expect(await run({})).toEqual({ phone: "1", fullName: "Always" });
    }
    expect(await run({ phone: "2", fullName: null })).toEqual({ phone: "2", fullName: null });
    expect(await run({ phone: null })).toEqual({ phone: null, fullName: "Always" });
  });

  it("are allowed only for the calling user", async () => {
    const [own, victim] = [await newUser(node), await newUser(node)];
    for (const [id, expected] of [
      [victim.id, "FORBIDDEN"],
      [999_999, "NOT_FOUND"],
    ]) {
      const update = await graphql(node, UPDATE, { input: { id, fullName: "x" } }, own.token);
      const remove = await graphql(node, DELETE, { id }, own.token);
      expect([code(update), code(remove)]).toEqual([expected, expected]);
    }
  });

  it("require the old password with a new one", async () => {
    const own = await newUser(node);
    const input = { id: own.id, password: "new password" };
    const without = await graphql(node, UPDATE, { input }, own.token);
    expect([code(without), fields(without)]).toEqual(["INVALID", ["oldPassword"]]);
    const wrong = { input: { ...input, oldPassword: "wrong horse" } };
    expect(fields(await graphql(node, UPDATE, wrong, own.token))).toEqual(["oldPassword"]);
    const right = { input: { ...input, oldPassword: own.password } };
    expect((await graphql(node, UPDATE, right, own.token)).errors).toBeUndefined();
  });

  it("delete the calling user and the session", async () => {
    const own = await newUser(node);
    const { data } = await graphql(node, DELETE, { id: own.id }, own.token);
    expect(data.deleteUser).toEqual({ deletedUserId: String(own.id) });
    const after = await graphql(node, "{ currentSession { id } }", {}, own.token);
    expect(code(after)).toBe("UNAUTHENTICATED");
  });
});

describe("a connection of users", () => {
  const TAG = "relay-page";
  const ids: number[] = [];
  beforeAll(async () => {
    for (let index = 0; index < 7; index++) ids.push((await newUser(node, { tag_list: TAG })).id);
  });

  interface Page {
    totalCount: number;
    nodes: Array<{ databaseId: number }>;
    edges: Array<{ cursor: string; node: { databaseId: number } }>;
    pageInfo: {
      hasNextPage: boolean;
      hasPreviousPage: boolean;
      startCursor: string | null;
      endCursor: string | null;
    };
  }
  const page = async (variables: Record<string, unknown>): Promise<Page> => {
    const answer = await graphql(node, PAGE, { tag: TAG, ...variables }, user.token);
    expect(answer.errors).toBeUndefined();
    return answer.data.users;
  };

  it("pages by first and after, each user once, in order", async () => {
    const seen: number[] = [];
    const pages: Page["pageInfo"][] = [];
    let after: string | null = null;
    do {
      const found: Page = await page({ first: 3, after });
      expect(found.totalCount).toBe(7);
      expect(found.edges.map(({ node: each }) => each)).toEqual(found.nodes);
      expect(found.pageInfo.startCursor).toBe(found.edges[0]?.cursor);
      expect(found.pageInfo.endCursor).toBe(found.edges.at(-1)?.cursor);
      seen.push(...found.nodes.map(({ databaseId }) => databaseId));
      pages.push(found.pageInfo);
      after = found.pageInfo.endCursor;
    } while (pages.at(-1)?.hasNextPage);
    expect(seen).toEqual(ids);
    expect(pages.map(({ hasPreviousPage }) => hasPreviousPage)).toEqual([false, true, true]);
    expect(pages.map(({ hasNextPage }) => hasNextPage)).toEqual([true, true, false]);
  });

  it("refuses a page without users, by the name of the argument", async () => {
    const { errors } = await graphql(node, PAGE, { tag: TAG, first: 0 }, user.token);
    expect([errors?.[0].message, errors?.[0].extensions.fields]).toEqual([
      "first must be at least 1",
      { first: ["must be at least 1"] },
    ]);
  });

  it("continues after any edge", async () => {
    const all = await page({});
    const cursor = all.edges[4]?.cursor;
    const rest = await page({ after: cursor });
    expect(rest.nodes.map(({ databaseId }) => databaseId)).toEqual(ids.slice(5));
  });

  it("is empty beyond the end", async () => {
    const beyond = await page({ after: (await page({})).pageInfo.endCursor });
    expect(beyond).toMatchObject({ nodes: [], edges: [], totalCount: 7 });
    expect(beyond.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: null,
      endCursor: null,
    });
  });

  it.each([
    [{ first: 0 }, "first"],
    [{ first: -1 }, "first"],
    [{ after: "nonsense" }, "after"],
    [{ after: Buffer.from("place:-1").toString("base64url") }, "after"],
    [{ after: Buffer.from("place:1; DROP").toString("base64url") }, "after"],
  ])("refuses %j", async (variables, field) => {
    const answer = await graphql(node, PAGE, { tag: TAG, ...variables }, user.token);
    expect([code(answer), fields(answer)]).toEqual(["INVALID", [field]]);
  });
});
