import { join } from "node:path";
import { restSchema } from "../../../src/transports/graphql/schema";
import { readDocuments, readRestFiles } from "../../../src/transports/rest/documents";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LEAKS } from "../../../tools/hostile-values";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";
import { ROUTES } from "../../support/security/permission-routes";
import { type Participants, PERMISSION_ROWS } from "../../support/security/permission-rows";
import { ownerCredentials } from "../../support/sessions/owner";

const documents = readDocuments(
  readRestFiles(join(__dirname, "../../../schema/rest")),
  restSchema(),
);

/** In the form of an API key. */
const API_KEY = `sbk_${"x".repeat(43)}`;

describe("when the database is unavailable", () => {
  let broken: TestNode;
  let user: TestUser;
  beforeAll(async () => {
    broken = await startNode();
    user = await newUser(broken);
    await broken.app.store.close();
  });
  afterAll(() => broken.stop());

  const participants = (): Participants => ({
    node: broken,
    foreignNode: broken,
    a: user,
    b: user,
    foreign: user,
    unique: 1,
    memberId: "1",
    apiKeyId: "1",
    invitationId: "1",
    invitationSecret: () => "x".repeat(43),
    resetToken: () => "x".repeat(43),
    owner: ownerCredentials(broken),
    subscriptionId: 1,
    eventId: 1,
    callRecordId: 1,
    liveCallRecordId: 1,
    failedJobId: "00000000-0000-4000-8000-000000000000",
    conference: { id: "1", membershipId: "1.1.1", linkId: "1", secret: "secret" },
    spareApplicationId: String(broken.application.id),
    signed: () => signedParameters(broken),
  });

  const operations = Object.keys(PERMISSION_ROWS).filter(
    (name) => !name.startsWith("Subscription.") && !PERMISSION_ROWS[name]?.restOnly,
  );
  test.each(operations)("%s answers UNAVAILABLE and nothing else", async (operation) => {
    const row = PERMISSION_ROWS[operation];
    if (!row) throw new Error("no row");
    const context = participants();
    // It takes no notice of tokens.
    const ofBackend = operation === "Mutation.createSessionForUser";
    for (const own of ofBackend ? [API_KEY] : [user.token, "x".repeat(43)]) {
      const { data, errors } = await graphql(broken, row.document, row.variables(context), own);
      expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
      expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
        ["The database cannot be reached; try again", "UNAVAILABLE"],
      ]);
      expect(JSON.stringify(errors)).not.toMatch(LEAKS);
    }
  });

  test.each(
    documents.map(({ name, method }) => [name, method] as const),
  )("REST %s answers 503 and nothing else", async (name, method) => {
    const route = ROUTES[name];
    if (!route) throw new Error("no route");
    const context = participants();
    const answer = await rest(broken, method, route.path(context), {
      token: name === "CreateServerSession" ? API_KEY : user.token,
      headers: route.headers?.(context),
      body: route.body?.(context),
    });
    expect([answer.status, answer.body]).toEqual([
      503,
      { errors: { base: ["The database cannot be reached; try again"] } },
    ]);
    expect(answer.headers.get("retry-after")).toBe("2");
  });

  test("readiness fails, and liveness does not", async () => {
    const ready = await rest(broken, "GET", "/readyz");
    expect([ready.status, ready.body]).toEqual([503, { status: "not ready" }]);
    expect((await rest(broken, "GET", "/healthz")).status).toBe(200);
  });
});
