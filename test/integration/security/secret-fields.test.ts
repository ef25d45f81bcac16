import { getNamedType, isLeafType, isObjectType } from "graphql";
import { LEGACY_FIELDS, LEGACY_OPERATORS } from "../../../src/domain/users/lists/legacy-filter";
import { USER_LIST_FIELDS } from "../../../src/domain/users/lists/user-filter";
import { signalboxSchema } from "../../../src/transports/graphql/schema";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/**
 * No answer, order, error or event depends on the value of a secret: all requests run twice, with different
 * secrets in the database, which would change the result of any comparison with them.
 */

const NAMES = ["spy-anna", "spy-ben", "spy-carl"];
/** Names of secrets in the database, in inputs or elsewhere. */
const SECRETS = [
  "password",
  "password_hash",
  "passwordHash",
  "old_password",
  "token",
  "token_hash",
  "tokenHash",
  "binding_code",
  "binding_code_hash",
  "auth_secret",
  "authSecret",
  "settings",
  "login_key",
  "guest_until",
  "identities",
  "sessions",
  "u.password_hash",
  "password_hash DESC",
];

const schema = signalboxSchema();
let node: TestNode;
let asker: TestUser;
let sender: TestUser;
let owner: string;
let ids: number[];

beforeAll(async () => {
  node = await startNode({}, WITHOUT_POLLING);
  await node.sql("UPDATE applications SET v1_list_disabled = false");
  asker = await newUser(node);
  sender = await newUser(node);
  owner = await ownerToken(node);
  ids = [];
  for (const name of NAMES) {
    const [row] = await node.sql<{ id: number }>(
      `INSERT INTO users (application_id, login, login_key, email, email_key, created_at, updated_at)
        VALUES ($1, $2, $2, $3, $3, '2020-01-01', '2020-01-01') RETURNING id`,
      [node.application.id, name, `${name}@example.com`],
    );
    ids.push(row?.id ?? 0);
  }
  await setSecrets(["a", "m", "z"]);
});
afterAll(() => node.stop());

/** Sets new secrets of the three users, which start with these letters. */
async function setSecrets(letters: string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const secret = `${letters[index]}-secret-of-${id}`;
    await node.sql("UPDATE users SET password_hash = $2 WHERE id = $1", [id, secret]);
    for (const table of ["sessions", "password_resets", "identities"]) {
      await node.sql(`DELETE FROM ${table} WHERE user_id = $1`, [id]);
    }
    await node.sql(
      `INSERT INTO sessions (id, application_id, user_id, token_hash, binding_code_hash, nonce, ts,
          expires_at, last_activity_at, created_at, updated_at)
        VALUES (900000 + $1::bigint, $2, $1, convert_to($3, 'UTF8'), convert_to($3, 'UTF8'), 1, 1,
          '2099-01-01', '2020-01-01', '2020-01-01', '2020-01-01')`,
      [id, node.application.id, secret],
    );
    await node.sql(
      `INSERT INTO password_resets (user_id, token_hash, expires_at)
        VALUES ($1, convert_to($2, 'UTF8'), '2099-01-01')`,
      [id, secret],
    );
    await node.sql(
      `INSERT INTO identities (application_id, user_id, provider, subject)
        VALUES ($1, $2, 'facebook', $3)`,
      [node.application.id, id, secret],
    );
  }
  const [letter] = letters;
  await node.sql(
    `UPDATE applications SET settings = jsonb_build_object('facebook',
        jsonb_build_object('appId', '1', 'appSecret', $1::text))`,
    [`${letter}-secret`],
  );
  await node.sql("UPDATE account_members SET password_hash = $1", [`${letter}-secret`]);
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const among = NAMES.map((name) => `login[in][]=${name}`).join("&");
const get = async (path: string) => {
  const { status, body } = await rest(node, "GET", path, { token: asker.token });
  return { path, status, body };
};
const ask = async (query: string, token: string, variables = {}) => {
  const { data, errors } = await graphql(node, query, variables, token);
  return { query, data, errors };
};
/** The scalar and enum fields of a type, as a selection. */
const leavesOf = (name: string) => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is no object`);
  const fields = Object.values(type.getFields());
  return fields.flatMap((field) => (isLeafType(getNamedType(field.type)) ? [field.name] : []));
};

/** All answers about the three users that a session and an owner can get, also by the names of secrets. */
async function allAnswers(): Promise<unknown[]> {
  const answers: unknown[] = [];
  const user = leavesOf("User").join(" ");
  for (const field of [...Object.keys(USER_LIST_FIELDS).map(snake), ...SECRETS]) {
    for (const order of ["sort_asc", "sort_desc"]) {
      answers.push(await get(`/users/v2?${among}&${order}=${encodeURIComponent(field)}`));
    }
    for (const operator of ["eq", "gt", "start_with", "nin"]) {
      answers.push(
        await get(`/users/v2?${among}&${encodeURIComponent(field)}[${operator}]=m-secret`),
      );
    }
  }
  for (const field of [...Object.keys(LEGACY_FIELDS).map(snake), ...SECRETS]) {
    const scope = "filter[]=string+login+in+spy-anna,spy-ben,spy-carl";
    const name = encodeURIComponent(field);
    for (const order of ["asc", "desc"]) {
      answers.push(await get(`/users?${scope}&order=${order}+string+${name}`));
    }
    for (const operator of LEGACY_OPERATORS) {
      answers.push(await get(`/users?${scope}&filter[]=string+${name}+${operator}+m-secret`));
    }
  }
  for (const id of ids) {
    answers.push(await get(`/users/${id}`));
    answers.push(await ask(`{ user(by: { id: "${id}" }) { ${user} } }`, asker.token));
    for (const secret of SECRETS) {
      answers.push(await ask(`{ user(by: { id: "${id}" }) { ${secret} } }`, asker.token));
    }
  }
  for (const secret of SECRETS.filter((name) => /^\w+$/.test(name))) {
    const upper = snake(secret).toUpperCase();
    answers.push(
      await ask(
        `{ users(filter: { login: { in: ${JSON.stringify(NAMES)} } }, sort: { field: ${upper}, direction: ASC }) { nodes { login } } }`,
        asker.token,
      ),
      await ask(`{ users(filter: { ${secret}: { eq: "m" } }) { nodes { login } } }`, asker.token),
    );
  }
  for (const search of ["spy", "a-secret", "m-secret", "z-secret"]) {
    answers.push(
      await ask(
        `query ($search: String, $id: ID!) {
          account { ${leavesOf("Account").join(" ")}
            applications { ${leavesOf("Application").join(" ")} } }
          application(id: $id) { ${leavesOf("Application").join(" ")}
            facebook { ${leavesOf("FacebookSettings").join(" ")} }
            users(search: $search) { totalCount nodes { ${user} } } } }`,
        owner,
        { search, id: String(node.application.id) },
      ),
    );
  }
  answers.push(await sessionsOfThree(), await receivedSignal());
  return answers;
}

/** The sessions of the three users in the owner's list. Those of the clients change with every request. */
async function sessionsOfThree() {
  const { data, errors } = await ask(
    `query ($id: ID!) { application(id: $id) {
      sessions { nodes { ${leavesOf("SessionEntry").join(" ")} } } } }`,
    owner,
    { id: String(node.application.id) },
  );
  if (errors) throw new Error(JSON.stringify(errors));
  const { nodes } = data.application.sessions;
  return nodes.filter(({ userId }: { userId: string }) => ids.includes(Number(userId)));
}

/** The event that a subscriber receives for a signal of another user. */
async function receivedSignal() {
  const socket = await openSocket(node, asker.token);
  const signals = await socket.listen("s", asker.id);
  const query = "mutation ($i: SendSignalInput!) { sendSignal(input: $i) { id } }";
  const i = { to: { userId: asker.id }, id: "fixed", signal: { hangUp: { callId: "s" } } };
  await ask(query, sender.token, { i });
  const [signal] = await eventually(signals, ({ length }) => length > 0);
  await socket.close();
  return signal;
}

test("no answer or event depends on the value of a secret", async () => {
  const first = await allAnswers();
  await setSecrets(["z", "m", "a"]);
  const second = await allAnswers();
  expect(second).toEqual(first);
  // The requests were answered, in the order of the names.
  const text = JSON.stringify(first);
  for (const name of NAMES) expect(text).toContain(name);
  const results = first as Array<{ status?: number; data?: unknown }>;
  expect(results.filter(({ status }) => status === 200).length).toBeGreaterThan(100);
  expect(results.filter(({ status }) => (status ?? 0) >= 500)).toEqual([]);
  expect(text).not.toMatch(/[amz]-secret-of|"z-secret"/);
});

test("names of secrets are refused like any unknown field", async () => {
  for (const secret of SECRETS) {
    const name = encodeURIComponent(secret);
    const other = "no_such_field";
    for (const path of [
      (field: string) => `/users/v2?${among}&sort_asc=${field}`,
      (field: string) => `/users/v2?${among}&${field}=x`,
      (field: string) => `/users?filter[]=string+${field}+eq+x`,
      (field: string) => `/users?order=asc+string+${field}`,
    ]) {
      const [asked, wanted] = [await get(path(name)), await get(path(other))];
      expect([secret, asked.status]).toEqual([secret, 422]);
      expect(JSON.stringify(asked.body).replaceAll(secret, other)).toBe(
        JSON.stringify(wanted.body),
      );
    }
  }
});
