import { z } from "zod";
import { hostPort, type Variable, variable } from "./variable";

/** A secret that another program is given as well; short ones can be guessed, and an example's is everybody's. */
const sharedSecret = z
  .string()
  .refine(
    (text) => text.length >= 16 && !/^(?:change|replace)/i.test(text),
    "must be at least 16 characters, and none of an example (openssl rand -hex 24)",
  );

/** Whether chat clients are served here or by a chat server (docs/OPERATIONS.md). */
export const CHAT_VARIABLES = {
  CHAT_MODE: variable(
    z.enum(["embedded", "component"], "must be embedded or component"),
    "embedded",
    "Who serves chat clients: this service itself (embedded), or a Prosody or ejabberd that it attaches to (component); see OPERATIONS.md.",
  ),
  CHAT_SERVER: variable(
    hostPort,
    "127.0.0.1:5347",
    "With CHAT_MODE=component: where the chat server takes components (XEP-0114), host:port. The link is not encrypted: loopback or a private network only.",
  ),
  CHAT_COMPONENT: variable(
    z.string().regex(/^[a-z0-9.-]+$/, "must be a domain in lower case"),
    undefined,
    "With CHAT_MODE=component: the component's name at the chat server; calls. and CHAT_DOMAIN by default.",
  ),
  CHAT_SECRET: variable(
    sharedSecret,
    undefined,
    "With CHAT_MODE=component, and needed there: the component's secret at the chat server.",
    true,
  ),
  CHAT_SIGN_IN_SECRET: variable(
    sharedSecret,
    undefined,
    "Secret by which the chat server may ask POST /chat/sign-in who may sign in. Without it there is no such path.",
    true,
  ),
} satisfies Record<string, Variable>;
