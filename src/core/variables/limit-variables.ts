import { flag, integer, type Variable, variable } from "./variable";

/** A number of times a minute; 0 for any. */
const perMinute = (fallback: number, about: string) =>
  variable(integer(0, 100_000_000), String(fallback), `${about} a minute at most; 0 for any.`);

/** How often something may happen (docs/LIMITS.md). */
const RATE_VARIABLES = {
  RATE_REQUESTS_PER_IP: perMinute(
    6_000,
    "Operations of one address (an IPv6 network of 64 bits) on one node",
  ),
  RATE_REQUESTS_PER_APPLICATION: perMinute(
    600_000,
    "Operations of one application's sessions on one node",
  ),
  RATE_SESSIONS_PER_IP: perMinute(600, "Sessions that one address creates on one node"),
  RATE_SESSIONS_PER_APPLICATION: perMinute(
    30_000,
    "Sessions that are created for one application on one node",
  ),
  RATE_SIGN_INS_PER_IP: perMinute(60, "Sign-ins, right or wrong, of one address"),
  RATE_SIGN_INS_PER_APPLICATION: perMinute(6_000, "Sign-ins, right or wrong, to one application"),
  RATE_SIGN_UPS_PER_IP: perMinute(60, "Sign-ups of one address"),
  RATE_SIGN_UPS_PER_APPLICATION: perMinute(3_000, "Sign-ups to one application"),
  RATE_RESETS_PER_IP: perMinute(20, "Password resets that one address asks for"),
  RATE_RESETS_PER_APPLICATION: perMinute(600, "Password resets that one application asks for"),
  RATE_PASSWORDS_PER_USER: perMinute(
    10,
    "Passwords that one user or owner sets (each is a sign-in of its address as well)",
  ),
  RATE_MESSAGES_PER_USER: perMinute(
    6_000,
    "Messages and signals that one user sends, over whatever protocol and through all nodes together",
  ),
  RATE_MESSAGE_BYTES_PER_USER: perMinute(
    8_388_608,
    "Bytes of messages and signals that one user sends, over whatever protocol and through all nodes together",
  ),
  RATE_CHAT_SIGN_INS_PER_USER: perMinute(
    60,
    "Chat streams that one user signs in, by password or token, on one node",
  ),
  RATE_PUSHES_PER_USER: perMinute(60, "Push events that one user asks for"),
  FAILURES_FREE: variable(
    integer(0, 100_000),
    "5",
    "Wrong passwords for one name from one address before the next has to wait: 1 second, doubled by every further one, 15 minutes at most. 0 never waits.",
  ),
  FAILURES_FREE_PER_NAME: variable(
    integer(0, 100_000),
    "100",
    "Wrong passwords for one name from all addresses before the next has to wait, a minute at most. 0 never waits.",
  ),
  FAILURES_FREE_PER_IP: variable(
    integer(0, 100_000),
    "50",
    "Wrong passwords from one address for all names before the next has to wait, 15 minutes at most. 0 never waits.",
  ),
} satisfies Record<string, Variable>;

/** What one client may ask for, and for how long. */
export const LIMIT_VARIABLES = {
  ...RATE_VARIABLES,
  INTROSPECTION: variable(flag, "true", "Whether the GraphQL schema may be read by introspection."),
  GRAPHIQL: variable(flag, "true", "Whether a browser gets GraphiQL at /graphql."),
  GRAPHQL_MAX_DEPTH: variable(integer(1, 100), "15", "Levels of a GraphQL operation at most."),
  GRAPHQL_MAX_ALIASES: variable(integer(0, 1000), "30", "Aliases of a GraphQL operation at most."),
  GRAPHQL_MAX_DIRECTIVES: variable(
    integer(0, 1000),
    "50",
    "Directives of a GraphQL operation at most.",
  ),
  GRAPHQL_MAX_TOKENS: variable(
    integer(100, 100_000),
    "2000",
    "Lexical tokens of a GraphQL document at most.",
  ),
  GRAPHQL_MAX_COST: variable(
    integer(100, 10_000_000),
    "10000",
    "Cost of a GraphQL operation at most: 2 for an object, 1 for a scalar, times 1.5 for each level.",
  ),
  GRAPHQL_CACHE: variable(
    integer(1, 100_000),
    "500",
    "Prepared GraphQL operations that are kept at most.",
  ),
  INBOXES_BYTES: variable(
    integer(0, 1_099_511_627_776),
    "268435456",
    "Bytes that all inboxes of signals hold together at most, 512 for each signal and 4,096 for each inbox beside; more are refused. With Redis it holds for all nodes (docs/OPERATIONS.md says how much Redis needs), without for the node's memory. 0 for any.",
  ),
  GRAPHQL_SOCKET_OPERATIONS: variable(
    integer(1, 10_000),
    "100",
    "Operations under way on one WebSocket at most.",
  ),
  GRAPHQL_ANONYMOUS_SOCKETS: variable(
    integer(1, 1_000_000),
    "5000",
    "WebSockets to /graphql without a session on a node at most; beyond, the one that is open longest is closed.",
  ),
  GRAPHQL_ANONYMOUS_SOCKETS_PER_IP: variable(
    integer(1, 1_000_000),
    "100",
    "WebSockets to /graphql without a session from one address (an IPv6 network of 64 bits) on a node at most.",
  ),
  GRAPHQL_ANONYMOUS_IDLE_SECONDS: variable(
    integer(1, 86_400),
    "60",
    "Seconds that a WebSocket to /graphql without a session may stay without an operation under way.",
  ),
  BODY_LIMIT: variable(
    integer(1024, 104_857_600),
    "262144",
    "Bytes of a request body, and of a WebSocket message to /graphql, at most.",
  ),
  OVERLOAD_DELAY_MS: variable(
    integer(0, 60_000),
    "100",
    "Milliseconds of event-loop delay beyond which the node, when the delay lasts, refuses new connections and requests without a token, then requests, with 503. 0 never refuses for it.",
  ),
  OVERLOAD_REQUESTS: variable(
    integer(0, 1_000_000),
    "200",
    "Requests in flight beyond which the node refuses new connections and requests without a token with 503; beyond twice as many, every request. 0 never refuses for it.",
  ),
  PASSWORD_WAIT_MS: variable(
    integer(100, 3_600_000),
    "2000",
    "Milliseconds that a password waits at most to be hashed; who would wait longer is refused with 429.",
  ),
  XMPP_TRUSTED_PROXY: variable(
    flag,
    "false",
    "Whether a proxy in front of the chat endpoint ends TLS. Beyond loopback SASL PLAIN is refused without it.",
  ),
  XMPP_STANZA_LIMIT: variable(
    integer(10_000, 10_485_760),
    "65536",
    "Bytes of a stanza at most (8,192 before authentication).",
  ),
  XMPP_BYTES_PER_SECOND: variable(
    integer(0, 1_073_741_824),
    "262144",
    "Bytes a second that a chat stream may send, and four seconds' worth at once; beyond, it is read no faster. 0 for any. The Prosody configuration that comes with the service has the same.",
  ),
  XMPP_IDLE_SECONDS: variable(
    integer(1, 86_400),
    "60",
    "Seconds of silence after which a chat stream is pinged; dropped after as many more.",
  ),
  PROVIDER_TIMEOUT_MS: variable(
    integer(100, 60_000),
    "10000",
    "Milliseconds that Facebook, Twitter or Firebase may take to confirm a sign-in, and a push service to check credentials.",
  ),
  DRAIN_SECONDS: variable(
    integer(0, 600),
    "10",
    "Seconds that requests under way get to finish after SIGTERM, once the sockets were told to reconnect.",
  ),
  DRAIN_SPREAD_SECONDS: variable(
    integer(0, 600),
    "5",
    "Seconds at most over which open sockets are told to reconnect after SIGTERM, so that they do not all come to the other nodes at once; a few go sooner.",
  ),
} satisfies Record<string, Variable>;
