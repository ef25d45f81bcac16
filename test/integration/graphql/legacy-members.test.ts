import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { HTTP_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** Clients of GraphQL neither use nor see the members that only REST documents use (`@Legacy`). */

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node);
});
afterAll(() => node.stop());

const DOCUMENTS = [
  ["{ usersPage { totalCount } }", 'Cannot query field "usersPage" on type "Query".'],
  ["{ users { offset } }", 'Cannot query field "offset" on type "UserConnection".'],
  ["{ users(offset: 1) { totalCount } }", 'Unknown argument "offset" on field "Query.users".'],
  ["{ currentSession { deviceId } }", 'Cannot query field "deviceId" on type "Session".'],
  ["query ($order: UserOrder) { __typename }", 'Unknown type "UserOrder".'],
] as const;

test.each(DOCUMENTS)("%s is refused over every protocol", async (document, message) => {
  const socket = await openSocket(node, user.token);
  const answers = [await socket.run(document)];
  for (const send of Object.values(HTTP_PROTOCOLS)) {
    answers.push(await send(node, document, {}, user.token));
  }
  for (const { data, errors } of answers) {
    expect(data ?? null).toBeNull();
    expect(errors?.[0].extensions.code).toBe("MALFORMED");
    expect(errors?.[0].message.startsWith(message.replace(/\.$/, ""))).toBe(true);
  }
  await socket.close();
});

const CREATE = "mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }";
const SEND =
  "mutation ($input: CreatePushEventInput!) { createPushEvent(input: $input) { events { id } } }";
const PUSH = { environment: "DEVELOPMENT", userIds: [] };

test.each([
  [CREATE, { login: "new", password: "correct horse", blobId: 1 }, "blobId", "CreateUserInput"],
  [SEND, { ...PUSH, message: { encoded: { text: "e30=" } } }, "encoded", "PushMessageInput"],
])("%s refuses the variable %j", async (document, input, field, type) => {
  // Interpreted at first, then compiled.
  for (let turn = 0; turn < 4; turn += 1) {
    const { errors } = await graphql(node, document, { input }, user.token);
    expect(errors?.[0].extensions.code).toBe("INVALID");
    expect(errors?.[0].message).toContain(`Field "${field}" is not defined by type "${type}"`);
  }
});

test("introspection and the text of the schema do not have them", async () => {
  const query = `{ page: __type(name: "UserPage") { name }
    user: __type(name: "User") { fields(includeDeprecated: true) { name } } }`;
  const { data } = await graphql(node, query, {}, user.token);
  expect(data.page).toBeNull();
  const fields = data.user.fields.map(({ name }: { name: string }) => name);
  expect(fields).toContain("externalId");
  expect(fields).not.toContain("externalUserId");
  const text = await (await fetch(`${node.baseUrl}/schema.graphql`)).text();
  expect(text).not.toContain("usersPage");
});

test("REST has them", async () => {
  const answer = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
  expect(answer.body.user).toMatchObject({ blob_id: null, external_user_id: null });
});
