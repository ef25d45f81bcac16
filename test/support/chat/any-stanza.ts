/** A kind of stanza. */
export interface AnyStanza {
  name: string;
  xml(to: string, id: string): string;
  /** Whether its sender gets an error: results and errors are dropped silently (RFC 6120 section 8.3). */
  answered: boolean;
}

const CLIENT = 'xmlns="jabber:client"';

const message = (name: string, type: string, content: string): AnyStanza => ({
  name,
  xml: (to, id) =>
    `<message ${CLIENT} to="${to}" id="${id}"${type && ` type="${type}"`}>${content}</message>`,
  answered: type !== "error",
});
const presence = (type: string): AnyStanza => ({
  name: `presence ${type || "available"}`,
  xml: (to, id) => `<presence ${CLIENT} to="${to}" id="${id}"${type && ` type="${type}"`}/>`,
  answered: type !== "error",
});
const iq = (name: string, type: string, content: string): AnyStanza => ({
  name: `iq ${type}: ${name}`,
  xml: (to, id) => `<iq ${CLIENT} to="${to}" id="${id}" type="${type}">${content}</iq>`,
  answered: type === "get" || type === "set",
});
const params = (content: string, rest = "") =>
  `<extraParams>${content}<signalType>hangUp</signalType><sessionID>s</sessionID></extraParams>${rest}`;
const MODULE = "<moduleIdentifier>WebRTCVideoChat</moduleIdentifier>";
const OTHER = "<moduleIdentifier>Another</moduleIdentifier>";
const ERROR =
  '<error type="cancel"><item-not-found xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error>';

/** Every kind of stanza that a client may send to a user, including call signals in unusual forms. */
export const ANY_STANZA: AnyStanza[] = [
  message("a chat message", "chat", "<body>hello</body>"),
  message("a message without a type", "", "<body>hello</body>"),
  message("a message of a room", "groupchat", "<body>hello</body>"),
  message("a headline", "headline", "<body>hello</body>"),
  message("a message of an error", "error", ERROR),
  message("a chat state", "chat", '<composing xmlns="http://jabber.org/protocol/chatstates"/>'),
  message("a signal", "headline", params(MODULE)),
  message("a signal with two module identifiers", "headline", params(OTHER + MODULE)),
  message("a signal with another module identifier behind", "headline", params(MODULE + OTHER)),
  message(
    "a signal with blanks in its module identifier",
    "headline",
    params("<moduleIdentifier> WebRTCVideoChat\n</moduleIdentifier>"),
  ),
  message("a signal with two extraParams", "headline", `<extraParams/>${params(MODULE)}`),
  message("a signal that is a chat message", "chat", params(MODULE)),
  message(
    "a signal with a namespace of its own",
    "headline",
    params(MODULE).replace("<extraParams>", '<extraParams xmlns="urn:another">'),
  ),
  message("an invitation", "", '<x xmlns="jabber:x:conference" jid="room@rooms.example"/>'),
  message(
    "a forwarded message",
    "",
    `<forwarded xmlns="urn:xmpp:forward:0"><message ${CLIENT}><body/></message></forwarded>`,
  ),
  ...["", "unavailable", "subscribe", "subscribed", "unsubscribe", "unsubscribed", "probe"].map(
    presence,
  ),
  iq("version", "get", '<query xmlns="jabber:iq:version"/>'),
  iq("disco", "get", '<query xmlns="http://jabber.org/protocol/disco#info"/>'),
  iq("items", "get", '<query xmlns="http://jabber.org/protocol/disco#items"/>'),
  iq("vcard", "get", '<vCard xmlns="vcard-temp"/>'),
  iq("ping", "get", '<ping xmlns="urn:xmpp:ping"/>'),
  iq("last", "get", '<query xmlns="jabber:iq:last"/>'),
  iq("unknown", "set", '<query xmlns="urn:another"/>'),
  iq("answer", "result", ""),
  iq("error", "error", ERROR),
];
