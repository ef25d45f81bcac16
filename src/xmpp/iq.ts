import type { Element } from "ltx";
import { attribute, childOf, elementsOf, escapeText } from "./element";
import type { Refusal } from "./error";
import { CLIENT } from "./xml";

/** Namespace of resource binding. */
export const BIND = "urn:ietf:params:xml:ns:xmpp-bind";

/** What an iq is answered from. */
export interface IqContext {
  /** Seconds since the endpoint was opened. */
  uptime(): number;
}

/** Content of a result, empty where the result has none; or why there is none. */
export type IqAnswer = { content: string } | { refusal: Refusal };

type Answer = (query: Element, target: "account" | "server", context: IqContext) => IqAnswer;

const INFO = "http://jabber.org/protocol/disco#info";
const ITEMS = "http://jabber.org/protocol/disco#items";
const PING = "urn:xmpp:ping";
const CARBONS = "urn:xmpp:carbons:2";
const SESSION = "urn:ietf:params:xml:ns:xmpp-session";
const FEATURES = [INFO, ITEMS, PING, CARBONS, "jabber:iq:last", "jabber:iq:roster", "vcard-temp"];

const done: Answer = () => ({ content: "" });
const echo: Answer = (query) => ({
  content: `<${query.name}${attribute("xmlns", query.attrs.xmlns)}/>`,
});
const unavailable: IqAnswer = { refusal: "service-unavailable" };

/** XEP-0030: what the server, and what the user's own account is. */
const info: Answer = (query, target) => {
  if (query.attrs.node !== undefined) return { refusal: "item-not-found" };
  const identity =
    target === "server"
      ? '<identity category="server" type="im" name="Signalbox"/>'
      : '<identity category="account" type="registered"/>';
  const features = FEATURES.map((feature) => `<feature var="${feature}"/>`).join("");
  return { content: `<query xmlns="${INFO}">${identity}${features}</query>` };
};

/** XEP-0012: how long the server is up; the account is here now. */
const last: Answer = (_query, target, { uptime }) => ({
  content: `<query xmlns="jabber:iq:last" seconds="${target === "server" ? uptime() : 0}"/>`,
});

/** Answers by type, name and namespace. Lists that the service does not keep are empty. */
const ANSWERS = new Map<string, Answer>([
  [`get ping ${PING}`, done],
  [`set session ${SESSION}`, done],
  [`set enable ${CARBONS}`, done],
  [`set disable ${CARBONS}`, done],
  ["get query jabber:iq:roster", echo],
  ["get query jabber:iq:privacy", echo],
  ["get vCard vcard-temp", echo],
  [`get query ${ITEMS}`, echo],
  [`get query ${INFO}`, info],
  ["get query jabber:iq:last", last],
]);

/** Namespace of the word that calls may ring which are not told (docs/SIGNALING.md "Arriving"). */
const MISSED = "urn:signalbox:missed:0";

/** Whether this iq asks for a resource (RFC 6120 section 7); answers what is asked. */
export function bindRequest(iq: Element): Element | undefined {
  return iq.attrs.type === "set" ? childOf(iq, "bind", BIND) : undefined;
}

/**
 * Whether an iq can be answered at all (RFC 6120 section 8.2.3): a request has an id and one child.
 * A result and an error never are.
 */
export function iqShape(iq: Element): "request" | "response" | "wrong" {
  const { type, id } = iq.attrs;
  if (type === "result" || type === "error") return "response";
  const sound = (type === "get" || type === "set") && !!id && elementsOf(iq).length === 1;
  return sound ? "request" : "wrong";
}

/** Answers a request to the server or to the user's own account. */
export function answerIq(iq: Element, target: "account" | "server", context: IqContext): IqAnswer {
  const [query] = elementsOf(iq);
  if (!query) return { refusal: "bad-request" };
  const answer = ANSWERS.get(`${iq.attrs.type} ${query.name} ${query.attrs.xmlns ?? ""}`);
  return answer ? answer(query, target, context) : unavailable;
}

/** A result for a request, from whom it was sent to. */
export function iqResult(iq: Element, client: string, content: string): string {
  const head =
    attribute("from", iq.attrs.to) + attribute("to", client) + attribute("id", iq.attrs.id);
  return `<iq xmlns="${CLIENT}" type="result"${head}>${content}</iq>`;
}

/**
 * The result that tells a client its full JID.
 * @param missed whether calls may ring that it is not told of
 */
export function bindResult(iq: Element, jid: string, missed: boolean): string {
  const word = missed ? `<missed xmlns="${MISSED}"/>` : "";
  return iqResult(iq, jid, `<bind xmlns="${BIND}"><jid>${escapeText(jid)}</jid>${word}</bind>`);
}
