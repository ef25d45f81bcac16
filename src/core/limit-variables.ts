import { flag, integer, type Variable, variable } from "./variable";

/** What one client may ask for, and for how long. */
export const LIMIT_VARIABLES = {
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
  GRAPHQL_SOCKET_OPERATIONS: variable(
    integer(1, 10_000),
    "100",
    "Operations under way on one WebSocket at most.",
  ),
  BODY_LIMIT: variable(
    integer(1024, 104_857_600),
    "262144",
    "Bytes of a request body, and of a WebSocket message to /graphql, at most.",
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
  XMPP_IDLE_SECONDS: variable(
    integer(1, 86_400),
    "60",
    "Seconds of silence after which a chat stream is pinged; dropped after as many more.",
  ),
  PROVIDER_TIMEOUT_MS: variable(
    integer(100, 60_000),
    "10000",
    "Milliseconds that Facebook, Twitter or Firebase may take to confirm a sign-in.",
  ),
  DRAIN_SECONDS: variable(
    integer(0, 600),
    "10",
    "Seconds that requests under way get to finish after SIGTERM.",
  ),
} satisfies Record<string, Variable>;
