import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  print,
} from "graphql";
import { accessTable, signalboxSchema } from "../../../src/transports/graphql/schema";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { createParticipants } from "../../support/calls/participants";
import { HTTP_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { startNode, type TestNode } from "../../support/node";
import { p8 } from "../../support/push/push-credentials";
import { newUser } from "../../support/rest-client";
import { type Participants, PERMISSION_ROWS } from "../../support/security/permission-rows";
import { memberToken, ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** A support member gets a secret in no answer, with all fields of every operation selected. */

const schema = signalboxSchema();
const access = accessTable(schema);
const DEPTH = 6;

let node: TestNode;
let participants: Participants;
/** Secrets by what they are. */
const secrets: Record<string, string> = {};

beforeAll(async () => {
  // Documents that select everything are larger than those of clients.
  node = await startNode({
    GRAPHQL_MAX_COST: "10000000",
    GRAPHQL_MAX_TOKENS: "100000",
    GRAPHQL_MAX_DEPTH: "30",
  });
  participants = await createParticipants(node);
  // A live call, with which callChanges begins.
  await node.sql(
    "INSERT INTO calls (application_id, session_id, caller_id) VALUES ($1, 'a call', $2)",
    [node.application.id, participants.a.id],
  );
  const owner = await ownerToken(node);
  const applicationId = String(node.application.id);
  const change = async (name: string, input: object) => {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
    expect((await graphql(node, query, { input }, owner)).errors).toBeUndefined();
  };
  const facebook = { appId: "1", appSecret: "facebook-secret-of-the-app" };
  const twitter = { consumerKey: "k", consumerSecret: "twitter-secret-of-the-app" };
  const jwt = {
    algorithm: "HS256",
    subject: "LOGIN",
    secret: "the key of the JWTs of the backend",
  };
  await change("updateApplication", { applicationId, facebook, twitter, jwt });
  secrets["the key of JWTs"] = jwt.secret;
  const createApiKey = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }`;
  const input = { applicationId, name: "backend", scopes: ["SESSIONS"] };
  const apiKey = await graphql(node, createApiKey, { input }, owner);
  secrets["an API key"] = apiKey.data.createApiKey.key;
  secrets["the Facebook secret"] = facebook.appSecret;
  secrets["the Twitter secret"] = twitter.consumerSecret;
  const key = p8();
  const apns = { bundleId: "com.example.app", key, keyId: "ABCDEFGHIJ", teamId: "ABCDEFGHIJ" };
  await change("setPushCredentials", {
    applicationId,
    environment: "DEVELOPMENT",
    apns,
    skipCheck: true,
  });
  secrets["the key for Apple"] = key.split("\n")[1] ?? "";
  secrets["the previous auth secret"] = node.application.authSecret;
  await change("rotateSecret", { applicationId });
  const show = "query ($id: ID!) { application(id: $id) { authSecret } }";
  const { data } = await graphql(node, show, { id: applicationId }, owner);
  secrets["the auth secret"] = data.application.authSecret;
  secrets["the owner's token"] = owner;
  secrets["the owner's password"] = ownerCredentials(node).password;
  secrets["a user's token"] = participants.a.token;
  secrets["a guest link"] = participants.conference.secret;
  const user = await newUser(node);
  const hash = Buffer.from("the hash of an invitation").toString("hex");
  await node.sql("UPDATE account_invitations SET secret_hash = decode($1, 'hex')", [hash]);
  secrets["the hash of an invitation"] = hash;
  const hashes = await node.sql<{ hash: string }>(
    "SELECT password_hash AS hash FROM account_members UNION SELECT password_hash FROM users WHERE id = $1",
    [user.id],
  );
  for (const [index, row] of hashes.entries()) secrets[`password hash ${index}`] = row.hash;
});
afterAll(() => node.stop());

/**
 * A selection of all fields of a type, down to a depth.
 * @param listed whether it is in a list of applications, which have the fields there that read nothing by themselves
 */
function everything(type: GraphQLObjectType, depth: number, listed = false): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: fieldType, args }) => {
    const named = getNamedType(fieldType);
    const required = args.filter((arg) => String(arg.type).endsWith("!"));
    const given = required.map(
      (arg) => `${arg.name}: ${(ARGUMENTS[`${name}.${arg.name}`] ?? fail(name))()}`,
    );
    const call = given.length > 0 ? `${name}(${given.join(", ")})` : name;
    if (isLeafType(named)) return [call];
    if (depth === 0 || (listed && !SETTINGS.includes(name))) return [];
    const below = listed || name === "applications";
    const selection = isAbstractType(named)
      ? schema
          .getPossibleTypes(named)
          .map(
            (possible) => `... on ${possible.name} { ${everything(possible, depth - 1, below)} }`,
          )
          .join(" ")
      : isObjectType(named)
        ? everything(named, depth - 1, below)
        : "";
    return [`${call} { ${selection} }`];
  });
  return ["__typename", ...fields].join(" ");
}

/** The fields of applications in lists that have fields of their own. */
const SETTINGS = ["facebook", "twitter", "firebase"];

/** The required arguments of fields below the root, by field and argument. */
const ARGUMENTS: Record<string, () => string> = {
  "pushDeliveries.userId": () => `"${participants.a.id}"`,
  "pushRecipientCount.recipients": () => '{ environment: DEVELOPMENT, tagsAny: ["a"] }',
  "pushSubscriptions.userId": () => `"${participants.a.id}"`,
  "pushCredentials.environment": () => "DEVELOPMENT",
  "statistics.period": () => "DAY",
};
function fail(name: string): never {
  throw new Error(`${name} needs an argument that this test does not know`);
}

/** The document of an operation's row, with every field of its result. */
function whole(operation: string, depth = DEPTH): string {
  const { document = "" } = PERMISSION_ROWS[operation] ?? {};
  const definition = parse(document).definitions[0] as OperationDefinitionNode;
  const field = definition.selectionSet.selections[0] as FieldNode;
  const root = schema.getRootType(definition.operation)?.getFields()[field.name.value];
  const type = getNamedType(root?.type);
  const variables = (definition.variableDefinitions ?? []).filter(({ variable }) =>
    field.arguments?.some((argument) => print(argument).includes(`$${variable.name.value}`)),
  );
  const declared = variables.length > 0 ? `(${variables.map(print).join(", ")})` : "";
  const given = field.arguments?.length ? `(${field.arguments.map(print).join(", ")})` : "";
  const selection = isObjectType(type) ? `{ ${everything(type, depth)} }` : "";
  return `${definition.operation} ${declared} { ${field.name.value}${given} ${selection} }`;
}

const found = (answer: unknown) => {
  const text = JSON.stringify(answer);
  return Object.keys(secrets).filter((name) => text.includes(secrets[name] ?? ""));
};

const ALLOWED = [...access].flatMap(([name, { member }]) => (member === "support" ? [name] : []));
const OPERATIONS = ALLOWED.filter((name) => !name.startsWith("Subscription."));
const SUBSCRIPTIONS = ALLOWED.filter((name) => name.startsWith("Subscription."));

test("the operations that support may run are known", () => {
  expect(OPERATIONS).toEqual(
    expect.arrayContaining(["Query.account", "Query.application", "Query.currentMember"]),
  );
});

const CASES = OPERATIONS.flatMap((operation) =>
  Object.keys(HTTP_PROTOCOLS)
    .filter((protocol) => protocol !== "GraphQL by GET" || operation.startsWith("Query."))
    .map((protocol): [string, string] => [operation, protocol]),
);

test.each(CASES)("%s answers support without a secret, by %s", async (operation, protocol) => {
  const send = HTTP_PROTOCOLS[protocol];
  const token = await memberToken(node, "support");
  const variables = PERMISSION_ROWS[operation]?.variables(participants) ?? {};
  // A URL has a maximum length.
  const query = whole(operation, protocol === "GraphQL by GET" ? 1 : DEPTH);
  const answer = await send?.(node, query, variables, token);
  expect(answer?.errors).toBeUndefined();
  expect(found(answer)).toEqual([]);
});

test.each(OPERATIONS)("%s answers support without a secret, by WebSocket", async (operation) => {
  const socket = await openSocket(node, await memberToken(node, "support"));
  const variables = PERMISSION_ROWS[operation]?.variables(participants) ?? {};
  const answer = await socket.run(whole(operation), variables);
  expect(answer.errors).toBeUndefined();
  expect(found(answer)).toEqual([]);
  await socket.close();
});

test("the subscriptions of support are known", () => {
  expect(SUBSCRIPTIONS).toEqual(expect.arrayContaining(["Subscription.conferenceChanges"]));
});

test.each(SUBSCRIPTIONS)("%s sends support its first value without a secret", async (operation) => {
  const socket = await openSocket(node, await memberToken(node, "support"));
  const variables = PERMISSION_ROWS[operation]?.variables(participants) ?? {};
  const query = whole(operation);
  socket.send({ id: "1", type: "subscribe", payload: { query, variables } });
  const value = await socket.next();
  expect(value).toMatchObject({ type: "next", payload: { data: expect.anything() } });
  expect(value.payload.errors).toBeUndefined();
  expect(found(value)).toEqual([]);
  await socket.close();
});

test("developers and owners get the secret that support does not", async () => {
  const query = whole("Query.application");
  const variables = { id: String(node.application.id) };
  for (const role of ["developer", "owner"] as const) {
    const answer = await graphql(node, query, variables, await memberToken(node, role));
    expect(found(answer)).toEqual(["the auth secret"]);
  }
  const answer = await graphql(node, query, variables, await memberToken(node, "support"));
  expect(answer.data.application.authSecret).toBeNull();
});

test("the answer of signInMember shows secrets only if the new member may see them, whoever else asks", async () => {
  const { email, password } = ownerCredentials(node);
  await node.sql(
    `INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT account_id, 'support@example.com', password_hash, 'support' FROM account_members
      WHERE email = $1`,
    [email],
  );
  const query = whole("Mutation.signInMember");
  const other = await secondApplication(node);
  const tokens = [undefined, await ownerToken(node), await ownerToken(other)];
  for (const token of tokens) {
    const input = { email: "support@example.com", password };
    const answer = await graphql(node, query, { input }, token);
    expect(answer.errors).toBeUndefined();
    expect(found(answer)).toEqual([]);
  }
  const answer = await graphql(node, query, { input: { email, password } });
  // The spare application has the secret that the first one had.
  expect(found(answer).sort()).toEqual(["the auth secret", "the previous auth secret"]);
});
