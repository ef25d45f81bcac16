/**
 * The map of src: every folder is a module with the folders that it may import from, every table has an owner,
 * and every statement on a foreign table has a reason. test/unit/architecture.test.ts holds the code to it.
 */

/** The layer of each top-level folder. Folders may import from every folder of a lower layer. */
export const LAYERS: Record<string, number> = {
  core: 0,
  store: 1,
  bus: 1,
  jobs: 1,
  mail: 1,
  network: 1,
  limits: 1,
  xml: 1,
  access: 2,
  passwords: 2,
  "session-events": 2,
  accounts: 2,
  applications: 2,
  users: 2,
  "sign-in": 2,
  sessions: 2,
  "web-sessions": 2,
  "password-reset": 2,
  admin: 2,
  push: 2,
  calls: 2,
  conferences: 2,
  graphql: 3,
  rest: 3,
  xmpp: 3,
  http: 3,
  pages: 3,
  cli: 3,
  dashboard: 3,
};

/** The other folders of the same layer that a folder imports from. */
export const IMPORTS: Record<string, string[]> = {
  // Layer 0: used by every layer.
  "core/variables": [],
  core: ["core/variables"],
  "core/startup": ["core"],
  "core/text": ["core"],
  "core/tls": ["core"],
  // Layer 1, the platform: what the service runs on.
  bus: [],
  limits: ["bus"],
  store: [],
  "store/rows": ["store"],
  network: [],
  jobs: ["store"],
  mail: [],
  xml: [],
  // Layer 2, the domain: what the service does.
  access: [],
  passwords: [],
  accounts: ["access", "passwords"],
  "session-events": [],
  applications: ["accounts", "session-events"],
  users: ["access", "applications", "passwords", "session-events"],
  "sign-in": ["applications", "users"],
  sessions: ["access", "applications", "passwords", "session-events", "sign-in", "users"],
  "users/lists": ["access", "applications", "users"],
  admin: ["access", "accounts", "applications", "passwords", "sessions", "users", "users/lists"],
  "calls/signals": [],
  "push/channels": [],
  "push/payload": ["push/channels"],
  "push/providers/port": ["push/payload"],
  "push/deps": ["access", "push/channels", "push/providers/port", "session-events"],
  "push/credentials": [
    "access",
    "applications",
    "push/channels",
    "push/providers/port",
    "session-events",
  ],
  "push/providers/http": ["push/providers/port"],
  "push/providers/web": [
    "push/credentials",
    "push/payload",
    "push/providers/http",
    "push/providers/port",
  ],
  "push/devices": [
    "access",
    "applications",
    "push/channels",
    "push/deps",
    "push/providers/web",
    "users",
  ],
  "push/events": [
    "access",
    "applications",
    "push/channels",
    "push/deps",
    "push/devices",
    "push/payload",
    "users/lists",
  ],
  "calls/history": [
    "access",
    "applications",
    "calls/signals",
    "push/channels",
    "push/deps",
    "push/events",
    "push/payload",
    "users",
    "users/lists",
  ],
  "calls/inbox": ["calls/signals"],
  calls: ["access", "calls/history", "calls/inbox", "calls/signals", "users"],
  "calls/ice": ["access"],
  "password-reset": ["access", "applications", "passwords", "sessions", "users"],
  "push/delivery": [
    "access",
    "push/channels",
    "push/deps",
    "push/devices",
    "push/events",
    "push/payload",
    "push/providers/port",
    "users/lists",
  ],
  "web-sessions": ["access", "sessions"],
  "push/providers/apns": [
    "push/channels",
    "push/credentials",
    "push/payload",
    "push/providers/http",
    "push/providers/port",
  ],
  "push/providers/fcm": [
    "push/credentials",
    "push/payload",
    "push/providers/http",
    "push/providers/port",
  ],
  "push/providers": [
    "push/channels",
    "push/credentials",
    "push/providers/apns",
    "push/providers/fcm",
    "push/providers/port",
    "push/providers/web",
  ],
  push: [
    "push/credentials",
    "push/delivery",
    "push/deps",
    "push/devices",
    "push/events",
    "push/providers",
    "users",
  ],
  // Layer 3, transports: how clients reach it.
  "cli/client": [],
  "cli/doctor": ["cli/client"],
  cli: ["cli/client", "cli/doctor"],
  "graphql/engine": [],
  graphql: ["graphql/engine", "http"],
  "graphql/socket": ["graphql", "graphql/engine"],
  http: [],
  pages: [],
  rest: ["graphql/engine", "http"],
  "xmpp/stanza": [],
  "xmpp/stream": ["xmpp/stanza"],
  "xmpp/stream-management": ["xmpp/stanza", "xmpp/stream"],
  "xmpp/c2s": ["xmpp/stanza", "xmpp/stream", "xmpp/stream-management"],
  "xmpp/transport": ["xmpp/c2s", "xmpp/stream"],
  xmpp: ["xmpp/c2s", "xmpp/stream-management", "xmpp/transport"],
  "xmpp/component": ["xmpp/c2s", "xmpp/stanza"],
};

/** The folder that owns each table of schema.prisma, together with its subfolders. */
export const TABLE_OWNERS: Record<string, string> = {
  accounts: "accounts",
  account_sessions: "accounts",
  applications: "applications",
  users: "users",
  user_tags: "users",
  identities: "sign-in",
  password_resets: "password-reset",
  sessions: "sessions",
  nonces: "sessions",
  push_credentials: "push/credentials",
  push_subscriptions: "push/devices",
  push_events: "push/events",
  push_deliveries: "push/delivery",
  calls: "calls/history",
  call_participants: "calls/history",
};

/** The table of each model of the Prisma client. */
export const PRISMA_MODELS: Record<string, string> = {
  account: "accounts",
  accountSession: "account_sessions",
  application: "applications",
  user: "users",
  userTag: "user_tags",
  identity: "identities",
  passwordReset: "password_resets",
  session: "sessions",
  nonce: "nonces",
  pushCredential: "push_credentials",
  pushSubscription: "push_subscriptions",
  pushEvent: "push_events",
  pushDelivery: "push_deliveries",
  call: "calls",
  callParticipant: "call_participants",
};

/** Files with SQL outside of *-queries.ts, and why. */
export const STATEMENT_FILES: Record<string, string> = {
  "jobs/pg-boss.ts": "The tables of the job queue belong to pg-boss, in a schema of its own.",
  "store/embedded.ts": "The check of the connection reads no table.",
  "store/health-check.ts": "The facts about the server are in no table of the service.",
  "store/migrate.ts": "The history of migrations is Prisma's table, under Prisma's lock.",
  "store/node-lock.ts": "The lock of a single node is an advisory lock of its own connection.",
  "store/postgres.ts": "The check of the connection reads no table.",
  "store/rows/expired-rows.ts": "It builds the purge of a table for the *-queries.ts of its owner.",
};

/** Files with statements on tables of other folders, and why one statement must use several tables. */
export const FOREIGN_STATEMENTS: Record<string, { tables: string[]; reason: string }> = {
  "calls/history/call-queries.ts": {
    tables: ["users"],
    reason: "A set operation inserts calls and participants only for users that exist.",
  },
  "password-reset/password-reset-queries.ts": {
    tables: ["users"],
    reason: "A link is inserted under a lock of its user, whose address may change.",
  },
  "push/delivery/delivery-queries.ts": {
    tables: ["push_events", "push_subscriptions"],
    reason:
      "A delivery is read and written together with its device and event, for a whole batch at once.",
  },
  "push/delivery/recipient-window-queries.ts": {
    tables: ["push_subscriptions", "user_tags", "users"],
    reason:
      "Fan-out, a row of bench:push, finds a window of recipients and writes their deliveries in one statement.",
  },
  "push/devices/recipient-queries.ts": {
    tables: ["user_tags", "users"],
    reason: "A selector names users or tags, and a count stops at the first devices that match it.",
  },
  "push/events/dispatch-queries.ts": {
    tables: ["push_deliveries"],
    reason: "The purge reads an event's oldest delivery in the update, since new ones may appear.",
  },
  "sessions/session-queries.ts": {
    tables: ["users"],
    reason:
      "Every request looks its session up together with the user, and a session is inserted or bound to a user under a lock of the user, who may change the password.",
  },
  "sessions/web-session-queries.ts": {
    tables: ["users"],
    reason: "A web session is bound under a lock of its user, who may change the password.",
  },
};
