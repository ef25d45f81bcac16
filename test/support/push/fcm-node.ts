import { graphql } from "../../../tools/graphql/graphql-http";
import type { TestNode } from "../node";
import { memberTokenOf } from "../process-node";
import type { FcmFixture } from "./fcm-fixture";

const SET = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { warning } }`;

/**
 * Stores the credentials of a stand-in for the application of a node in its own process.
 * @param environment of its database
 */
export async function storeFcmCredentials(
  node: Pick<TestNode, "graphqlUrl" | "application">,
  environment: Record<string, string>,
  fixture: FcmFixture,
): Promise<void> {
  const { clientEmail, projectId, privateKey, tokenUrl, baseUrl, ca } = fixture.credentials;
  const serviceAccount = JSON.stringify({
    type: "service_account",
    project_id: projectId,
    client_email: clientEmail,
    private_key: privateKey,
    token_uri: tokenUrl,
  });
  const input = {
    applicationId: String(node.application.id),
    environment: "DEVELOPMENT",
    fcm: { serviceAccount, baseUrl, ca },
  };
  const answer = await graphql(node, SET, { input }, await memberTokenOf(node, environment));
  expect(answer).toMatchObject({ data: { setPushCredentials: { warning: null } } });
}
