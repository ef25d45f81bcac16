import { randomBytes } from "node:crypto";
import { formatJson } from "./format";
import { GraphqlPeer } from "./graphql-client";
import { callRest } from "./rest-client";
import type { ServerCredentials } from "./server";
import { type Application, type SignedParameters, signSession } from "./signing";
import type { StepRunner } from "./step-runner";
import { bareJid, XmppPeer } from "./xmpp-client";

/** A user with a session. */
export interface User {
  id: number;
  /** Token of the user's session, which every protocol accepts. */
  token: string;
}

/** The two users of the demo, each with a different protocol. */
export interface Participants {
  /** Uses a legacy client, which signals over XMPP. */
  alice: User & { peer: XmppPeer; jid: string };
  /** Uses a new client, which signals over GraphQL. */
  bob: User & { peer: GraphqlPeer; jid: string };
  baseUrl: string;
}

/** Clean-up steps, which run in reverse order. */
export type CleanUpSteps = Array<() => Promise<unknown>>;

/** Printed in place of a secret. */
const HIDDEN = "•••";
/** Name of Alice's device, the resource of her JID. */
const DEVICE = "alice-phone";

interface SessionAnswer {
  session: { id: number; user_id: number | null; token: string };
}

/** Creates the application session, signs Alice and Bob up and in, and connects them. */
export async function createParticipants(
  runner: StepRunner,
  credentials: ServerCredentials,
  cleanUpSteps: CleanUpSteps,
): Promise<Participants> {
  const { base_url: baseUrl, chat_domain: domain, application_id: applicationId } = credentials;
  const application: Application = {
    id: applicationId,
    authKey: credentials.auth_key,
    authSecret: credentials.auth_secret,
  };
  let token = "";
  await runner.step("Sign POST /session", "HMAC-SHA1", async (signal) => {
    const body = signSession(application);
    const answer = await createSession(baseUrl, body, signal);
    token = answer.session.token;
    return {
      panes: [
        { heading: "POST /session", lines: (width) => formatJson(hideKey(body), width) },
        { heading: "201 Created", lines: (width) => formatJson(hideToken(answer), width) },
      ],
    };
  });

  const accounts = { alice: newAccount("alice"), bob: newAccount("bob") };
  await runner.step("Sign up Alice and Bob", "POST /users", async (signal) => {
    const signUp = (user: Account) =>
      callRest<{ user: { id: number } }>(
        baseUrl,
        { method: "POST", path: "/users", token, body: { user }, status: 201 },
        signal,
      );
    // Before the request, because its answer may be lost. A step fails for a user who was not created.
    for (const account of Object.values(accounts)) {
      cleanUpSteps.push(() => deleteAccount(baseUrl, application, account));
    }
    const alice = await signUp(accounts.alice);
    const bob = await signUp(accounts.bob);
    return { note: `Alice is user ${alice.user.id}, Bob is user ${bob.user.id}` };
  });

  const users = new Map<string, User>();
  await runner.step("Sign both in", "POST /session", async (signal) => {
    for (const [name, { login, password }] of Object.entries(accounts)) {
      // The signature covers only the four mandatory parameters, not the user's.
      const body = { ...signSession(application), user: { login, password } };
      const { session } = await createSession(baseUrl, body, signal);
      const user = { id: Number(session.user_id), token: session.token };
      users.set(name, user);
    }
    return { note: "each session token is valid for REST, GraphQL and XMPP" };
  });
  const [alice, bob] = [users.get("alice"), users.get("bob")];
  if (!alice || !bob) throw new Error("the users have not signed in");

  const jids = {
    alice: bareJid(alice.id, applicationId, domain),
    bob: bareJid(bob.id, applicationId, domain),
  };
  const peers: { alice?: XmppPeer; bob?: GraphqlPeer } = {};
  await runner.step("Connect Alice", "@xmpp/client", async () => {
    const account = { userId: alice.id, applicationId, token: alice.token, device: DEVICE };
    const peer = await XmppPeer.connect(credentials.chat_url, domain, account);
    cleanUpSteps.push(() => peer.close());
    peers.alice = peer;
    return { note: `the server bound ${peer.jid}` };
  });
  await runner.step("Connect Bob", "graphql-ws", async (signal) => {
    const peer = await GraphqlPeer.connect(credentials.graphql_url, bob, signal);
    cleanUpSteps.push(() => peer.close());
    peers.bob = peer;
    return { note: "subscribed to callSignals; the same socket sends his signals" };
  });
  if (!peers.alice || !peers.bob) throw new Error("the users are not connected");
  return {
    alice: { ...alice, peer: peers.alice, jid: jids.alice },
    bob: { ...bob, peer: peers.bob, jid: jids.bob },
    baseUrl,
  };
}

/** Disconnects Alice and Bob and deletes their accounts. */
export async function removeParticipants(
  runner: StepRunner,
  { alice, bob, baseUrl }: Participants,
  cleanUpSteps: CleanUpSteps,
) {
  await runner.step("Delete Alice and Bob", "DELETE /users/{id}", async (signal) => {
    await Promise.all([alice.peer.close(), bob.peer.close()]);
    await Promise.all([deleteUser(baseUrl, alice, signal), deleteUser(baseUrl, bob, signal)]);
    cleanUpSteps.length = 0;
    return {};
  });
}

interface Account {
  login: string;
  password: string;
}

function newAccount(name: string): Account {
  const unique = randomBytes(6).toString("hex");
  return { login: `demo-${name}-${unique}`, password: randomBytes(18).toString("base64url") };
}

function createSession(
  baseUrl: string,
  body: SignedParameters,
  signal: AbortSignal,
): Promise<SessionAnswer> {
  return callRest(baseUrl, { method: "POST", path: "/session", body, status: 201 }, signal);
}

/** Deletes a user with that user's own token, because users can delete only themselves. */
function deleteUser(baseUrl: string, { id, token }: User, signal: AbortSignal): Promise<void> {
  const call = { method: "DELETE", path: `/users/${id}`, token, status: 200 } as const;
  return callRest(baseUrl, call, signal);
}

/** Signs a user in, and deletes it. */
async function deleteAccount(
  baseUrl: string,
  application: Application,
  { login, password }: Account,
): Promise<void> {
  const signal = AbortSignal.timeout(5_000);
  const body = { ...signSession(application), user: { login, password } };
  const { session } = await createSession(baseUrl, body, signal);
  await deleteUser(baseUrl, { id: Number(session.user_id), token: session.token }, signal);
}

function hideKey(parameters: SignedParameters) {
  const signature = `${parameters.signature.slice(0, 8)}…`;
  return { ...parameters, auth_key: HIDDEN, signature };
}

function hideToken({ session }: SessionAnswer) {
  const { id, user_id } = session;
  return { session: { id, user_id, token: HIDDEN } };
}
