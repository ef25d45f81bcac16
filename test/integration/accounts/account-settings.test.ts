import { freePort } from "../../../scripts/services/binaries";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const REFUSED = { errors: { base: ["The account key is not valid"] } };

let node: TestNode;
beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: "chat.example", TURN_HOST: "turn.example" });
});
afterAll(() => node.stop());

const settings = (key: string, path = "/account_settings", of: TestNode = node) =>
  rest(of, "GET", path, { headers: { "Svc-Account-Key": key } });

describe("GET /account_settings", () => {
  it.each([
    "/account_settings",
    "/account_settings.json",
    "/account_settings?",
  ])("returns exactly the endpoints of this deployment: %s", async (path) => {
    const { status, body } = await settings(node.application.accountKey, path);
    expect([status, body]).toEqual([
      200,
      {
        api_key: node.application.accountKey,
        api_endpoint: node.baseUrl,
        chat_endpoint: "chat.example",
        turnserver_endpoint: "turn.example",
      },
    ]);
  });

  it("returns each endpoint of the account's own that is set", async () => {
    const other = await secondApplication(node);
    const key = other.application.accountKey;
    await node.sql("UPDATE accounts SET chat_endpoint = 'own.example' WHERE account_key = $1", [
      key,
    ]);
    expect((await settings(key)).body).toEqual({
      api_key: key,
      api_endpoint: node.baseUrl,
      chat_endpoint: "own.example",
      turnserver_endpoint: "turn.example",
    });
    await node.sql(
      `UPDATE accounts SET api_endpoint = 'https://api.example', turnserver_endpoint = 't.example'
        WHERE account_key = $1`,
      [key],
    );
    expect((await settings(key)).body).toEqual({
      api_key: key,
      api_endpoint: "https://api.example",
      chat_endpoint: "own.example",
      turnserver_endpoint: "t.example",
    });
    expect((await settings(node.application.accountKey)).body.chat_endpoint).toBe("chat.example");
  });

  it("returns the public address if one is configured", async () => {
    const own = await startNode({
      BASE_URL: "https://api.example.com",
      PORT: String(await freePort()),
    });
    try {
      expect(own.baseUrl).toBe("https://api.example.com");
      const local = { ...own, baseUrl: `http://127.0.0.1:${own.environment.PORT}` };
      const { body } = await settings(own.application.accountKey, undefined, local);
      expect(body.api_endpoint).toBe("https://api.example.com");
    } finally {
      await own.stop();
    }
  });

  it.each([
    ["of nobody", "x".repeat(43)],
    ["that is a word", "key"],
    ["with a quote", "' OR '1'='1"],
    ["of an application", "auth"],
  ])("refuses a key %s", async (_what, key) => {
    const sent = key === "auth" ? node.application.authKey : key;
    const answer = await settings(sent);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
  });

  it("refuses a key with different case, or an extra character", async () => {
    const key = node.application.accountKey;
    const flipped = key.replace(/[a-z]/, (letter) => letter.toUpperCase());
    for (const wrong of [flipped, `${key}x`, key.slice(1)]) {
      expect((await settings(wrong)).status).toBe(401);
    }
  });

  it("requires the header, and does not accept a session instead", async () => {
    const user = await newUser(node);
    for (const options of [{}, { token: user.token }, { headers: { "Svc-Account-Key": "" } }]) {
      const answer = await rest(node, "GET", "/account_settings", options);
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["Svc-Account-Key"]]);
    }
    const path = `/account_settings?Svc-Account-Key=${node.application.accountKey}`;
    expect((await rest(node, "GET", path)).status).toBe(422);
  });
});

describe("accountSettings in GraphQL", () => {
  const ASK = `query ($key: String!) {
    accountSettings(accountKey: $key) { accountKey apiEndpoint chatEndpoint turnserverEndpoint }
  }`;

  it("returns the same without a session", async () => {
    const { data } = await graphql(node, ASK, { key: node.application.accountKey });
    expect(data.accountSettings).toEqual({
      accountKey: node.application.accountKey,
      apiEndpoint: node.baseUrl,
      chatEndpoint: "chat.example",
      turnserverEndpoint: "turn.example",
    });
  });

  it.each(["", "x", "'"])("refuses the key %j", async (key) => {
    const { data, errors } = await graphql(node, ASK, { key });
    expect(data ?? null).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: "The account key is not valid",
      extensions: { code: "UNAUTHENTICATED" },
    });
  });
});
