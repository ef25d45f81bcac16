import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newServiceKey } from "../../../tools/stand-ins/stored-keys";
import { closeAfterEach } from "../../support/close-after-each";
import { managedProcesses, type ServiceProcess } from "../../support/process";

const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
const SET = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { warning } }`;
const LOG = `{ account { auditEntries(action: "setPushCredentials") {
  nodes { action outcome email applicationId } } } }`;

const { environment, start } = managedProcesses();
const servers = closeAfterEach();

async function ready(service: ServiceProcess): Promise<{ graphqlUrl: string }> {
  return { graphqlUrl: (await service.ready()).graphql };
}

test("a mutation during which the node is killed has an entry without an outcome", async () => {
  const variables: Record<string, string> = {
    ...(await environment()),
    ALLOW_PRIVATE_NETWORKS: "true",
  };
  const read = (file: string) =>
    JSON.parse(readFileSync(join(variables.DATA_DIR ?? "", file), "utf8"));
  const signIn = async (at: { graphqlUrl: string }) =>
    (await graphql(at, SIGN_IN, { input: read("owner.json") })).data.signInMember.token;
  // A push service that accepts connections and says nothing, so that the mutation waits for it.
  const silent = createServer();
  const connected = new Promise<void>((resolve) => {
    silent.once("connection", (socket) => {
      socket.on("error", () => undefined);
      resolve();
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  servers({ close: async () => void silent.close() });
  const silentUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;

  const first = start(variables);
  const node = await ready(first);
  const applicationId = String(read("credentials.json").application_id);
  const serviceAccount = JSON.stringify({
    type: "service_account",
    project_id: "example-project",
    client_email: "push@example-project.iam.gserviceaccount.com",
    private_key: newServiceKey(),
    token_uri: `${silentUrl}/token`,
  });
  const input = {
    applicationId,
    environment: "DEVELOPMENT",
    fcm: { serviceAccount, baseUrl: silentUrl },
  };
  const asked = graphql(node, SET, { input }, await signIn(node)).catch(() => "no answer");
  await connected;
  first.child.kill("SIGKILL");
  await first.exited;
  expect(await asked).toBe("no answer");

  const again = await ready(start(variables));
  const { data } = await graphql(again, LOG, {}, await signIn(again));
  expect(data.account.auditEntries.nodes).toEqual([
    { action: "setPushCredentials", outcome: "STARTED", email: "owner@localhost", applicationId },
  ]);
});
