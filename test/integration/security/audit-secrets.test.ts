import { accessTable, signalboxSchema } from "../../../src/transports/graphql/schema";
import { graphql } from "../../../tools/graphql/graphql-http";
import { inputPaths, withValue } from "../../../tools/hostile-values";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { newUser } from "../../support/rest-client";
import { PERMISSION_ROWS } from "../../support/security/permission-rows";
import { type TextInput, textInputs } from "../../support/security/text-inputs";
import { openWorld, type World } from "../../support/security/world";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/**
 * The audit log has no secrets: each text of each owners' mutation is one, alone and in an input that is valid
 * otherwise, and then every column of the table is searched.
 */

const schema = signalboxSchema();
const access = accessTable(schema);
const isAudited = (name: string) =>
  name.startsWith("Mutation.") && (access.get(name)?.member ?? null) !== null;
const MUTATIONS = [...access.keys()].filter(isAudited);
/** Public mutations that act for a member. */
const PUBLIC = ["Mutation.acceptInvitation", "Mutation.signInMember"];
const inputs = textInputs(schema)
  .filter(({ name }) => {
    const [operation = ""] = name.split(":");
    return isAudited(operation) || PUBLIC.includes(operation);
  })
  .map((input): [string, TextInput] => [input.name, input]);

/** Texts that the log has, as the inputs declare (`@Audited`). */
const DECLARED = [
  "Mutation.createApiKey: input.name",
  "Mutation.createApplication: input.name",
  "Mutation.inviteMember: input.email",
  "Mutation.setPushCredentials: input.apns.baseUrl",
  "Mutation.setPushCredentials: input.apns.bundleId",
  "Mutation.setPushCredentials: input.apns.keyId",
  "Mutation.setPushCredentials: input.apns.teamId",
  "Mutation.setPushCredentials: input.fcm.baseUrl",
  "Mutation.updateAccount: input.name",
  "Mutation.updateApplication: input.facebook.appId",
  "Mutation.updateApplication: input.facebook.baseUrl",
  "Mutation.updateApplication: input.facebook.version",
  "Mutation.updateApplication: input.firebase.keysUrl",
  "Mutation.updateApplication: input.firebase.projectId",
  "Mutation.updateApplication: input.jwt.jwksUrl",
  "Mutation.updateApplication: input.name",
  "Mutation.updateApplication: input.twitter.baseUrl",
  "Mutation.updateApplication: input.webOrigins.0",
  "Mutation.updateCurrentMember: input.email",
];

let node: TestNode;
let world: World;
let count = 0;
beforeAll(async () => {
  node = await startNode({}, WITHOUT_POLLING);
  world = await openWorld(node, await secondApplication(node), await newUser(node));
});
afterAll(() => node.stop());

/** Id of the last entry. */
async function lastEntry(): Promise<number> {
  const [row] = await node.sql<{ id: number }>("SELECT max(id)::int AS id FROM audit_entries");
  return row?.id ?? 0;
}

/** Number of entries after one, and of all entries with a text in any column. */
async function search(text: string, after = 0): Promise<{ entries: number; found: number }> {
  const [row] = await node.sql<{ entries: number; found: number }>(
    `SELECT count(*) FILTER (WHERE id > $2)::int AS entries,
        count(*) FILTER (WHERE strpos(lower(to_jsonb(e)::text), lower($1)) > 0)::int AS found
      FROM audit_entries e`,
    [text, after],
  );
  return row ?? { entries: 0, found: 0 };
}

const found = new Set<string>();

test.each(inputs)("%s", async (name, { document, variables }) => {
  const secret = `KeptSecret${++count}x`;
  const last = await lastEntry();
  // A preview leaves no entry.
  const given = { ...variables(secret), dryRun: false };
  await graphql(node, document, given, await ownerToken(node));
  const after = await search(secret, last);
  const isPublic = PUBLIC.some((each) => name.startsWith(each));
  // A sign-in with an unknown e-mail address belongs to no account.
  expect(after.entries).toBe(isPublic ? 0 : 1);
  if (after.found > 0) found.add(name);
});

test("exactly the declared texts were found", () => {
  expect([...found].sort()).toEqual(DECLARED);
});

describe.each(MUTATIONS)("%s", (name) => {
  test("has no secret that is given with valid fields", async () => {
    const row = PERMISSION_ROWS[name];
    if (!row) throw new Error(`${name} has no row`);
    const participants = await world.participants({
      owner: ownerCredentials(node),
      resetToken: () => "no link",
    });
    const own = () => ownerToken(node);
    for (const place of inputPaths(schema, row.document)) {
      const path = `${name}: ${place.join(".")}`;
      if (DECLARED.includes(path)) continue;
      world.count += 1;
      const secret = `KeptSecret${++count}x`;
      const variables = withValue(row.variables(participants), place, secret);
      await graphql(node, row.document, variables, await own());
      expect([path, (await search(secret)).found]).toEqual([path, 0]);
    }
  });
});

test("has no key and no secret of the account itself, which results have", async () => {
  const { authSecret, accountKey } = node.application;
  for (const secret of [authSecret, accountKey, ownerCredentials(node).password]) {
    const { entries, found: hits } = await search(secret);
    expect([entries > MUTATIONS.length, hits]).toEqual([true, 0]);
  }
});
