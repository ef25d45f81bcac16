import { corrupt, type Random } from "../../tools/seeded-random";
import { CHAT_DOMAIN } from "../deployment/deployment";
import type { Fixture, FuzzUser } from "../deployment/fixture";
import { chance, pick, several } from "../input/random";
import { brokenXml, type Parties, stanza } from "../input/stanzas";
import { randomBytes } from "../input/values";
import { checkErrorText } from "./http-client";
import { settle } from "./sockets";
import type { Case, Target } from "./target";
import {
  footer,
  header,
  openStream,
  type TcpStream,
  type Transport,
  type XmppStream,
} from "./xmpp-stream";

const TRANSPORTS: Transport[] = ["ws", "ws", "wss", "xmpp", "xmpps"];
const FEATURES = /<\/(stream:)?features>/;
/** Timeout for a stream to end after its close, in milliseconds. */
const END_MS = 3_000;

/** XMPP on every transport, before and after sign-in: stanzas, stream management, broken XML and UTF-8. */
export const xmpp: Target = {
  name: "xmpp",
  weight: 3,
  concurrency: 8,
  async run(each) {
    const { random, deployment } = each;
    const { urls } = pick(random, deployment.nodes);
    const transport = pick(random, TRANSPORTS);
    const user = deployment.fixture.user(random);
    const parties = partiesOf(random, deployment.fixture, user);
    const opened = await openStream(transport, urls[transport] ?? "");
    if (!opened) return each.outcome(`${transport} refused`);
    const step = random(100);
    const stream = await advance(each, opened, transport, parties, step);
    const bound = stream.text().includes("<jid>");
    if (step >= 30 && stream.text().includes("not-authorized")) {
      await deployment.fixture.replace(user.token);
    }
    if (chance(random, 8)) stream.pause();
    for (const input of several(random, 1, 16, () => nextInput(random, parties))) {
      if (!stream.isOpen()) break;
      each.sent(input);
      stream.write(input, chance(random, 3));
      if (chance(random, 12)) await settle(10);
    }
    await leave(random, stream, transport);
    const text = stream.text();
    const error = /<(?:stream:)?error[^>]*><([a-z-]+)/.exec(text)?.[1] ?? "no error";
    each.outcome(`${transport} ${bound ? "bound" : "unbound"}, ${error}`);
    if (/<(internal-server-error|undefined-condition)\b/.test(text)) {
      each.violation(`the stream says ${/<(internal|undefined)[^>]*>/.exec(text)?.[0]}`);
    }
    checkErrorText(each, text);
  },
};

/** Addresses and credentials for the stanzas of a stream. */
export function partiesOf(random: Random, fixture: Fixture, user: FuzzUser): Parties {
  const others = several(random, 1, 3, () => fixture.user(random));
  const name = `${user.id}-${user.applicationId}`;
  return {
    domain: CHAT_DOMAIN,
    name,
    secret: user.token,
    from: `${name}@${CHAT_DOMAIN}/r${random(5)}`,
    to: [
      ...others.map(({ id, applicationId }) => `${id}-${applicationId}@${CHAT_DOMAIN}`),
      `${name}@${CHAT_DOMAIN}/r${random(5)}`,
      `${others[0]?.id}-${fixture.canary.id}@${CHAT_DOMAIN}/x`,
      CHAT_DOMAIN,
      "",
      "x@other.example",
      `${"9".repeat(30)}-1@${CHAT_DOMAIN}`,
    ],
  };
}

/** Advances the stream to a random state: connected, opened, in TLS, signed in, or bound. */
async function advance(
  each: Case,
  opened: XmppStream,
  transport: Transport,
  parties: Parties,
  step: number,
): Promise<XmppStream> {
  let stream = opened;
  if (step < 4) return stream;
  stream.write(header(transport));
  if (!(await stream.receives(FEATURES)) || step < 12) return stream;
  if (transport === "xmpp") {
    stream.write('<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>');
    if (!(await stream.receives(/<proceed/)) || step < 15) return stream;
    const secure = await (stream as TcpStream).secure();
    if (!secure) return stream;
    stream = secure;
    stream.write(header(transport));
    if (!(await stream.receives(FEATURES))) return stream;
  }
  if (step < 22) return stream;
  const plain = (secret: string) => Buffer.from(`\0${parties.name}\0${secret}`);
  const auth = (bytes: Buffer) =>
    `<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">${bytes.toString("base64")}</auth>`;
  if (step < 26) {
    const refused = each.deployment.fixture.refusedToken(each.random);
    each.sent(refused);
    stream.write(auth(plain(refused)));
    if (await signedIn(stream)) each.violation(`a token that is none signed in: ${refused}`);
    return stream;
  }
  // After an ended token, the right one signs in on the same stream.
  if (chance(each.random, 10)) {
    stream.write(auth(plain(each.deployment.fixture.refusedToken(each.random))));
    await signedIn(stream);
    stream.forget();
  }
  const right = plain(parties.secret);
  stream.write(auth(step < 30 ? corrupt(each.random, right) : right));
  if (!(await signedIn(stream)) || step < 36) return stream;
  stream.write(header(transport));
  if (!(await stream.receives(/xmpp-bind/)) || step < 40) return stream;
  const resource = parties.from.split("/")[1];
  stream.write(
    `<iq xmlns="jabber:client" type="set" id="b"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><resource>${resource}</resource></bind></iq>`,
  );
  await stream.receives(/<jid>|<error/);
  if (step % 2 === 0) stream.write('<presence xmlns="jabber:client"/>');
  if (step % 3 === 0) stream.write('<enable xmlns="urn:xmpp:sm:3" resume="true"/>');
  return stream;
}

/** Whether the sign-in succeeded. */
async function signedIn(stream: XmppStream): Promise<boolean> {
  await stream.receives(/<success|<failure/);
  return stream.text().includes("<success");
}

function nextInput(random: Random, parties: Parties): string | Buffer {
  const text = stanza(random, parties);
  const kind = random(100);
  if (kind < 80) return text;
  if (kind < 98) return brokenXml(random, text);
  return randomBytes(random, 200);
}

async function leave(random: Random, stream: XmppStream, transport: Transport): Promise<void> {
  if (chance(random, 75)) await settle();
  stream.resume();
  if (chance(random, 60)) stream.write(footer(transport));
  if (chance(random, 20)) stream.destroy();
  else stream.end();
  const timer = setTimeout(() => stream.destroy(), END_MS);
  await stream.closed;
  clearTimeout(timer);
}
