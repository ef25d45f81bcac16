import { USER_LIST_FIELDS } from "../../../src/domain/users/lists/user-filter";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser, waitForActivity } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

/** Pages of the user list by cursors (keyset pagination). */

const TAG = "paged";
const PAGE = `query ($filter: UserFilter, $sort: UserSort, $first: Int, $after: String, $last: Int,
    $before: String) {
  users(filter: $filter, sort: $sort, first: $first, after: $after, last: $last, before: $before) {
    totalCount nodes { databaseId } edges { cursor node { databaseId } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const FILTER = { userTags: { eq: TAG } };

interface Connection {
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

let node: TestNode;
let viewer: TestUser;
const ids: number[] = [];

beforeAll(async () => {
  node = await startNode();
  viewer = await newUser(node);
  // Values with ties, users without a value, and texts that PostgreSQL and JavaScript order differently.
  const names = ["Zoë", "zoe", null, "Zoë", "Ana", null, "ana", "'", "Ana"];
  for (const [index, name] of names.entries()) {
    const user = await newUser(node, {
      tag_list: `${TAG},${index % 2 ? "b" : "a"}`,
      ...(name !== null && { full_name: name, phone: name, facebook_id: name, twitter_id: name }),
      ...(index % 3 === 0 && { external_id: `e${index}`, email: `p${index}@mail.example` }),
    });
    ids.push(user.id);
  }
  // Activity is written some seconds later, and would change the order.
  await waitForActivity(node);
  await node.sql(
    "UPDATE users SET created_at = timestamptz '2026-01-01 00:00:00.5+00' + (id % 3) * interval '1 day', last_request_at = CASE WHEN id % 2 = 0 THEN timestamptz '2026-01-01 10:00:00.25+00' END WHERE id = ANY($1::bigint[])",
    [ids],
  );
});
afterAll(() => node.stop());

async function page(variables: object): Promise<Connection> {
  const { data, errors } = await graphql(
    node,
    PAGE,
    { filter: FILTER, ...variables },
    viewer.token,
  );
  expect(errors).toBeUndefined();
  return data.users;
}

const idsOf = ({ nodes }: Connection) => nodes.map(({ databaseId }) => databaseId);

async function refusal(variables: object) {
  const { errors } = await graphql(node, PAGE, { filter: FILTER, ...variables }, viewer.token);
  const { code, fields = {} } = errors?.[0]?.extensions ?? {};
  return [code, Object.keys(fields)];
}

const name = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
const ORDERS = Object.keys(USER_LIST_FIELDS).flatMap((field) =>
  ["asc", "desc"].map((direction): [string, object] => [
    `${field} ${direction}`,
    { [direction]: name(field) },
  ]),
);

describe.each([["no order", undefined], ...ORDERS] as Array<
  [string, object | undefined]
>)("by %s", (_order, sort) => {
  it("pages forward and backward, each user once, in the order of the whole list", async () => {
    const all = await page({ sort });
    expect(idsOf(all).toSorted((a, b) => a - b)).toEqual(ids);
    expect(all.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const forward: number[] = [];
    for (let after: string | null = null; ; ) {
      const found: Connection = await page({ sort, first: 2, after });
      expect(found.totalCount).toBe(ids.length);
      expect(found.pageInfo.hasPreviousPage).toBe(after !== null);
      forward.push(...idsOf(found));
      after = found.pageInfo.endCursor;
      if (!found.pageInfo.hasNextPage) break;
    }
    expect(forward).toEqual(idsOf(all));
    const backward: number[] = [];
    for (let before: string | null = null; ; ) {
      const found: Connection = await page({ sort, last: 2, before });
      expect(found.pageInfo.hasNextPage).toBe(before !== null);
      backward.unshift(...idsOf(found));
      before = found.pageInfo.startCursor;
      if (!found.pageInfo.hasPreviousPage) break;
    }
    expect(backward).toEqual(idsOf(all));
    const [second, , , fifth] = all.edges.slice(1);
    const between = { sort, after: second?.cursor, before: fifth?.cursor };
    expect(idsOf(await page(between))).toEqual(idsOf(all).slice(2, 4));
  });
});

describe("a page", () => {
  it("skips nobody when a user before it is deleted, and repeats nobody when one is added", async () => {
    const tag = "moving";
    const filter = { userTags: { eq: tag } };
    const users = [];
    for (let count = 0; count < 6; count++) users.push(await newUser(node, { tag_list: tag }));
    for (const sort of [undefined, { asc: "CREATED_AT" }]) {
      const first = await page({ filter, sort, first: 3 });
      const [gone] = first.nodes;
      await node.sql("DELETE FROM users WHERE id = $1", [gone?.databaseId]);
      await newUser(node, { tag_list: tag });
      const rest = await page({ filter, sort, after: first.pageInfo.endCursor });
      const current = await page({ filter, sort });
      expect(idsOf(rest)).toEqual(idsOf(current).slice(2));
    }
  });

  it("goes on after the place of a user who was deleted", async () => {
    const tag = "deleted";
    const filter = { userTags: { eq: tag } };
    const users = [];
    for (let count = 0; count < 3; count++) users.push(await newUser(node, { tag_list: tag }));
    const { edges } = await page({ filter });
    await node.sql("DELETE FROM users WHERE id = $1", [users[1]?.id]);
    expect(idsOf(await page({ filter, after: edges[1]?.cursor }))).toEqual([users[2]?.id]);
  });

  const cursor = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
  it.each<[what: string, variables: object, field: string]>([
    ["of no users", { first: 0 }, "first"],
    ["of less than no users", { last: -1 }, "last"],
    ["from both ends", { first: 1, last: 1 }, "last"],
    ["after nonsense", { after: "nonsense" }, "after"],
    ["before an empty cursor", { before: "" }, "before"],
    ["after a cursor of another order", { after: cursor(["login asc", 1, "x"]) }, "after"],
    ["after a cursor of the other direction", { after: cursor(["id desc", 1, null]) }, "after"],
    ["after a cursor with a wrong id", { after: cursor(["id asc", "1", null]) }, "after"],
    ["after a cursor with no id", { after: cursor(["id asc", -1, null]) }, "after"],
    [
      "after a text that cannot be stored",
      { sort: { asc: "LOGIN" }, after: cursor(["login asc", 1, "a\u0000b"]) },
      "after",
    ],
    [
      "after a time that is none",
      {
        sort: { asc: "CREATED_AT" },
        after: cursor(["createdAt asc", 1, "2026-13-01 00:00:00+00"]),
      },
      "after",
    ],
    [
      "after a number as a time",
      { sort: { asc: "CREATED_AT" }, after: cursor(["createdAt asc", 1, 7]) },
      "after",
    ],
    [
      "after no time, in a list by a time that every user has",
      { sort: { asc: "CREATED_AT" }, after: cursor(["createdAt asc", 1, null]) },
      "after",
    ],
  ])("%s is refused", async (_what, variables, field) => {
    expect(await refusal(variables)).toEqual(["INVALID", [field]]);
  });

  it.each(["asc", "desc"])("is empty between cursors in the wrong order: %s", async (direction) => {
    const sort = { [direction]: "FULL_NAME" };
    const { startCursor: before, endCursor: after } = (await page({ sort })).pageInfo;
    for (const size of [{ first: 5 }, { last: 5 }]) {
      const found = await page({ sort, ...size, after, before });
      expect([found.totalCount, idsOf(found)]).toEqual([ids.length, []]);
    }
  });

  it("takes the first day after a day that does not exist", async () => {
    const after = cursor(["createdAt asc", 1, "2026-02-30 00:00:00+00"]);
    expect((await page({ sort: { asc: "CREATED_AT" }, after })).nodes).toEqual([]);
  });
});

describe("a list without a filter", () => {
  const list = (first = 2, after: string | null = null) =>
    graphql(
      node,
      `query ($first: Int, $after: String) {
        users(first: $first, after: $after) { nodes { databaseId } pageInfo { endCursor hasNextPage } }
      }`,
      { first, after },
      viewer.token,
    );
  const allow = (disabled: boolean) =>
    node.sql("UPDATE applications SET v1_list_disabled = $1 WHERE id = $2", [
      disabled,
      node.application.id,
    ]);

  it("is refused where the application's settings disable the V1 list", async () => {
    await allow(true);
    const { errors } = await list();
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^Listing users without a filter is disabled/),
      extensions: { code: "FORBIDDEN" },
    });
  });

  it("has every user of the application, and of no other", async () => {
    await allow(false);
    try {
      const other = await secondApplication(node);
      await newUser(other);
      const seen: number[] = [];
      for (let after: string | null = null; ; ) {
        const { data, errors } = await list(2, after);
        expect(errors).toBeUndefined();
        const found: Connection = data.users;
        seen.push(...idsOf(found));
        after = found.pageInfo.endCursor;
        if (!found.pageInfo.hasNextPage) break;
      }
      const rows = await node.sql<{ id: number }>(
        "SELECT id FROM users WHERE application_id = $1 ORDER BY id",
        [node.application.id],
      );
      expect(seen).toEqual(rows.map(({ id }) => id));
    } finally {
      await allow(true);
    }
  });
});
