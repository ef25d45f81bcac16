import { applicationToken, graphql, newUser, rest, signed } from "../support/client";
import { startNode, type TestNode } from "../support/node";

const NO_SESSION = { errors: { base: ["Required session does not exist"] } };

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

describe("POST /session", () => {
  it("creates an application session with exactly its keys", async () => {
    const body = signed(node);
    const answer = await rest(node, "POST", "/session", { body });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      session: {
        id: expect.any(Number),
        application_id: node.application.id,
        user_id: null,
        nonce: body.nonce,
        token: expect.stringMatching(/^[\w-]{40,}$/),
        ts: body.timestamp,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        device_id: null,
      },
    });
  });

  it("creates a user session with the user", async () => {
    const user = await newUser(node);
    const body = { ...signed(node), user: { login: user.login, password: user.password } };
    const answer = await rest(node, "POST", "/session", { body });
    expect(answer.status).toBe(201);
    expect(answer.body.session.user_id).toBe(user.id);
    expect(answer.body.session.user.login).toBe(user.login);
    expect(answer.body.session).not.toHaveProperty("device_id");
  });

  it("refuses a nonce that was used with its timestamp", async () => {
    const body = signed(node);
    await rest(node, "POST", "/session", { body });
    const again = await rest(node, "POST", "/session", { body });
    expect(again.status).toBe(422);
    expect(again.body.errors.nonce[0]).toMatch(/used/);
  });
});

describe("GET and DELETE /session", () => {
  it("show the session until it is destroyed", async () => {
    const token = await applicationToken(node);
    const shown = await rest(node, "GET", "/session", { token });
    expect(shown.status).toBe(200);
    expect(shown.body.session.token).toBe(token);
    expect(shown.headers.get("svc-token-expirationdate")).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    );
    const destroyed = await rest(node, "DELETE", "/session", { token });
    expect([destroyed.status, destroyed.text]).toEqual([200, ""]);
    const gone = await rest(node, "GET", "/session", { token });
    expect([gone.status, gone.body]).toEqual([401, NO_SESSION]);
  });

  it("read the same through GraphQL", async () => {
    const user = await newUser(node);
    const { data } = await graphql(
      node,
      "{ currentSession { databaseId userId user { login tags isGuest } } }",
      {},
      user.token,
    );
    expect(data.currentSession).toEqual({
      databaseId: user.sessionId,
      userId: user.id,
      user: { login: user.login, tags: [], isGuest: false },
    });
  });
});
