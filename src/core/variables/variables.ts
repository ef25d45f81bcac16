import { z } from "zod";
import { CHAT_VARIABLES, sharedSecret } from "./chat-variables";
import { CONFERENCE_VARIABLES } from "./conference-variables";
import { LIMIT_VARIABLES } from "./limit-variables";
import { PORT_BASE_MAX } from "./port-variables";
import {
  decodeKey,
  flag,
  hostname,
  integer,
  isIceUrl,
  isNetwork,
  isWebOrigin,
  LOG_LEVELS,
  list,
  mailSender,
  portOrOff,
  renamed,
  url,
  type Variable,
  variable,
} from "./variable";

/** All environment variables of the service: schema, default and description. */
export const VARIABLES = {
  PORT_BASE: variable(
    integer(1, PORT_BASE_MAX),
    undefined,
    "Moves all ports together, for a second server on a machine: this is PORT, and the next ones are XMPP_WS_PORT, XMPP_WSS_PORT, XMPP_TCP_PORT, XMPP_TLS_PORT, CONFERENCE_WS_PORT, CONFERENCE_WSS_PORT and RTC_PORT, in this order. A port whose own variable is set does not move.",
  ),
  PORT: variable(integer(0, 65535), "4000", "Port of the HTTP server; 0 for any free port."),
  HOST: variable(
    hostname,
    "127.0.0.1",
    "Listening address of the HTTP server and the chat endpoint.",
  ),
  XMPP_WS_PORT: variable(
    portOrOff,
    "5291",
    "Port of the chat endpoint for XMPP over WebSocket (ws:); 0 for any free port, off for none.",
  ),
  XMPP_WSS_PORT: variable(
    portOrOff,
    "5292",
    "Port of the chat endpoint for XMPP over WebSocket with TLS (wss:).",
  ),
  XMPP_TCP_PORT: variable(
    portOrOff,
    "5222",
    "Port of the chat endpoint for XMPP over TCP with STARTTLS.",
  ),
  XMPP_TLS_PORT: variable(
    portOrOff,
    "5223",
    "Port of the chat endpoint for XMPP over TCP with direct TLS.",
  ),
  ...CONFERENCE_VARIABLES,
  TLS_CERT_FILE: variable(
    z.string(),
    undefined,
    "Certificate chain of the chat endpoint in PEM, its own certificate first. Reloaded when the file changes and on SIGHUP. Without it a self-signed certificate for CHAT_DOMAIN is created in DATA_DIR.",
  ),
  TLS_KEY_FILE: variable(
    z.string(),
    undefined,
    "Private key of TLS_CERT_FILE in PEM, without a passphrase.",
  ),
  DATA_DIR: variable(
    z.string().min(1, "must not be empty"),
    ".data",
    "Folder of the embedded database, credentials.json, the self-signed certificate and, without SMTP_URL, mail.",
  ),
  DATABASE_URL: variable(
    url("postgresql:", "postgres:"),
    undefined,
    "URL of a PostgreSQL database; by default the embedded database is used.",
    true,
  ),
  DATABASE_POOL: variable(integer(1, 500), "10", "Maximum number of connections to PostgreSQL."),
  REDIS_URL: variable(
    url("redis:", "rediss:"),
    undefined,
    "URL of the Redis server that connects the nodes of a deployment. Without it a deployment is a single node.",
    true,
  ),
  SECRET_KEY: variable(
    list.refine(
      (keys) => keys.length > 0 && keys.every((key) => decodeKey(key) !== null),
      "must be 32 bytes in Base64 or hexadecimal (openssl rand -base64 32)",
    ),
    undefined,
    "Key that encrypts secrets in the database: 32 bytes in Base64 or hexadecimal. Required with DATABASE_URL; for the embedded database a key is generated in DATA_DIR. To rotate it, put the new key in front, separated by a comma, until every node has started with both.",
    true,
  ),
  BASE_URL: variable(
    url("http:", "https:"),
    undefined,
    "Public base URL of the REST API; by default the address of the HTTP server.",
  ),
  SIGNALBOX_URL: variable(
    url("http:", "https:"),
    undefined,
    "URL of the running server, for the command line; by default derived from HOST and PORT.",
  ),
  SIGNALBOX_TOKEN: variable(
    z.string(),
    undefined,
    "Token of a member of an account, for the command line; by default it has the session of signalbox sign-in, or signs in with DATA_DIR/owner.json.",
    true,
  ),
  CHAT_URL: variable(
    url("ws:", "wss:"),
    undefined,
    "Public URL of the chat endpoint; by default the address of the first open chat port.",
  ),
  CHAT_DOMAIN: variable(
    z.string().regex(/^[a-z0-9.-]+$/, "must be a lower-case domain"),
    "localhost",
    "Domain of the users' JIDs, {user_id}-{application_id}@{domain}.",
  ),
  TURN_URLS: variable(
    list.refine(
      (urls) => urls.every(isIceUrl),
      "must be stun:, stuns:, turn: or turns: URLs (turn:turn.example:3478?transport=udp), comma-separated",
    ),
    "",
    "URLs of the STUN and TURN servers that iceServers returns, comma-separated, preferred first: stun:turn.example:3478,turn:turn.example:3478?transport=udp. By default, if TURN_SECRET is set, TURN_HOST on port 3478.",
  ),
  TURN_SECRET: variable(
    list.refine(
      // Only characters that coturn reads literally, and no secret copied from an example.
      (secrets) =>
        secrets.length > 0 &&
        secrets.every((text) => /^[\w+/=.~-]{16,}$/.test(text) && !/^replace/i.test(text)),
      "must have at least 16 letters, digits or + / = _ . ~ - and must not be an example's (openssl rand -hex 32)",
    ),
    undefined,
    "Secret shared with the TURN server (coturn's static-auth-secret), from which TURN credentials are derived. To rotate it, put the new secret in front, separated by a comma. Without it iceServers returns STUN servers only.",
    true,
  ),
  TURN_TTL_SECONDS: variable(
    integer(60, 604_800),
    "43200",
    "Lifetime of TURN credentials, in seconds.",
  ),
  TURN_HOST: variable(
    hostname,
    undefined,
    "Host of the STUN/TURN server, as returned by GET /account_settings; by default the host of the first of TURN_URLS, or localhost.",
  ),
  SMTP_URL: variable(
    url("smtp:", "smtps:"),
    undefined,
    "URL of the mail server, smtp://user:password@host:587 or smtps://. Without it mail is written to DATA_DIR/mail with the embedded database, and not sent at all with PostgreSQL.",
    true,
  ),
  MAIL_FROM: variable(
    mailSender,
    "Signalbox <no-reply@localhost>",
    "Sender of mail: an address, or a name and an address in angle brackets.",
  ),
  CORS_ORIGINS: variable(
    list.refine(
      (origins) => origins.every((text) => text === "*" || isWebOrigin(text)),
      "must be * or web origins as browsers send them, with their scheme (https://app.example), comma-separated",
    ),
    "*",
    "Web origins allowed by CORS, each with its scheme, comma-separated; * for any. Credentials are never allowed.",
  ),
  TRUST_PROXY: variable(
    list.refine(
      (entries) => entries.every(isNetwork),
      "must be addresses or networks (10.0.0.0/8), comma-separated",
    ),
    "",
    "Addresses or networks of trusted proxies, whose X-Forwarded-For is used, comma-separated.",
  ),
  LOG_LEVEL: variable(
    z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`) as z.ZodType<
      (typeof LOG_LEVELS)[number],
      string
    >,
    "info",
    "Minimum log level: fatal, error, warn, info, debug, trace or silent.",
  ),
  METRICS_TOKEN: variable(
    sharedSecret,
    undefined,
    "Token with which /metrics can be read from another machine (Authorization: Bearer). Without it only programs on this machine can read it.",
    true,
  ),
  ALLOW_PRIVATE_NETWORKS: renamed(
    "PUSH_ALLOW_PRIVATE_NETWORKS",
    variable(
      flag,
      "false",
      "Whether URLs that applications and devices configure (sign-in providers, push services, browsers' push endpoints) may point into private networks and use http: there. For test stand-ins on this machine and for relays in a private network.",
    ),
  ),
  PUSH_RETENTION_DAYS: renamed(
    "PUSH_KEEP_DAYS",
    variable(
      integer(1, 3650),
      "30",
      "Number of days that push deliveries are kept after their event was dispatched; the event's counts are kept longer.",
    ),
  ),
  CALL_RETENTION_DAYS: renamed(
    "CALL_KEEP_DAYS",
    variable(
      integer(1, 3650),
      "90",
      "Number of days that the record of a call is kept after the call began.",
    ),
  ),
  ...CHAT_VARIABLES,
  ...LIMIT_VARIABLES,
} satisfies Record<string, Variable>;
