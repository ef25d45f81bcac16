import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startApp } from "../../../src/app";
import { readConfig } from "../../../src/core/config";
import { openSealer } from "../../../src/domain/applications/secret-key";
import { unsealSettings } from "../../../src/domain/applications/settings";
import { graphql } from "../../../tools/graphql/graphql-http";
import { asTestNode, type TestNode } from "../../support/node";
import { type FreshDatabase, freshDatabase, hasServices } from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";
import { applicationToken, rest, signedParameters } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** Secrets in the database, and their re-encryption at the start. */

/** The key of a backend's JWTs. */
const JWT_SECRET = "secret of the backend, of 32 bytes";

let database: FreshDatabase;
let node: TestNode;
const environment = (more: Record<string, string> = {}) => ({
  ...FREE_PORTS,
  LOG_LEVEL: "silent",
  ...database.environment,
  ...more,
});
const start = async (more: Record<string, string> = {}): Promise<TestNode> => {
  const variables = environment(more);
  return asTestNode(await startApp(readConfig(variables)), variables, null, node);
};

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.remove());

const stored = async (): Promise<string> => {
  const [row] = await node.sql<{ auth_secret: string }>("SELECT auth_secret FROM applications");
  return row?.auth_secret ?? "";
};
const keyFile = () => join(database.environment.DATA_DIR ?? "", "secret.key");

it("the database contains no unencrypted secret of an application", async () => {
  node = await start();
  try {
    expect(await stored()).toMatch(/^sealed:/);
    expect(await stored()).not.toContain(node.application.authSecret);
    expect(await applicationToken(node)).toMatch(/^[\w-]{43}$/);
    if (!hasServices) expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  } finally {
    await node.app.close();
  }
});

it("an unencrypted secret of an earlier version is sealed at the next start and stays valid", async () => {
  node = await start();
  const secret = node.application.authSecret;
  await node.sql("UPDATE applications SET auth_secret = $1", [secret]);
  await node.app.close();
  node = await start();
  try {
    expect(await stored()).toMatch(/^sealed:/);
    const answer = await rest(node, "POST", "/session", { body: signedParameters(node) });
    expect(answer.status).toBe(201);
  } finally {
    await node.app.close();
  }
});

it("a new first key takes over, and the old one can then be removed", async () => {
  node = await start();
  const before = await stored();
  await node.app.close();
  const old = database.environment.SECRET_KEY ?? readFileSync(keyFile(), "utf8").trim();
  const fresh = randomBytes(32).toString("base64");
  for (const keys of [`${fresh},${old}`, fresh]) {
    node = await start({ SECRET_KEY: keys });
    expect(await stored()).not.toBe(before);
    expect(await applicationToken(node)).toMatch(/^[\w-]{43}$/);
    await node.app.close();
  }
});

it("the secrets of providers are sealed, and move to a new key with the others", async () => {
  node = await start();
  const token = await ownerToken(node);
  const applicationId = String(node.application.id);
  const { data } = await graphql(
    node,
    `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) {
      application { facebook { appSecretSet } twitter { consumerSecretSet } jwt { secretSet } } } }`,
    {
      input: {
        applicationId,
        facebook: { appId: "1", appSecret: "secret of facebook" },
        twitter: { consumerKey: "2", consumerSecret: "secret of twitter" },
        jwt: { algorithm: "HS256", subject: "LOGIN", secret: JWT_SECRET },
      },
    },
    token,
  );
  expect(data.updateApplication.application).toEqual({
    facebook: { appSecretSet: true },
    twitter: { consumerSecretSet: true },
    jwt: { secretSet: true },
  });
  const ofRow = async () => {
    const [row] = await node.sql<{ settings: Record<string, Record<string, string>> }>(
      "SELECT settings FROM applications",
    );
    return row?.settings ?? {};
  };
  const sealed = async () => {
    const { facebook, twitter, jwt } = await ofRow();
    return [facebook?.appSecret ?? "", twitter?.consumerSecret ?? "", jwt?.secret ?? ""];
  };
  // Unencrypted settings of an earlier version, and settings of another module.
  await node.sql(
    `UPDATE applications SET settings = settings || '{"push":{"appSecret":"as it is"}}'
      || jsonb_build_object('twitter', settings->'twitter' || '{"consumerSecret":"in clear"}')`,
  );
  await node.app.close();
  const old = database.environment.SECRET_KEY ?? readFileSync(keyFile(), "utf8").trim();
  const fresh = randomBytes(32).toString("base64");
  const seen = [await sealedAfter(old), await sealedAfter(`${fresh},${old}`)];
  seen.push(await sealedAfter(fresh));
  expect(seen.flat().filter((text) => !text.startsWith("sealed:"))).toEqual([]);
  const [before, after, later] = seen;
  expect(before?.filter((text) => after?.includes(text))).toEqual([]);
  expect(later).toEqual(after);

  async function sealedAfter(keys: string): Promise<string[]> {
    node = await start({ SECRET_KEY: keys });
    try {
      const opened = unsealSettings(await ofRow(), await openSealer(readConfig(node.environment)));
      expect(opened.facebook?.appSecret).toBe("secret of facebook");
      expect(opened.twitter?.consumerSecret).toBe("in clear");
      expect(opened.jwt?.secret).toBe(JWT_SECRET);
      expect((await ofRow()).push).toEqual({ appSecret: "as it is" });
      return await sealed();
    } finally {
      await node.app.close();
    }
  }
});

it("deployments share no secrets", async () => {
  const other = await freshDatabase();
  const secretsOf = async (of: FreshDatabase) => {
    // On PostgreSQL the operator supplies the key.
    const key = hasServices ? randomBytes(32).toString("base64") : "";
    const app = await startApp(readConfig(environment({ ...of.environment, SECRET_KEY: key })));
    await app.close();
    const read = (name: string) => readFileSync(join(of.environment.DATA_DIR ?? "", name), "utf8");
    const { auth_key, auth_secret, account_key } = JSON.parse(read("credentials.json"));
    const { password } = JSON.parse(read("owner.json"));
    const made = [auth_key, auth_secret, account_key, password];
    return hasServices ? made : [...made, read("secret.key")];
  };
  try {
    const [one, two] = [await secretsOf(database), await secretsOf(other)];
    expect(one.filter((secret) => secret.length < 16)).toEqual([]);
    expect(new Set([...one, ...two]).size).toBe(one.length + two.length);
  } finally {
    await other.remove();
  }
});

it("a node does not start with a wrong key, or with a key file without a key", async () => {
  node = await start();
  await node.app.close();
  const other = { SECRET_KEY: randomBytes(32).toString("hex") };
  await expect(start(other)).rejects.toThrow(/encrypted with another key/);
  if (hasServices) return;
  writeFileSync(keyFile(), "nothing\n");
  await expect(start()).rejects.toThrow(/does not contain a key/);
  rmSync(keyFile());
  await expect(start()).rejects.toThrow(/encrypted with another key/);
});
