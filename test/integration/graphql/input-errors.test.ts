import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** Errors about variables and arguments say what was expected, and nothing of the value. */

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node);
});
afterAll(() => node.stop());

const UPDATE = "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }";
const USER = "query ($by: UserKey!) { user(by: $by) { id } }";
const EVENT =
  "mutation ($input: CreatePushEventInput!) { createPushEvent(input: $input) { events { id } } }";
const REJECT = "mutation ($input: RejectCallInput!) { rejectCall(input: $input) { callId } }";
const USERS = "query ($first: Int) { users(filter: {}, first: $first) { totalCount } }";
const FILTERED = "query ($filter: UserFilter) { users(filter: $filter) { totalCount } }";
const OWN = { environment: "DEVELOPMENT", message: { notification: { title: "secret" } } };
const PLATFORM = { channel: "GCM", payload: {} };

const CASES: Array<[query: string, variables: object, message: string]> = [
  [
    UPDATE,
    { input: { id: "1", timezone: "secret" } },
    'Variable "$input" got invalid value at "input.timezone"; Expected type "Int": an integer of 32 bits',
  ],
  [
    UPDATE,
    { input: { id: "1", password: ["secret"] } },
    'Variable "$input" got invalid value at "input.password"; Expected type "String": a string',
  ],
  [
    UPDATE,
    { input: { password: "secret" } },
    'Variable "$input" got invalid value; Field "id" of required type "ID!" was not provided.',
  ],
  [
    FILTERED,
    { filter: { id: { eq: "secret" } } },
    'Variable "$filter" got invalid value at "filter.id.eq"; Expected type "SafeInt": an integer from -(2^53 - 1) to 2^53 - 1',
  ],
  [UPDATE, {}, 'Variable "$input" of required type "UpdateUserInput!" was not provided.'],
  [
    USER,
    { by: {} },
    'Variable "$by" got invalid value; Exactly one key must be specified for OneOf type "UserKey".',
  ],
  [
    USER,
    { by: { id: null } },
    'Variable "$by" got invalid value at "by.id"; Field "id" must be non-null.',
  ],
  [
    USER,
    { by: { id: { secret: 1 } } },
    'Variable "$by" got invalid value at "by.id"; Expected type "ID": a string or an integer',
  ],
  [
    EVENT,
    { input: { ...OWN, environment: "secret" } },
    'Variable "$input" got invalid value at "input.environment"; Expected a value of the enum "PushEnvironment"',
  ],
  [
    EVENT,
    { input: { ...OWN, date: "secret" } },
    'Variable "$input" got invalid value at "input.date"; Expected type "DateTime": a time in ISO 8601 or in Unix seconds, from 1970 to 9999',
  ],
  [
    EVENT,
    { input: { ...OWN, message: { notification: { badge: 1 }, platform: PLATFORM } } },
    'Variable "$input" got invalid value at "input.message"; Exactly one key must be specified for OneOf type "PushMessageInput".',
  ],
  [
    EVENT,
    { input: { ...OWN, message: { notification: { apple: { data: "secret" } } } } },
    'Variable "$input" got invalid value at "input.message.notification.apple.data"; Expected type "JSONObject": an object',
  ],
  [
    REJECT,
    { input: { recipientId: "1", callId: "c", userInfo: "secret" } },
    'Variable "$input" got invalid value at "input.userInfo"; Expected type "JSONObject": an object',
  ],
  [
    USERS,
    { first: "secret" },
    'Variable "$first" got invalid value; Expected type "Int": an integer of 32 bits',
  ],
];

test.each(CASES)("%s with %j", async (query, variables, message) => {
  const socket = await openSocket(node, user.token);
  // Interpreted at first, then compiled if possible: both say the same.
  for (let turn = 0; turn < 4; turn += 1) {
    for (const { data, errors } of [
      await graphql(node, query, { ...variables }, user.token),
      await socket.run(query, { ...variables }),
    ]) {
      expect(data ?? null).toBeNull();
      expect(errors?.map((error) => [error.message, error.extensions])).toEqual([
        [message, { code: "INVALID" }],
      ]);
    }
  }
  await socket.close();
});

test("an argument that is null is named with its type", async () => {
  const query = 'query ($id: ID = "x") { conference(id: $id) { id } }';
  const { errors } = await graphql(node, query, { id: null }, user.token);
  expect([errors?.[0].message, errors?.[0].extensions]).toEqual([
    'Argument "id" of type "ID!" is required and must not be null',
    { code: "INVALID" },
  ]);
});

test("an operation that is refused for its variables has no effect, and then runs with others", async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    const fullName = `turn ${turn}`;
    const wrong = { id: String(user.id), fullName: "secret", timezone: 1.5 };
    expect((await graphql(node, UPDATE, { input: wrong }, user.token)).errors).toHaveLength(1);
    const right = { id: String(user.id), fullName };
    expect((await graphql(node, UPDATE, { input: right }, user.token)).errors).toBeUndefined();
    const { body } = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
    expect(body.user.full_name).toBe(fullName);
  }
});
