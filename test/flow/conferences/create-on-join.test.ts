import { createConference, mutate } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overPolling, overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** Whether the first join of a legacy client creates the conference is a setting of the application. */

let node: TestNode;
let user: TestUser;

beforeAll(async () => {
  const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
    new MemoryEngine(listener);
  node = await startNode({}, { openEngine });
  user = await newUser(node);
});
afterAll(() => node.stop());

async function createOnJoin(conferencesOnJoin: boolean): Promise<void> {
  const input = { applicationId: String(node.application.id), conferencesOnJoin };
  await mutate(node, "updateApplication", "application { id }", input, await ownerToken(node));
}

async function names(): Promise<string[]> {
  const query = "{ conferences(first: 100) { nodes { name } } }";
  const { data } = await graphql(node, query, {}, user.token);
  return data.conferences.nodes.map(({ name }: { name: string }) => name);
}

describe.each([
  [
    "WebSocket",
    () => LegacyClient.open(overWebSocket, node.app.conferenceUrls.ws ?? "", user.token),
  ],
  ["long polling", () => LegacyClient.open(overPolling, node.baseUrl, user.token)],
])("over %s", (framing, open) => {
  test("while it is off, a join creates nothing, and finds what was created through GraphQL", async () => {
    await createOnJoin(false);
    const client = await open();
    await expect(client.join(`unknown ${framing}`)).rejects.toThrow(
      /^433 The application does not create conferences on join/,
    );
    expect(await names()).not.toContain(`unknown ${framing}`);
    await createConference(node, user.token, { name: `known ${framing}` });
    expect(await client.join(`known ${framing}`)).toMatchObject({ id: user.id });
    await client.destroy();
  });

  test("while it is on, a join creates the conference", async () => {
    await createOnJoin(true);
    const client = await open();
    await client.join(`new ${framing}`);
    expect(await names()).toContain(`new ${framing}`);
    await client.destroy();
  });
});
