import { z } from "zod";
import { LIMIT_VARIABLES } from "./limit-variables";
import {
  hostname,
  integer,
  isNetwork,
  keyBytes,
  LEVELS,
  list,
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
    integer(0, 65535),
    "5291",
    "Port of the chat endpoint, XMPP over WebSocket; 0 takes a free one.",
  ),
  DATA_DIR: variable(
    z.string().min(1, "must not be empty"),
    ".data",
    "Folder of the embedded database, of credentials.json and of mail that no SMTP server takes.",
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
  TURN_HOST: variable(
    hostname,
    "localhost",
    "Host of the STUN/TURN server, as GET /account_settings names it.",
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
  ...LIMIT_VARIABLES,
} satisfies Record<string, Variable>;
