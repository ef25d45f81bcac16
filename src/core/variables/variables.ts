import { z } from "zod";
import { CHAT_VARIABLES } from "./chat-variables";
import { LIMIT_VARIABLES } from "./limit-variables";
import {
  flag,
  hostname,
  integer,
  isIceUrl,
  isNetwork,
  keyBytes,
  LEVELS,
  list,
  portOrOff,
  sender,
  url,
  type Variable,
  variable,
} from "./variable";

/** Every environment variable the service reads: its form, its default and what it does. */
export const VARIABLES = {
  PORT: variable(integer(0, 65535), "4000", "Port of the HTTP server; 0 takes a free one."),
  HOST: variable(
    hostname,
    "127.0.0.1",
    "Address that the HTTP server and the chat endpoint listen on.",
  ),
  XMPP_WS_PORT: variable(
    portOrOff,
    "5291",
    "Port of the chat endpoint, XMPP over WebSocket (ws:); 0 takes a free one, off opens none.",
  ),
  XMPP_WSS_PORT: variable(portOrOff, "5292", "The same inside TLS (wss:)."),
  XMPP_TCP_PORT: variable(
    portOrOff,
    "5222",
    "Port of the chat endpoint, XMPP over TCP, where TLS begins with STARTTLS.",
  ),
  XMPP_TLS_PORT: variable(portOrOff, "5223", "The same where TLS begins with the first byte."),
  TLS_CERT_FILE: variable(
    z.string(),
    undefined,
    "Certificate of the chat endpoint in PEM, those that lead to its authority behind it. Read again when it changes, and on SIGHUP. Without it a self-signed one for CHAT_DOMAIN is made in DATA_DIR.",
  ),
  TLS_KEY_FILE: variable(
    z.string(),
    undefined,
    "Private key of TLS_CERT_FILE in PEM, without a passphrase.",
  ),
  DATA_DIR: variable(
    z.string().min(1, "must not be empty"),
    ".data",
    "Folder of the embedded database, of credentials.json, of the self-signed certificate and of mail that no SMTP server takes.",
  ),
  DATABASE_URL: variable(
    url("postgresql:", "postgres:"),
    undefined,
    "PostgreSQL in place of the embedded database.",
    true,
  ),
  DATABASE_POOL: variable(integer(1, 500), "10", "Connections to PostgreSQL at most."),
  REDIS_URL: variable(
    url("redis:", "rediss:"),
    undefined,
    "Redis that joins several nodes into one deployment. Without it a deployment is one node.",
    true,
  ),
  SECRET_KEY: variable(
    list.refine(
      (keys) => keys.length > 0 && keys.every((key) => keyBytes(key) !== null),
      "must be 32 bytes in Base64 or hexadecimal (openssl rand -base64 32)",
    ),
    undefined,
    "Key that secrets in the database are encrypted with: 32 bytes in Base64 or hexadecimal. Needed with DATABASE_URL; the embedded database makes its own in DATA_DIR. To change it, put the new one in front, separated by a comma, until every node has started with both.",
    true,
  ),
  BASE_URL: variable(
    url("http:", "https:"),
    undefined,
    "Public address of the REST paths; by default that of the HTTP server.",
  ),
  SIGNALBOX_URL: variable(
    url("http:", "https:"),
    undefined,
    "Address of the running server, for the command line; by default HOST and PORT.",
  ),
  SIGNALBOX_TOKEN: variable(
    z.string(),
    undefined,
    "An account owner's token, for the command line; by default it signs in with DATA_DIR/owner.json.",
    true,
  ),
  CHAT_URL: variable(
    url("ws:", "wss:"),
    undefined,
    "Public address of the chat endpoint; by default that of the chat server.",
  ),
  CHAT_DOMAIN: variable(
    z.string().regex(/^[a-z0-9.-]+$/, "must be a domain in lower case"),
    "localhost",
    "Domain of the users' JIDs, {user_id}-{application_id}@{domain}.",
  ),
  TURN_URLS: variable(
    list.refine(
      (urls) => urls.every(isIceUrl),
      "must be stun:, stuns:, turn: or turns: URLs (turn:turn.example:3478?transport=udp), comma-separated",
    ),
    "",
    "STUN and TURN servers that iceServers names, comma-separated, the preferred first: stun:turn.example:3478,turn:turn.example:3478?transport=udp. By default those of TURN_HOST on port 3478, where TURN_SECRET is set.",
  ),
  TURN_SECRET: variable(
    list.refine(
      // Characters that mean the same to coturn; an example's secret is everybody's.
      (secrets) =>
        secrets.length > 0 &&
        secrets.every((text) => /^[\w+/=.~-]{16,}$/.test(text) && !/^replace/i.test(text)),
      "must be 16 letters, digits or + / = _ . ~ - at least, and none of an example (openssl rand -hex 32)",
    ),
    undefined,
    "Secret shared with the TURN server (coturn's static-auth-secret), which credentials for it are made with. To change it, put the new one in front, separated by a comma. Without it iceServers names STUN servers alone.",
    true,
  ),
  TURN_TTL_SECONDS: variable(
    integer(60, 604_800),
    "43200",
    "Seconds that credentials for the TURN server are good for.",
  ),
  TURN_HOST: variable(
    hostname,
    undefined,
    "Host of the STUN/TURN server, as GET /account_settings names it; by default that of the first of TURN_URLS, or localhost.",
  ),
  SMTP_URL: variable(
    url("smtp:", "smtps:"),
    undefined,
    "Mail server, smtp://user:password@host:587 or smtps://. Without it the embedded mode writes mail to DATA_DIR/mail, and any other sends none.",
    true,
  ),
  MAIL_FROM: variable(
    sender,
    "Signalbox <no-reply@localhost>",
    "Sender of mail: an address, with or without a name in front.",
  ),
  CORS_ORIGINS: variable(
    list,
    "*",
    "Web origins that may call, comma-separated; * for any. Never with credentials.",
  ),
  TRUST_PROXY: variable(
    list.refine(
      (entries) => entries.every(isNetwork),
      "must be addresses or networks (10.0.0.0/8), comma-separated",
    ),
    "",
    "Addresses or networks of proxies whose X-Forwarded-For is believed, comma-separated.",
  ),
  LOG_LEVEL: variable(
    z.enum(LEVELS, `must be one of ${LEVELS.join(", ")}`) as z.ZodType<
      (typeof LEVELS)[number],
      string
    >,
    "info",
    "Least level that is logged: fatal, error, warn, info, debug, trace or silent.",
  ),
  ALLOW_PRIVATE_NETWORKS: {
    ...variable(
      flag,
      "false",
      "Whether addresses that owners and devices name may lead into private networks, and to http: there: a sign-in provider's and a push service's own address by an application, a browser's push endpoint by its device. For stand-ins on this machine, and for relays in a network of one's own. PUSH_ALLOW_PRIVATE_NETWORKS is its older name, and is read where this one is not set.",
    ),
    formerly: "PUSH_ALLOW_PRIVATE_NETWORKS",
  },
  PUSH_KEEP_DAYS: variable(
    integer(1, 3650),
    "30",
    "Days that single push deliveries are kept after their event was dispatched; its counts stay.",
  ),
  CALL_KEEP_DAYS: variable(
    integer(1, 3650),
    "90",
    "Days that the record of a call is kept after it began.",
  ),
  ...CHAT_VARIABLES,
  ...LIMIT_VARIABLES,
} satisfies Record<string, Variable>;
