import type { Element } from "ltx";
import { attribute, childOf, elementsOf, escapeText } from "../../../platform/xml/ltx-element";
import { CLIENT_NS } from "../../../platform/xml/strict-reader";
import type { StanzaErrorCondition } from "./error";

/** Namespace of resource binding. */
export const BIND_NS = "urn:ietf:params:xml:ns:xmpp-bind";

/** The state that responses are made from. */
export interface IqContext {
  /** Returns the seconds since the endpoint was opened. */
  uptime(): number;
}

/** Content of the result (may be empty), or the condition of the error. */
export type IqResponse = { content: string } | { condition: StanzaErrorCondition };

type IqHandler = (query: Element, target: "account" | "server", context: IqContext) => IqResponse;

const INFO = "http://jabber.org/protocol/disco#info";
const ITEMS = "http://jabber.org/protocol/disco#items";
const PING = "urn:xmpp:ping";
const CARBONS = "urn:xmpp:carbons:2";
const SESSION = "urn:ietf:params:xml:ns:xmpp-session";
const FEATURES = [INFO, ITEMS, PING, CARBONS, "jabber:iq:last", "jabber:iq:roster", "vcard-temp"];

const emptyResult: IqHandler = () => ({ content: "" });
const emptyQuery: IqHandler = (query) => ({
  content: `<${query.name}${attribute("xmlns", query.attrs.xmlns)}/>`,
});

/** XEP-0030: identity and features of the server or the user's own account. */
const info: IqHandler = (query, target) => {
  if (query.attrs.node !== undefined) return { condition: "item-not-found" };
  const identity =
    target === "server"
      ? '<identity category="server" type="im" name="Signalbox"/>'
      : '<identity category="account" type="registered"/>';
  const features = FEATURES.map((feature) => `<feature var="${feature}"/>`).join("");
  return { content: `<query xmlns="${INFO}">${identity}${features}</query>` };
};

/** XEP-0012: uptime of the server; 0 for the account, which is online. */
const last: IqHandler = (_query, target, { uptime }) => ({
  content: `<query xmlns="jabber:iq:last" seconds="${target === "server" ? uptime() : 0}"/>`,
});

/** Handlers by type, name and namespace. Lists that the service does not keep are empty. */
const HANDLERS = new Map<string, IqHandler>([
  [`get ping ${PING}`, emptyResult],
  [`set session ${SESSION}`, emptyResult],
  [`set enable ${CARBONS}`, emptyResult],
  [`set disable ${CARBONS}`, emptyResult],
  ["get query jabber:iq:roster", emptyQuery],
  ["get query jabber:iq:privacy", emptyQuery],
  ["get vCard vcard-temp", emptyQuery],
  [`get query ${ITEMS}`, emptyQuery],
  [`get query ${INFO}`, info],
  ["get query jabber:iq:last", last],
]);

/**
 * Namespace of the hint that the client may have missed ringing calls (docs/SIGNALING-REFERENCE.md, "A new device").
 */
const MISSED = "urn:signalbox:missed:0";

/** The `<bind/>` element of a request to bind a resource (RFC 6120 section 7); undefined for any other iq. */
export function bindRequest(iq: Element): Element | undefined {
  return iq.attrs.type === "set" ? childOf(iq, "bind", BIND_NS) : undefined;
}

/**
 * Classifies an iq (RFC 6120 section 8.2.3). A valid request has an id and one child; a response (result or
 * error) is never answered.
 */
export function classifyIq(iq: Element): "request" | "response" | "invalid" {
  const { type, id } = iq.attrs;
  if (type === "result" || type === "error") return "response";
  const valid = (type === "get" || type === "set") && !!id && elementsOf(iq).length === 1;
  return valid ? "request" : "invalid";
}

/** Handles a request to the server or to the user's own account. */
export function respondToIq(
  iq: Element,
  target: "account" | "server",
  context: IqContext,
): IqResponse {
  const [query] = elementsOf(iq);
  if (!query) return { condition: "bad-request" };
  const handler = HANDLERS.get(`${iq.attrs.type} ${query.name} ${query.attrs.xmlns ?? ""}`);
  return handler ? handler(query, target, context) : { condition: "service-unavailable" };
}

/** The result of a request, sent from the address that the request was sent to. */
export function iqResult(iq: Element, client: string, content: string): string {
  const head =
    attribute("from", iq.attrs.to) + attribute("to", client) + attribute("id", iq.attrs.id);
  return `<iq xmlns="${CLIENT_NS}" type="result"${head}>${content}</iq>`;
}

/**
 * The result of a bind request, with the client's full JID.
 * @param missed whether the client may have missed calls that are still ringing
 */
export function bindResult(iq: Element, jid: string, missed: boolean): string {
  const hint = missed ? `<missed xmlns="${MISSED}"/>` : "";
  return iqResult(iq, jid, `<bind xmlns="${BIND_NS}"><jid>${escapeText(jid)}</jid>${hint}</bind>`);
}
