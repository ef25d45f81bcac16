import type { TestUser } from "./client";
import type { TestNode } from "./node";

/** Who takes part in a case: a user, another of the same application, and one of another. */
export interface World {
  node: TestNode;
  /** The node as the other application's clients see it. */
  elsewhere: TestNode;
  a: TestUser;
  b: TestUser;
  foreign: TestUser;
  /** A number that no other case has. */
  unique: number;
  /** A signed request of the first application, with a new nonce. */
  signed(): Record<string, string | number>;
}

/** Codes of the errors table, or OK. */
export type Outcome = "OK" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND";

/** What an operation answers to whom, whichever door it comes through. */
export interface Row {
  /** Document, valid variables, and what the first field holds for the owner. */
  document: string;
  variables(world: World): Record<string, unknown>;
  /** No token, or one that is unknown, expired, destroyed or of a deleted user. */
  nobody: Outcome;
  /** An unbound web session. */
  web: Outcome;
  /** An application session, or a user's after signing out. */
  application: Outcome;
  /** User B, on A's object. */
  other: Outcome;
  /** A user of another application, on A's object. */
  foreign: Outcome;
  /** User A. */
  owner: Outcome;
  /** For whom it ends the session as it was, and with it the socket that it came through. */
  ends?: "anybody" | "user A" | "user B";
}

const TOKEN = expect.stringMatching(/^[\w-]{43}$/);
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const ID = expect.any(Number);
/** Written some seconds after a request, so either may be seen. */
const DATE_OR_NULL = {
  asymmetricMatch: (value: unknown) => value === null || DATE.asymmetricMatch(value),
};

const OPEN = {
  nobody: "OK",
  web: "OK",
  application: "OK",
  other: "OK",
  foreign: "OK",
  owner: "OK",
} as const;
const SESSION = { ...OPEN, nobody: "UNAUTHENTICATED" } as const;
const APPLICATION = { ...SESSION, web: "FORBIDDEN" } as const;
const USER = { ...APPLICATION, application: "FORBIDDEN" } as const;
const OWN = { ...USER, other: "FORBIDDEN", foreign: "NOT_FOUND" } as const;

const signedInput = ({ signed }: World) => {
  const { application_id, auth_key, ...rest } = signed();
  return { ...rest, applicationId: application_id, authKey: auth_key };
};

/** Every operation of the schema. One that is missing here fails the suite. */
export const ROWS: Record<string, Row> = {
  "Query.currentSession": {
    document: "query { currentSession { id userId applicationId token user { id login } } }",
    variables: () => ({}),
    ...SESSION,
  },
  "Query.user": {
    document: "query ($id: ID!) { user(by: { id: $id }) { id login email } }",
    variables: ({ a }) => ({ id: String(a.id) }),
    ...USER,
    foreign: "NOT_FOUND",
  },
  "Query.users": {
    document: "query ($id: SafeInt!) { users(filter: { id: { eq: $id } }) { totalCount } }",
    variables: ({ a }) => ({ id: a.id }),
    ...USER,
  },
  "Query.accountSettings": {
    document: "query ($key: String!) { accountSettings(accountKey: $key) { accountKey } }",
    variables: ({ node }) => ({ key: node.application.accountKey }),
    ...OPEN,
  },
  "Mutation.createSession": {
    document:
      "mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { id } } }",
    variables: (world) => ({ input: signedInput(world) }),
    ...OPEN,
  },
  "Mutation.destroySession": {
    document: "mutation { destroySession { destroyed } }",
    variables: () => ({}),
    ...SESSION,
    ends: "anybody",
  },
  "Mutation.login": {
    document: "mutation ($input: LoginInput!) { login(input: $input) { user { id } } }",
    variables: ({ a }) => ({ input: { login: a.login, password: a.password } }),
    ...APPLICATION,
    // The same words name nobody there.
    foreign: "UNAUTHENTICATED",
    ends: "user B",
  },
  "Mutation.logout": {
    document: "mutation { logout { session { userId } } }",
    variables: () => ({}),
    ...USER,
    ends: "anybody",
  },
  "Mutation.createUser": {
    document: "mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }",
    variables: ({ unique }) => ({ input: { login: `new-${unique}`, password: "correct horse" } }),
    ...APPLICATION,
  },
  "Mutation.updateUser": {
    document: "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }",
    variables: ({ a }) => ({ input: { id: String(a.id), fullName: "Changed" } }),
    ...OWN,
  },
  "Mutation.deleteUser": {
    document: "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }",
    variables: ({ a }) => ({ input: { id: String(a.id) } }),
    ...OWN,
    ends: "user A",
  },
  "Mutation.sendSignal": {
    document: "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }",
    variables: ({ a }) => ({
      input: { to: { userId: a.id }, signalType: "hangUp", sessionId: "s" },
    }),
    ...USER,
    foreign: "NOT_FOUND",
  },
  "Mutation.rejectCall": {
    document: "mutation ($input: RejectCallInput!) { rejectCall(input: $input) { sessionId } }",
    variables: ({ a }) => ({ input: { recipientId: String(a.id), sessionId: "s" } }),
    ...USER,
    foreign: "NOT_FOUND",
  },
  "Subscription.callSignals": {
    document: "subscription { callSignals { id } }",
    variables: () => ({}),
    ...USER,
  },
};

/** What a REST route is sent and answers to who may. */
export interface RouteRow {
  /** The operation of {@link ROWS} that its document runs. */
  operation: string;
  path(world: World): string;
  headers?(world: World): Record<string, string>;
  body?(world: World): unknown;
  /** Status and whole body for whom it is OK; by default for each the same. */
  success(world: World, caller: string): { status: number; body: unknown };
}

/** A user in whole, as REST shows it. */
export function shownUser(user: Pick<TestUser, "id" | "login">, changes = {}) {
  return {
    id: user.id,
    login: user.login,
    email: null,
    external_user_id: null,
    external_id: null,
    facebook_id: null,
    twitter_id: null,
    full_name: null,
    phone: null,
    website: null,
    custom_data: null,
    user_tags: null,
    avatar: null,
    blob_id: null,
    created_at: DATE,
    updated_at: DATE,
    last_request_at: DATE_OR_NULL,
    timezone: null,
    ...changes,
  };
}

/** A session in whole, as REST shows it. */
function shownSession(node: TestNode, user: TestUser | null, userId: number | null) {
  return {
    id: ID,
    application_id: node.application.id,
    user_id: userId,
    nonce: ID,
    token: TOKEN,
    ts: ID,
    created_at: DATE,
    updated_at: DATE,
    ...(user ? { user: shownUser(user) } : { device_id: null }),
  };
}

const empty = () => ({ status: 200, body: null });

/** Every route of schema/rest, by its operation's name. One that is missing here fails the suite. */
export const ROUTES: Record<string, RouteRow> = {
  GetAccountSettings: {
    operation: "Query.accountSettings",
    path: () => "/account_settings",
    headers: ({ node }) => ({ "Svc-Account-Key": node.application.accountKey }),
    success: ({ node }) => ({
      status: 200,
      body: {
        api_key: node.application.accountKey,
        api_endpoint: node.baseUrl,
        chat_endpoint: "localhost",
        turnserver_endpoint: "localhost",
      },
    }),
  },
  RejectCall: {
    operation: "Mutation.rejectCall",
    path: () => "/calls/reject",
    body: ({ a }) => ({ recipientId: a.id, sessionID: "s", platform: "Web" }),
    success: () => ({ status: 200, body: {} }),
  },
  Login: {
    operation: "Mutation.login",
    path: () => "/login",
    body: ({ a }) => ({ login: a.login, password: a.password }),
    success: ({ a }) => ({ status: 200, body: { user: shownUser(a) } }),
  },
  Logout: { operation: "Mutation.logout", path: () => "/login", success: empty },
  CreateSession: {
    operation: "Mutation.createSession",
    path: () => "/session",
    body: ({ signed }) => signed(),
    success: ({ node }) => ({ status: 201, body: { session: shownSession(node, null, null) } }),
  },
  GetSession: {
    operation: "Query.currentSession",
    path: () => "/session",
    success({ node, elsewhere, a, b, foreign }, caller) {
      const users: Record<string, TestUser> = {
        "user A": a,
        "user B": b,
        "a foreign user": foreign,
      };
      const user = users[caller] ?? null;
      const place = caller === "a foreign user" ? elsewhere : node;
      const userId = user?.id ?? (caller === "a web token" ? 0 : null);
      return { status: 200, body: { session: shownSession(place, user, userId) } };
    },
  },
  DestroySession: { operation: "Mutation.destroySession", path: () => "/session", success: empty },
  CreateUser: {
    operation: "Mutation.createUser",
    path: () => "/users",
    body: ({ unique }) => ({ user: { login: `new-${unique}`, password: "correct horse" } }),
    success: ({ unique }) => ({
      status: 201,
      body: { user: shownUser({ id: ID, login: `new-${unique}` }) },
    }),
  },
  ListUsers: {
    operation: "Query.users",
    path: ({ a }) => `/users/v2?id=${a.id}`,
    success: ({ a }, caller) => {
      const items = caller === "a foreign user" ? [] : [shownUser(a)];
      return { status: 200, body: { limit: 100, skip: 0, total_entries: items.length, items } };
    },
  },
  GetUser: {
    operation: "Query.user",
    path: ({ a }) => `/users/${a.id}`,
    success: ({ a }) => ({ status: 200, body: { user: shownUser(a) } }),
  },
  UpdateUser: {
    operation: "Mutation.updateUser",
    path: ({ a }) => `/users/${a.id}`,
    body: () => ({ user: { full_name: "Changed" } }),
    success: ({ a }) => ({
      status: 200,
      body: { user: shownUser(a, { full_name: "Changed" }) },
    }),
  },
  DeleteUser: {
    operation: "Mutation.deleteUser",
    path: ({ a }) => `/users/${a.id}`,
    success: empty,
  },
};
