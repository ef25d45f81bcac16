import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../../src/app";
import { addDemoCalls } from "./demo-calls";
import { addDemoFigures } from "./demo-figures";
import { addDemoHealth } from "./demo-health";
import { addDemoMembers } from "./demo-members";
import { addDemoProfiles } from "./demo-users";
import { createPushData } from "./push-data";

/** What the pictures show. */
export interface DemoData {
  /** Token of the owner. */
  token: string;
  /** The application with users, sessions and the like. */
  applicationId: string;
}

/** People of the demo: their data is made up. */
const PEOPLE = [
  "Ann Moreau",
  "Ben Okafor",
  "Chiara Conti",
  "Dario Weiss",
  "Emma Lind",
  "Farid Aziz",
];
const AGENTS = [
  "FieldService/4.2 (iPhone; iOS 18.1)",
  "FieldService/4.2 (Pixel 8; Android 15)",
  "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
];

/** Sends an operation with an owner's token. @throws Error with the errors of the response */
async function run<Result>(
  graphqlUrl: string,
  token: string,
  query: string,
  variables: object,
): Promise<Result> {
  const response = await fetch(graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token !== "" && { "Svc-Token": token }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Result; errors?: unknown };
  if (errors) throw new Error(`${query.slice(0, 60)}: ${JSON.stringify(errors)}`);
  return data;
}

/** Fills a new node with the data of a small company. */
export async function createDemoData(app: App, dataFolder: string): Promise<DemoData> {
  const { addresses, store } = app;
  const url = addresses.graphql_url;
  const { email, password } = JSON.parse(readFileSync(join(dataFolder, "owner.json"), "utf8"));
  const { signInMember } = await run<{ signInMember: { token: string } }>(
    url,
    "",
    "mutation SignIn($input: SignInMemberInput!) { signInMember(input: $input) { token } }",
    { input: { email, password } },
  );
  const { token } = signInMember;
  const applicationId = "1";
  const update = (input: object) =>
    run(
      url,
      token,
      "mutation Update($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }",
      { input },
    );
  await update({
    applicationId,
    name: "Field service",
    incomingCallPush: true,
    webOrigins: ["https://app.field.example", "https://desk.field.example"],
  });
  for (const name of ["Customer portal", "Internal chat", "Staging"]) {
    await run(
      url,
      token,
      "mutation Create($input: CreateApplicationInput!) { createApplication(input: $input) { application { id } } }",
      { input: { name } },
    );
  }
  await update({ applicationId: "4", signUpOpen: false });
  for (const fullName of PEOPLE) {
    const login = fullName.toLowerCase().replace(" ", ".");
    const input = {
      applicationId,
      login,
      fullName,
      email: `${login}@field.example`,
      password: `${login} 2026`,
    };
    await run(
      url,
      token,
      "mutation User($input: CreateUserInput!) { createUser(input: $input) { user { id } } }",
      { input },
    );
  }
  const createKey = async (name: string, scopes: string[]) => {
    const { createApiKey } = await run<{ createApiKey: { apiKey: { id: string } } }>(
      url,
      token,
      "mutation Key($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }",
      { input: { applicationId, name, scopes } },
    );
    return createApiKey.apiKey.id;
  };
  const backend = await createKey("field backend", ["SESSIONS", "USERS"]);
  await createKey("weather alerts", ["PUSH"]);
  await store.query(
    {
      name: "demo_key_use",
      text: "UPDATE api_keys SET last_used_at = now() - interval '4 minutes' WHERE id = $1",
    },
    [backend],
  );
  await store.query(
    {
      name: "demo_sessions",
      text: `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at, last_activity_at,
          updated_at, ip, user_agent, origin, api_key_id)
        SELECT 1, u.id, sha256((u.id || '-' || n)::bytea), n, n, now() + n * interval '1 hour',
          now() - u.id * n * interval '7 minutes', now(), '203.0.113.' || (u.id * 7 + n), ($1::text[])[n],
          CASE WHEN n = 3 THEN 'api_key' ELSE 'client' END::session_origin, CASE WHEN n = 3 THEN $2::bigint END
        FROM users u, generate_series(1, 3) AS n WHERE u.application_id = 1`,
    },
    [AGENTS, backend],
  );
  await createPushData(app, (query, variables) => run(url, token, query, variables));
  await addDemoFigures(app, applicationId);
  await addDemoCalls(app, applicationId);
  await addDemoProfiles(app, applicationId);
  await addDemoMembers(app);
  await addDemoHealth(app, applicationId);
  return { token, applicationId };
}
