import type { DemoUser } from "../call/demo-users";
import { createApplicationSession } from "../call/demo-users";
import { type PageServer, servePage } from "../call/page-server";
import type { ServerCredentials } from "../server";

/** The conference of the pages. */
export interface DemoConference {
  id: string;
  name: string;
  /** Admits guests. */
  linkSecret: string;
}

const SIGN_IN = "mutation ($input: LoginInput!) { login(input: $input) { user { id } } }";
const CREATE = `mutation ($input: CreateConferenceInput!) {
  createConference(input: $input) { conference { id } }
}`;
const LINK =
  "mutation ($input: CreateConferenceLinkInput!) { createConferenceLink(input: $input) { secret } }";

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Creates a conference that every user may join and the given one moderates, and a link for guests. */
export async function createDemoConference(
  credentials: ServerCredentials,
  { login, password }: DemoUser,
  name = "Demo",
): Promise<DemoConference> {
  const token = await createApplicationSession(credentials);
  await execute(credentials, token, SIGN_IN, { login, password });
  const { createConference } = await execute<{ createConference: { conference: { id: string } } }>(
    credentials,
    token,
    CREATE,
    { name, access: "EVERYONE" },
  );
  const { id } = createConference.conference;
  const { createConferenceLink } = await execute<{ createConferenceLink: { secret: string } }>(
    credentials,
    token,
    LINK,
    { conferenceId: id },
  );
  return { id, name, linkSecret: createConferenceLink.secret };
}

/** @throws Error with the message of the first GraphQL error */
async function execute<T>(
  { graphql_url }: ServerCredentials,
  token: string,
  query: string,
  input: object,
): Promise<T> {
  const response = await fetch(graphql_url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Svc-Token": token },
    body: JSON.stringify({ query, variables: { input } }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: { message: string }[] };
  const [error] = errors ?? [];
  if (error) throw new Error(error.message);
  return data;
}

/** Serves the page of a conference. @param janusUrl WebSocket of legacy conference clients */
export function serveConferencePage(
  credentials: ServerCredentials,
  people: DemoUser[],
  { id, name }: DemoConference,
  janusUrl: string,
  port = 0,
): Promise<PageServer> {
  return servePage(credentials, people, port, {
    folder: "demo/conference/page",
    setting: { conferenceId: id, room: name, janusUrl },
    connect: [janusUrl],
  });
}
