import { flag, integer, renamed, type Variable, variable } from "./variable";

/** A maximum number per minute; 0 for no limit. */
const perMinute = (fallback: number, about: string) =>
  variable(
    integer(0, 100_000_000),
    String(fallback),
    `Maximum number of ${about} per minute; 0 for no limit.`,
  );

/** Rate limits (docs/LIMITS.md). */
const RATE_VARIABLES = {
  RATE_REQUESTS_PER_IP: perMinute(
    6_000,
    "operations from one address (an IPv6 /64 network) on one node",
  ),
  RATE_REQUESTS_PER_APPLICATION: perMinute(
    600_000,
    "operations of one application's sessions on one node",
  ),
  RATE_SESSIONS_PER_IP: perMinute(600, "sessions that one address creates on one node"),
  RATE_SESSIONS_PER_APPLICATION: perMinute(
    30_000,
    "sessions created for one application on one node",
  ),
  RATE_SIGN_INS_PER_IP: perMinute(60, "sign-in attempts from one address"),
  RATE_SIGN_INS_PER_APPLICATION: perMinute(6_000, "sign-in attempts to one application"),
  RATE_SIGN_UPS_PER_IP: perMinute(60, "sign-ups from one address"),
  RATE_SIGN_UPS_PER_APPLICATION: perMinute(3_000, "sign-ups to one application"),
  RATE_RESETS_PER_IP: perMinute(20, "password resets that one address requests"),
  RATE_RESETS_PER_APPLICATION: perMinute(600, "password resets that one application requests"),
  RATE_PASSWORDS_PER_USER: perMinute(
    10,
    "passwords that one user or member of an account sets (each also counts as a sign-in attempt from its address)",
  ),
  RATE_MESSAGES_PER_USER: perMinute(
    6_000,
    "messages and signals that one user sends, over all protocols and nodes together",
  ),
  RATE_MESSAGE_BYTES_PER_USER: perMinute(
    8_388_608,
    "bytes of messages and signals that one user sends, over all protocols and nodes together",
  ),
  RATE_NEW_CALLS_PER_USER: perMinute(
    60,
    "new calls (sessionIDs) that one user starts, and conferences that its first join creates, unless the application has a number of its own; repeats of a call do not count",
  ),
  RATE_CHAT_SIGN_INS_PER_USER: perMinute(
    60,
    "chat streams that one user authenticates on one node, by password or token",
  ),
  RATE_PUSHES_PER_USER: perMinute(
    60,
    "push events that one user creates, and users whom one user invites to conferences by push",
  ),
  FAILED_SIGN_INS_BEFORE_DELAY: renamed(
    "FAILURES_FREE",
    variable(
      integer(0, 100_000),
      "5",
      "Number of wrong passwords for one name from one address before further attempts are delayed: by 1 second, doubled with each failure, up to 15 minutes. 0 for no delay.",
    ),
  ),
  FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME: renamed(
    "FAILURES_FREE_PER_NAME",
    variable(
      integer(0, 100_000),
      "100",
      "Number of wrong passwords for one name from all addresses before further attempts are delayed, up to one minute. 0 for no delay.",
    ),
  ),
  FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: renamed(
    "FAILURES_FREE_PER_IP",
    variable(
      integer(0, 100_000),
      "50",
      "Number of wrong passwords from one address for all names before further attempts are delayed, up to 15 minutes. 0 for no delay.",
    ),
  ),
} satisfies Record<string, Variable>;

/** Limits on size, number and time. */
export const LIMIT_VARIABLES = {
  ...RATE_VARIABLES,
  INTROSPECTION: variable(flag, "true", "Whether GraphQL introspection is enabled."),
  GRAPHIQL: variable(flag, "true", "Whether browsers get GraphiQL at /graphql."),
  API_DOCS: variable(flag, "true", "Whether browsers get the reference of the REST API at /docs."),
  DASHBOARD: variable(
    flag,
    "true",
    "Whether members of accounts get the dashboard at /dashboard. With off it is neither built nor served.",
  ),
  GRAPHQL_MAX_DEPTH: variable(integer(1, 100), "15", "Maximum depth of a GraphQL operation."),
  GRAPHQL_MAX_ALIASES: variable(
    integer(0, 1000),
    "30",
    "Maximum number of aliases in a GraphQL operation.",
  ),
  GRAPHQL_MAX_DIRECTIVES: variable(
    integer(0, 1000),
    "50",
    "Maximum number of directives in a GraphQL operation.",
  ),
  GRAPHQL_MAX_TOKENS: variable(
    integer(100, 100_000),
    "2000",
    "Maximum number of lexical tokens in a GraphQL document.",
  ),
  GRAPHQL_MAX_COST: variable(
    integer(100, 10_000_000),
    "10000",
    "Maximum cost of a GraphQL operation: 2 for an object, 1 for a scalar, multiplied by 1.5 for each level.",
  ),
  GRAPHQL_CACHE: variable(
    integer(1, 100_000),
    "500",
    "Maximum number of cached prepared GraphQL operations.",
  ),
  INBOXES_BYTES: variable(
    integer(0, 1_099_511_627_776),
    "268435456",
    "Maximum size of all signal inboxes together, in bytes, including an overhead of 512 bytes for each signal and 4,096 bytes for each inbox; further signals are rejected. With Redis the limit applies to all nodes (docs/OPERATIONS.md says how much memory Redis needs), without Redis to the memory of the node. 0 for no limit.",
  ),
  SOCKETS_PER_IP: variable(
    integer(1, 1_000_000),
    "5000",
    "Maximum number of sockets with a session, over all protocols, from one address (an IPv6 /64 network) on one node. Raise it if more clients share one address, as behind a large NAT.",
  ),
  GRAPHQL_SOCKET_OPERATIONS: variable(
    integer(1, 10_000),
    "100",
    "Maximum number of concurrent operations on one WebSocket.",
  ),
  GRAPHQL_ANONYMOUS_SOCKETS: variable(
    integer(1, 1_000_000),
    "5000",
    "Maximum number of WebSockets to /graphql without a session on one node; beyond it the oldest is closed.",
  ),
  GRAPHQL_ANONYMOUS_SOCKETS_PER_IP: variable(
    integer(1, 1_000_000),
    "100",
    "Maximum number of WebSockets to /graphql without a session from one address (an IPv6 /64 network) on one node.",
  ),
  GRAPHQL_ANONYMOUS_IDLE_SECONDS: variable(
    integer(1, 86_400),
    "60",
    "Idle timeout of a WebSocket to /graphql without a session, in seconds; a running operation suspends it.",
  ),
  BODY_LIMIT: variable(
    integer(1024, 104_857_600),
    "262144",
    "Maximum size of a request body, and of a WebSocket message to /graphql, in bytes.",
  ),
  OVERLOAD_DELAY_MS: variable(
    integer(0, 60_000),
    "100",
    "Event-loop delay that counts as overload, in milliseconds. If the delay persists, the node rejects new connections and requests without a token with 503, then requests with a token. 0 disables this check.",
  ),
  OVERLOAD_REQUESTS: variable(
    integer(0, 1_000_000),
    "200",
    "Number of in-flight requests from which the node rejects new connections and requests without a token with 503; from twice this number it rejects every request. 0 disables this check.",
  ),
  PASSWORD_WAIT_MS: variable(
    integer(100, 3_600_000),
    "2000",
    "Maximum time that a password waits to be hashed, in milliseconds; a request that waits longer is rejected with 429.",
  ),
  XMPP_TRUSTED_PROXY: variable(
    flag,
    "false",
    "Whether a proxy in front of the chat endpoint terminates TLS. Without it SASL PLAIN without TLS is only accepted on loopback.",
  ),
  XMPP_STANZA_LIMIT: variable(
    integer(10_000, 10_485_760),
    "65536",
    "Maximum size of a stanza, in bytes (8,192 before authentication).",
  ),
  XMPP_BYTES_PER_SECOND: variable(
    integer(0, 1_073_741_824),
    "262144",
    "Maximum rate of a chat stream, in bytes per second, with bursts of four seconds' worth; beyond it the stream is throttled. 0 for no limit. The Prosody configuration that comes with the service uses the same rate.",
  ),
  XMPP_IDLE_SECONDS: variable(
    integer(1, 86_400),
    "60",
    "Idle time after which a chat stream is pinged, in seconds; after the same time without an answer it is closed.",
  ),
  PROVIDER_TIMEOUT_MS: variable(
    integer(100, 60_000),
    "10000",
    "Timeout of requests to Facebook, Twitter or Firebase that verify a sign-in, and to push services that check credentials, in milliseconds.",
  ),
  DRAIN_SECONDS: variable(
    integer(0, 600),
    "10",
    "Maximum time for in-flight requests to finish after SIGTERM, in seconds, counted from when all sockets are asked to reconnect.",
  ),
  DRAIN_SPREAD_SECONDS: variable(
    integer(0, 600),
    "5",
    "Maximum time over which open sockets are asked to reconnect after SIGTERM, in seconds, so that clients do not all reconnect to the other nodes at once; a few sockets take less.",
  ),
} satisfies Record<string, Variable>;
