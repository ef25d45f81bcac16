import type { Party } from "../../calls/signal";
import { newId } from "../../core/random";
import { attribute, escapeText } from "../element";
import { formatJid } from "../jid";
import type { Ended } from "./sign-ins";

/** Namespace of what this service says to its own module in Prosody. */
const OURS = "urn:signalbox:chat:0";
const COMMANDS = "http://jabber.org/protocol/commands";
const ADMIN = "http://jabber.org/protocol/admin";

/** Who speaks to whom. */
interface Addresses {
  /** The component. */
  from: string;
  /** The chat server. */
  to: string;
}

/** Asks our module in Prosody to close the streams that a session or a user signed in. */
export function endedNotice({ from, to }: Addresses, { sessionId, userId }: Ended): string {
  const head = attribute("from", from) + attribute("to", to);
  const what = attribute("session", sessionId?.toString()) + attribute("user", userId?.toString());
  return `<message type="headline"${head}><ended xmlns="${OURS}"${what}/></message>`;
}

/**
 * Asks a chat server to close all streams of a user (XEP-0133 section 4.5), as ejabberd lets its
 * administrators. It knows no sessions of ours: who has another way to sign in comes back by it.
 */
export function endUserSession({ from, to }: Addresses, user: Party): string {
  const head = attribute("from", from) + attribute("to", to) + attribute("id", newId());
  const field = (name: string, value: string) =>
    `<field${attribute("var", name)}><value>${escapeText(value)}</value></field>`;
  const form = field("FORM_TYPE", ADMIN) + field("accountjid", formatJid(user, to));
  return `<iq type="set"${head}><command xmlns="${COMMANDS}" node="${ADMIN}#end-user-session" action="execute"><x xmlns="jabber:x:data" type="submit">${form}</x></command></iq>`;
}
