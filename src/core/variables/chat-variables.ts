import { z } from "zod";
import { hostPort, type Variable, variable } from "./variable";

/** A secret shared with another program; neither short enough to guess nor copied from an example. */
/** A secret that another program sends. */
export const sharedSecret = z
  .string()
  .refine(
    (text) => text.length >= 16 && !/^(?:change|replace)/i.test(text),
    "must have at least 16 characters and must not be an example's (openssl rand -hex 24)",
  );

/** Whether this service or an external chat server serves chat clients (docs/OPERATIONS.md). */
export const CHAT_VARIABLES = {
  CHAT_MODE: variable(
    z.enum(["embedded", "component"], "must be embedded or component"),
    "embedded",
    "Who serves chat clients: this service (embedded), or a Prosody or ejabberd server that it connects to as a component (component); see OPERATIONS.md.",
  ),
  CHAT_SERVER: variable(
    hostPort,
    "127.0.0.1:5347",
    "With CHAT_MODE=component: address of the chat server for component connections (XEP-0114), host:port. The connection is not encrypted: use loopback or a private network only.",
  ),
  CHAT_COMPONENT: variable(
    z.string().regex(/^[a-z0-9.-]+$/, "must be a lower-case domain"),
    undefined,
    "With CHAT_MODE=component: the component's domain at the chat server; by default calls. followed by CHAT_DOMAIN.",
  ),
  CHAT_SECRET: variable(
    sharedSecret,
    undefined,
    "Required with CHAT_MODE=component: the component's secret at the chat server.",
    true,
  ),
  CHAT_SIGN_IN_SECRET: variable(
    sharedSecret,
    undefined,
    "Secret that lets a chat server verify sign-ins through POST /chat/sign-in. Without it the path does not exist.",
    true,
  ),
} satisfies Record<string, Variable>;
