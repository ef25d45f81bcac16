import { type ApolloClient, gql } from "@apollo/client";
import { type Client, gql as urqlGql } from "@urql/core";
import { startNode, type TestNode } from "../../support/node";
import { loadPrinted } from "../../support/printed-code";
import {
  type ClientConnection,
  clientConnection,
  type RecipeConnection,
} from "../../support/published-clients/connection";
import { recordRequests } from "../../support/published-clients/recorded-requests";
import { newUser, type TestUser } from "../../support/rest-client";

/** The caches of Apollo Client and urql work with the ids and type names of the schema. */

const OWN = "query Own { currentSession { id user { id fullName } } }";
const USER = "query User($id: ID!) { user(by: { id: $id }) { id fullName } }";
const RENAME = `mutation Rename($input: UpdateUserInput!) {
  updateUser(input: $input) { user { id fullName } }
}`;

interface User {
  user: { fullName: string };
}
interface Own {
  currentSession: User;
}

let node: TestNode;
let ann: TestUser;
let connection: ClientConnection;
beforeAll(async () => {
  node = await startNode();
  ann = await newUser(node, { full_name: "Ann" });
  connection = clientConnection(node.baseUrl, ann.token);
  // Its first use reads the session.
  await connection.session.current();
});
afterAll(async () => {
  connection?.close();
  await node?.stop();
});

test("Apollo Client updates every query that shows a user by a mutation's result", async () => {
  const { openApollo } = loadPrinted<{
    openApollo(connection: RecipeConnection): ApolloClient;
  }>("apollo.ts");
  const client = openApollo(connection);
  const variables = { id: String(ann.id) };
  const read = async () => [
    (await client.query<Own>({ query: gql(OWN) })).data?.currentSession.user.fullName,
    (await client.query<User>({ query: gql(USER), variables })).data?.user.fullName,
  ];
  expect(await read()).toEqual(["Ann", "Ann"]);
  const input = { id: String(ann.id), fullName: "Anna" };
  const requests = await recordRequests(async () => {
    await client.mutate({ mutation: gql(RENAME), variables: { input } });
    expect(await read()).toEqual(["Anna", "Anna"]);
  });
  // The queries are answered by the cache. The one request is no batch, and asks for the type names.
  expect(requests.map(({ body }) => JSON.parse(body).query)).toEqual([
    expect.stringMatching(/user \{\s+id\s+fullName\s+__typename/),
  ]);
  client.stop();
});

test("urql reads again what a mutation changed, by the type names of its result", async () => {
  const { openUrql } = loadPrinted<{ openUrql(connection: RecipeConnection): Client }>("urql.ts");
  const client = openUrql(connection);
  const read = async () => (await client.query(urqlGql(OWN), {})).data.currentSession.user.fullName;
  const before = await read();
  const input = { id: String(ann.id), fullName: `${before} Gray` };
  const requests = await recordRequests(async () => {
    expect(await read()).toBe(before);
    await client.mutation(urqlGql(RENAME), { input });
    expect(await read()).toBe(`${before} Gray`);
  });
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
});
