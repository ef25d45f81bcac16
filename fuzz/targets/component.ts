import type { AcceptedConnection } from "../../tools/component-server";
import { CHAT_DOMAIN, CHAT_SECRET, type Deployment } from "../deployment/deployment";
import { execute } from "../deployment/fixture";
import { chance, pick, several } from "../input/random";
import { brokenXml, stanza } from "../input/stanzas";
import { hostileText, toJson } from "../input/values";
import { sendHttp } from "./http-client";
import type { Case, Target } from "./target";
import { partiesOf } from "./xmpp";

const NAME = `calls.${CHAT_DOMAIN}`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

let link: AcceptedConnection | undefined;
let over = true;

/**
 * The component connection: forwarded stanzas, responses and errors of the chat server, and its sign-in
 * requests.
 */
export const component: Target = {
  name: "component",
  weight: 2,
  concurrency: 1,
  // The operator's own chat server is trusted, so its protocol errors are logged as warnings.
  allowed: /not connected to the chat server/,
  async prepare(deployment) {
    await attached(deployment);
  },
  async run(each) {
    const { random, deployment } = each;
    if (chance(random, 25)) return signIn(each);
    if (chance(random, 10)) return send(each);
    const { fixture } = deployment.component;
    const parties = partiesOf(random, fixture, fixture.user(random));
    const at = await attached(deployment);
    for (const text of several(random, 1, 20, () => copy(random, stanza(random, parties, true)))) {
      // Malformed input closes the connection, which reconnects after a delay.
      const broken = random(1_000) < 3;
      const bytes = broken ? brokenXml(random, text) : Buffer.from(text);
      each.sent(bytes);
      at.write(bytes);
      if (broken) at.drop();
    }
    each.outcome(over ? "connection closed" : "taken");
  },
  async finish() {
    link = undefined;
    over = true;
  },
};

/** Waits for the node's component connection. */
async function attached({ component: { server } }: Deployment): Promise<AcceptedConnection> {
  if (link && !over) return link;
  const next = await server.accepted();
  [link, over] = [next, false];
  void next.closed.then(() => {
    if (link === next) over = true;
  });
  return next;
}

/** A stanza as forwarded or sent by a chat server. */
function copy(random: Case["random"], text: string): string {
  const inner = chance(random, 85) ? text : pick(random, [`${text}${text}`, "", `<a>${text}</a>`]);
  const kind = random(100);
  const from = chance(random, 92) ? CHAT_DOMAIN : pick(random, ["x@chat.example/y", "", "other"]);
  if (kind < 70) {
    return `<message from="${from}" to="${NAME}"><forwarded xmlns="urn:xmpp:forward:0">${inner}</forwarded></message>`;
  }
  if (kind < 80) {
    const type = pick(random, ["result", "error", "get", "set"]);
    return `<iq from="${from}" to="${NAME}" type="${type}" id="i${random(100)}"><ping xmlns="urn:xmpp:ping"/></iq>`;
  }
  if (kind < 85) return `<presence from="${from}" to="${NAME}"/>`;
  return text.replace('xmlns="jabber:client"', "");
}

/** Sends a sign-in request with the chat server's secret or without it. */
async function signIn(each: Case): Promise<void> {
  const { random, deployment } = each;
  const { node, fixture } = deployment.component;
  const user = fixture.user(random);
  const good = { user: `${user.id}-${user.applicationId}`, password: user.token, ip: "127.0.0.1" };
  const field = pick(random, ["user", "password", "ip"]);
  const refused = chance(random, 25) ? fixture.refusedToken(random) : null;
  const hostile = () => (chance(random, 30) ? good : { ...good, [field]: hostileText(random) });
  const question = refused === null ? hostile() : { ...good, password: refused };
  // A wrong secret is logged for the operator, so it is tested elsewhere.
  const headers = { Authorization: `Bearer ${CHAT_SECRET}`, "Content-Type": "application/json" };
  const body = Buffer.from(toJson(question));
  const { text } = await sendHttp(each, node.urls.http ?? "", {
    method: "POST",
    path: "/chat/sign-in",
    headers,
    body,
  });
  if (refused !== null && text.includes('"allowed":true')) {
    each.violation(`a token that is none signed in: ${refused}`);
  }
}

/** Sends a signal by GraphQL, which the node forwards to the chat server. */
async function send(each: Case): Promise<void> {
  const { random, deployment } = each;
  const { node, fixture } = deployment.component;
  const [from, to] = [fixture.user(random), fixture.user(random)];
  const input = { to: { userId: to.id }, signal: { update: { callId: hostileText(random) } } };
  each.sent(toJson(input));
  const failed = await execute(node, SEND, { input }, from.token).then(
    () => "sent",
    (error: Error) => /"code":"([A-Z_]+)"/.exec(error.message)?.[1] ?? error.message,
  );
  each.outcome(failed);
  if (failed === "INTERNAL") each.violation("sendSignal failed with INTERNAL");
}
