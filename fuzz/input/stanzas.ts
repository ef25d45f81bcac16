import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/core/package-root";
import { corrupt, type Random } from "../../tools/seeded-random";
import { chance, pick, several } from "./random";
import { hostileText, mutateText } from "./values";

const FOLDER = join(packageRoot(), "schema/xmpp");
const SIGNALS = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), "utf8").trim());

const SM = 'xmlns="urn:xmpp:sm:3"';
const SASL = 'xmlns="urn:ietf:params:xml:ns:xmpp-sasl"';
const FRAMING = 'xmlns="urn:ietf:params:xml:ns:xmpp-framing"';

/** Addresses and credentials used in stanzas. */
export interface Parties {
  domain: string;
  from: string;
  /** Bare and full JIDs of recipients. */
  to: string[];
  /** Credentials of the stream. */
  name: string;
  secret: string;
}

const iq = (random: Random, to: string, inner: string) => {
  const type = pick(random, ["get", "set", "get", "set", "result", "error", "x", ""]);
  const at = chance(random, 50) ? ` to="${to}"` : "";
  return `<iq xmlns="jabber:client" type="${type}" id="i${random(100)}"${at}>${inner}</iq>`;
};

const QUERIES = [
  '<ping xmlns="urn:xmpp:ping"/>',
  '<query xmlns="jabber:iq:roster"/>',
  '<query xmlns="http://jabber.org/protocol/disco#info"/>',
  '<query xmlns="http://jabber.org/protocol/disco#items" node="x"/>',
  '<session xmlns="urn:ietf:params:xml:ns:xmpp-session"/>',
  '<query xmlns="jabber:iq:version"/>',
  '<query xmlns="jabber:iq:register"><username>a</username><password>b</password></query>',
  '<vCard xmlns="vcard-temp"/>',
  '<enable xmlns="urn:xmpp:carbons:2"/>',
  '<bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><resource>x</resource></bind>',
  '<command xmlns="http://jabber.org/protocol/commands" node="x"/>',
];

/** Elements other than stanzas: stream management, SASL, stream elements. */
function element(random: Random, { domain, name, secret }: Parties): string {
  const count = pick(random, ["0", "1", "5", "4294967295", "4294967296", "-1", "", "x"]);
  const plain = Buffer.from(`\0${name}\0${secret}`).toString("base64");
  const bad = pick(random, [
    plain,
    "=",
    "",
    "AGEAYg==",
    plain.slice(3),
    `${plain} `,
    "a".repeat(500),
  ]);
  return pick(random, [
    `<enable ${SM} resume="true"/>`,
    `<enable ${SM} resume="${count}" max="${count}"/>`,
    `<r ${SM}/>`,
    `<a ${SM} h="${count}"/>`,
    `<resume ${SM} previd="${hostileText(random).replace(/[<&"\0]/g, "")}" h="${count}"/>`,
    `<auth ${SASL} mechanism="PLAIN">${bad}</auth>`,
    `<auth ${SASL} mechanism="SCRAM-SHA-1">${bad}</auth>`,
    `<response ${SASL}>${bad}</response>`,
    `<abort ${SASL}/>`,
    '<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>',
    `<open ${FRAMING} to="${domain}" version="1.0"/>`,
    `<open ${FRAMING} to="other.example" version="9"/>`,
    `<close ${FRAMING}/>`,
    "</stream:stream>",
    `<?xml version='1.0'?><stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" to="${domain}" version="1.0">`,
    '<presence xmlns="jabber:client"/>',
    '<presence xmlns="jabber:client" type="unavailable"/>',
    '<stream:error xmlns:stream="http://etherx.jabber.org/streams"/>',
    " ",
    "\n",
  ]);
}

/** A random stanza or stream element, addressed to one of the parties. */
export function stanza(random: Random, parties: Parties, wellFormed = false): string {
  const to = pick(random, parties.to);
  const kind = random(100);
  if (kind < 60) {
    const signal = pick(random, SIGNALS)
      .replace(/ from="[^"]*"/, ` from="${parties.from}"`)
      .replace(/ to="[^"]*"/, ` to="${to}"`)
      .replace(/<sessionID>[^<]*/, `<sessionID>s${random(200)}`);
    return chance(random, 30) ? signal : withField(random, signal, wellFormed);
  }
  if (kind < 68)
    return `<message xmlns="jabber:client" to="${to}" type="chat"><body>hello</body></message>`;
  if (kind < 82) return iq(random, to, pick(random, QUERIES));
  if (kind < 86) {
    const type = pick(random, ["subscribe", "probe", "unavailable", "x"]);
    return `<presence xmlns="jabber:client" to="${to}" type="${type}"/>`;
  }
  return wellFormed ? iq(random, to, pick(random, QUERIES)) : element(random, parties);
}

/** Changes the content of one element of a signal, or adds elements. */
function withField(random: Random, signal: string, wellFormed: boolean): string {
  const places = [...signal.matchAll(/>([^<>]+)</g)];
  const { index = 0, 1: text = "" } = pick(random, places);
  const raw = hostileText(random);
  const escaped = escapeXml(raw);
  const wanted = wellFormed ? escaped.replace(NO_XML, "") : chance(random, 70) ? escaped : raw;
  const changed = `${signal.slice(0, index + 1)}${wanted}${signal.slice(index + 1 + text.length)}`;
  if (!chance(random, 20)) return changed;
  const more = several(random, 1, 6, () => {
    const name = pick(random, wellFormed ? NAMES : [...NAMES, "x:y", "1a", "a b"]);
    return `<${name}>${wanted}</${name}>`;
  });
  return changed.replace("</extraParams>", `${more.join("")}</extraParams>`);
}

const NAMES = ["a", "sessionID", "opponentsIDs", "sdp", "userInfo", "__proto__", "é"];
/** Characters that XML forbids (XML 1.0 section 2.2). */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g;

const escapeXml = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

const BOMB =
  '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><message xmlns="jabber:client">&c;</message>';

/** Malformed input, or XML that streams forbid. */
export function brokenXml(random: Random, text: string): Buffer {
  switch (random(12)) {
    case 0:
      return Buffer.from(`${"<a>".repeat(1 + random(2_000))}${"</a>".repeat(random(40))}`);
    case 1: {
      const attributes = Array.from({ length: random(300) }, (_, n) => ` a${n}="b"`);
      return Buffer.from(`<message${attributes.join("")}/>`);
    }
    case 2:
      return Buffer.from(
        pick(random, [BOMB, "<!-- a -->", "<?a b?>", "<![CDATA[a]]>", "&nbsp;", "<"]),
      );
    case 3:
      return Buffer.from(
        `<message xmlns="jabber:client"><body>&#${random(70_000)};</body></message>`,
      );
    case 4:
      return Buffer.from(
        `<x:message xmlns:x="${"n".repeat(random(5_000))}"><x:a/><x:b/></x:message>`,
      );
    case 5:
      return Buffer.from(text, "utf16le");
    case 6:
      return Buffer.concat([Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]), Buffer.from(text)]);
    case 7:
      return Buffer.from(
        `<message xmlns="jabber:client"><body>${"x".repeat(random(120_000))}</body></message>`,
      );
    case 8:
      return Buffer.from(mutateText(random, text));
    case 9:
      return Buffer.from(text.slice(0, random(text.length)));
    default:
      return corrupt(random, Buffer.from(text));
  }
}
