import { newId } from "../../../core/random";
import type { Party } from "../../../domain/calls/signals/signal";
import { attribute, escapeText } from "../../../platform/xml/ltx-element";
import { formatJid } from "../stanza/jid";
import type { Termination } from "./sign-in-index";

/** Namespace of the messages to mod_signalbox_calls at Prosody. */
const SIGNALBOX = "urn:signalbox:chat:0";
const COMMANDS = "http://jabber.org/protocol/commands";
const ADMIN = "http://jabber.org/protocol/admin";

interface Addresses {
  /** The component. */
  from: string;
  /** The chat server. */
  to: string;
}

/** Tells mod_signalbox_calls at Prosody to close the streams of a session or user. */
export function terminationNotice(
  { from, to }: Addresses,
  { sessionId, userId }: Termination,
): string {
  const head = attribute("from", from) + attribute("to", to);
  const subject =
    attribute("session", sessionId?.toString()) + attribute("user", userId?.toString());
  return `<message type="headline"${head}><ended xmlns="${SIGNALBOX}"${subject}/></message>`;
}

/**
 * Tells a chat server to close all streams of a user (XEP-0133 section 4.5), which ejabberd allows its
 * administrators. ejabberd does not know the sessions: a client with other valid credentials reconnects.
 */
export function endUserSession({ from, to }: Addresses, user: Party): string {
  const head = attribute("from", from) + attribute("to", to) + attribute("id", newId());
  const field = (name: string, value: string) =>
    `<field${attribute("var", name)}><value>${escapeText(value)}</value></field>`;
  const form = field("FORM_TYPE", ADMIN) + field("accountjid", formatJid(user, to));
  return `<iq type="set"${head}><command xmlns="${COMMANDS}" node="${ADMIN}#end-user-session" action="execute"><x xmlns="jabber:x:data" type="submit">${form}</x></command></iq>`;
}
