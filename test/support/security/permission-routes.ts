import type { TestNode } from "../node";
import { deviceOf } from "../push/push-devices";
import type { TestUser } from "../rest-client";
import type { Participants } from "./permission-rows";

const TOKEN = expect.stringMatching(/^[\w-]{43}$/);
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const ID = expect.any(Number);
/** Stored some seconds after a request, so it may still be null. */
const DATE_OR_NULL = {
  asymmetricMatch: (value: unknown) => value === null || DATE.asymmetricMatch(value),
};

/** Request to a REST route, and the response to authorized callers. */
export interface RouteRow {
  /** The operation of PERMISSION_ROWS that its document runs. */
  operation: string;
  /** Prepares the user A for the path. */
  prepare?(participants: Participants): Promise<unknown>;
  path(participants: Participants): string;
  headers?(participants: Participants): Record<string, string>;
  body?(participants: Participants): unknown;
  /** Status and complete body for authorized callers. */
  success(participants: Participants, caller: string): { status: number; body: unknown };
}

/** Complete REST body of a user. */
export function userBody(user: Pick<TestUser, "id" | "login">, changes = {}) {
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

/** Complete REST body of a session. */
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
    ...(user ? { user: userBody(user) } : { device_id: null }),
  };
}

/** Complete REST body of a new web session. */
export function webSessionBody(applicationId: number) {
  return {
    session: {
      id: ID,
      _id: expect.stringMatching(/^\d+$/),
      application_id: applicationId,
      user_id: 0,
      nonce: ID,
      token: TOKEN,
      ts: ID,
      created_at: DATE,
      updated_at: DATE,
    },
    qr_code: expect.stringMatching(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]*<\/svg>\s*$/,
    ),
  };
}

/** Complete entry of the session list. */
export function sessionListEntry(sessionId: number, userAgent = "node") {
  return {
    session_id: sessionId,
    ip: "127.0.0.1",
    last_activity: DATE,
    user_agent: userAgent,
    location: null,
  };
}

const empty = () => ({ status: 200, body: null });

/** A route that finds user A by a text in a column of the profile. */
function byColumn(column: string, query: (text: string) => string): RouteRow {
  const text = ({ a }: Participants) => `${column}-${a.id}@example.com`;
  return {
    operation: "Query.user",
    prepare: (participants) =>
      participants.node.sql(
        `UPDATE users SET ${column} = $2${column === "email" ? ", email_key = $2" : ""} WHERE id = $1`,
        [participants.a.id, text(participants)],
      ),
    path: (participants) => query(encodeURIComponent(text(participants))),
    success: (participants) => ({
      status: 200,
      body: { user: userBody(participants.a, { [column]: text(participants) }) },
    }),
  };
}

/** A page with user A alone, if the caller may see it. */
function pageOfA({ a }: Participants, caller: string, changes = {}) {
  const items = caller === "a foreign user" ? [] : [{ user: userBody(a, changes) }];
  const head = { current_page: 1, per_page: 10, total_entries: items.length };
  return { status: 200, body: { ...head, items } };
}

/** Complete REST body of the subscription of user A's device. */
function shownSubscription(participants: Participants, id: number) {
  return {
    subscription: {
      id,
      notification_channel: { name: "gcm" },
      device: { udid: deviceOf(participants.a).udid, platform: { name: "android" } },
    },
  };
}

/** Every route of schema/rest, by its operation's name. A missing route fails the suite. */
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
  CreatePushEvent: {
    operation: "Mutation.createPushEvent",
    path: () => "/events",
    headers: ({ unique }) => ({ "Idempotency-Key": `key-${unique}` }),
    body: ({ a }) => ({
      event: {
        notification_type: "push",
        push_type: "gcm",
        environment: "development",
        event_type: "fixed_date",
        date: "2090-01-01T00:00:00Z",
        message: "payload=e30=",
        name: "Later",
        user: { ids: String(a.id) },
      },
    }),
    success: ({ node, foreignNode, a, b, foreign }, caller) => ({
      status: 201,
      body: [
        {
          event: {
            id: ID,
            event_type: "fixed_date",
            message: "payload=e30=",
            date: "2090-01-01T00:00:00Z",
            period: null,
            name: "Later",
            occured_count: 0,
            created_at: DATE,
            updated_at: DATE,
            end_date: null,
            active: true,
            application_id: (caller === "a foreign user" ? foreignNode : node).application.id,
            user_id: { "user A": a.id, "user B": b.id, "a foreign user": foreign.id }[caller] ?? ID,
            kind: "API",
            environment: "development",
            tag_query: null,
            notification_channel: { name: "gcm" },
          },
        },
      ],
    }),
  },
  CreatePushSubscription: {
    operation: "Mutation.createPushSubscription",
    path: () => "/subscriptions",
    body: ({ a }) => ({
      notification_channel: "gcm",
      push_token: {
        environment: "development",
        client_identification_sequence: deviceOf(a).token,
      },
      device: { platform: "android", udid: deviceOf(a).udid },
    }),
    success: (participants) => ({ status: 201, body: [shownSubscription(participants, ID)] }),
  },
  ListPushSubscriptions: {
    operation: "Query.pushSubscriptions",
    path: () => "/subscriptions",
    success: (participants, caller) => ({
      status: 200,
      body:
        caller === "user A" ? [shownSubscription(participants, participants.subscriptionId)] : [],
    }),
  },
  DeletePushSubscription: {
    operation: "Mutation.deletePushSubscription",
    path: ({ subscriptionId }) => `/subscriptions/${subscriptionId}`,
    success: empty,
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
    success: ({ a }) => ({ status: 200, body: { user: userBody(a) } }),
  },
  Logout: { operation: "Mutation.logout", path: () => "/login", success: empty },
  CreateSession: {
    operation: "Mutation.createSession",
    path: () => "/session",
    body: ({ signed }) => signed(),
    success: ({ node }) => ({ status: 201, body: { session: shownSession(node, null, null) } }),
  },
  CreateWebSession: {
    operation: "Mutation.createWebSession",
    path: () => "/session/web",
    body: ({ signed }) => signed(),
    success: ({ node }) => ({ status: 201, body: webSessionBody(node.application.id) }),
  },
  BindWebSession: {
    operation: "Mutation.bindWebSession",
    path: () => "/session/web",
    body: () => ({ web_token: "one that nobody has" }),
    success: empty,
  },
  ListSessions: {
    operation: "Query.sessions",
    path: () => "/session/list",
    success({ a, b, foreign }, caller) {
      const user = { "user A": a, "user B": b }[caller] ?? foreign;
      return { status: 200, body: [sessionListEntry(user.sessionId)] };
    },
  },
  DestroyOtherSessions: {
    operation: "Mutation.destroyOtherSessions",
    path: () => "/session/list",
    success: empty,
  },
  GetSession: {
    operation: "Query.currentSession",
    path: () => "/session",
    success({ node, foreignNode, a, b, foreign }, caller) {
      const users: Record<string, TestUser> = {
        "user A": a,
        "user B": b,
        "a foreign user": foreign,
      };
      const user = users[caller] ?? null;
      const callerNode = caller === "a foreign user" ? foreignNode : node;
      const userId = user?.id ?? (caller === "a web token" ? 0 : null);
      return { status: 200, body: { session: shownSession(callerNode, user, userId) } };
    },
  },
  CreateServerSession: {
    operation: "Mutation.createSessionForUser",
    path: () => "/session/server",
    body: ({ a }) => ({ user_id: String(a.id) }),
    success: ({ node, a }) => ({
      status: 201,
      body: { session: shownSession(node, a, a.id) },
    }),
  },
  DestroySession: { operation: "Mutation.destroySession", path: () => "/session", success: empty },
  CreateUser: {
    operation: "Mutation.createUser",
    path: () => "/users",
    body: ({ unique }) => ({ user: { login: `new-${unique}`, password: "correct horse" } }),
    success: ({ unique }) => ({
      status: 201,
      body: { user: userBody({ id: ID, login: `new-${unique}` }) },
    }),
  },
  ListUsers: {
    operation: "Query.users",
    path: ({ a }) => `/users/v2?id=${a.id}`,
    success: ({ a }, caller) => {
      const items = caller === "a foreign user" ? [] : [userBody(a)];
      return { status: 200, body: { limit: 100, skip: 0, total_entries: items.length, items } };
    },
  },
  ListUsersByPage: {
    operation: "Query.usersPage",
    path: ({ a }) => `/users?filter[]=number+id+eq+${a.id}`,
    success: (participants, caller) => pageOfA(participants, caller),
  },
  ListUsersByFullName: {
    operation: "Query.usersByFullName",
    prepare: ({ node, a }) =>
      node.sql("UPDATE users SET full_name = $2 WHERE id = $1", [a.id, `Name ${a.id}`]),
    path: ({ a }) => `/users/by_full_name?full_name=Name+${a.id}`,
    success: (participants, caller) =>
      pageOfA(participants, caller, { full_name: `Name ${participants.a.id}` }),
  },
  ListUsersByTags: {
    operation: "Query.usersByTags",
    prepare: ({ node, a }) =>
      node.sql(
        `INSERT INTO user_tags (user_id, application_id, tag, position)
          SELECT id, application_id, $2, 0 FROM users WHERE id = $1`,
        [a.id, `tag-${a.id}`],
      ),
    path: ({ a }) => `/users/by_tags?tags=tag-${a.id}`,
    success: (participants, caller) =>
      pageOfA(participants, caller, { user_tags: `tag-${participants.a.id}` }),
  },
  GetUserByLogin: {
    operation: "Query.user",
    path: ({ a }) => `/users/by_login?login=${a.login}`,
    success: ({ a }) => ({ status: 200, body: { user: userBody(a) } }),
  },
  GetUserByEmail: byColumn("email", (text) => `/users/by_email?email=${text}`),
  GetUserByFacebookId: byColumn(
    "facebook_id",
    (text) => `/users/by_facebook_id?facebook_id=${text}`,
  ),
  GetUserByTwitterId: byColumn("twitter_id", (text) => `/users/by_twitter_id?twitter_id=${text}`),
  GetUserByExternalId: byColumn("external_id", (text) => `/users/external/${text}`),
  DeleteUserByExternalId: {
    ...byColumn("external_user_id", (text) => `/users/external/${text}`),
    operation: "Mutation.deleteUser",
    success: empty,
  },
  RequestPasswordReset: {
    operation: "Mutation.requestPasswordReset",
    path: ({ unique }) => `/users/password/reset?email=nobody-${unique}@example.com`,
    success: empty,
  },
  GetUser: {
    operation: "Query.user",
    path: ({ a }) => `/users/${a.id}`,
    success: ({ a }) => ({ status: 200, body: { user: userBody(a) } }),
  },
  UpdateUser: {
    operation: "Mutation.updateUser",
    path: ({ a }) => `/users/${a.id}`,
    body: () => ({ user: { full_name: "Changed" } }),
    success: ({ a }) => ({
      status: 200,
      body: { user: userBody(a, { full_name: "Changed" }) },
    }),
  },
  DeleteUser: {
    operation: "Mutation.deleteUser",
    path: ({ a }) => `/users/${a.id}`,
    success: empty,
  },
};
