import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Element } from "ltx";
import { Fault } from "../../src/core/errors";
import type { Json, JsonObject } from "../../src/core/json";
import { decodeContent, encodeContent } from "../../src/domain/calls/inbox/inbox-log";
import type { IceCandidate } from "../../src/domain/calls/signals/ice-candidate";
import type { FieldSignal, StanzaSignal } from "../../src/domain/calls/signals/signal";
import { checkSignal, signalFromInput } from "../../src/domain/calls/signals/signal-from-input";
import { SIGNAL_TYPES } from "../../src/domain/calls/signals/signal-types";
import { contentOfSignal } from "../../src/domain/calls/signals/signal-xml";
import { fromLtx, writeElement } from "../../src/platform/xml/ltx-element";
import { readFrame } from "../../src/platform/xml/strict-reader";
import type { XmlElement } from "../../src/platform/xml/xml-element";
import { formatJid, parseJid, parseUser } from "../../src/transports/xmpp/stanza/jid";
import { decodeSignal, encodeSignal } from "../../src/transports/xmpp/stanza/stanza";

const DOMAIN = "chat.example";
const FOLDER = join(__dirname, "../../schema/xmpp");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".xml"));
const from = { applicationId: 7, userId: 42, resource: "web" };
const to = { applicationId: 7, userId: 43 };

function read(xml: string): Element {
  const element = readFrame(xml, 1_000_000);
  if (!element) throw new Error("nothing to read");
  return element;
}

function party(address: string | undefined) {
  const jid = parseJid(address ?? "");
  const user = jid && parseUser(jid.local);
  if (!user) throw new Error(`${address} names no user`);
  return jid.resource === undefined ? user : { ...user, resource: jid.resource };
}

function decode(xml: string): StanzaSignal {
  const element = read(xml);
  const signal = decodeSignal(element, from, to);
  if (!signal) throw new Error("no signal");
  return signal;
}

/** A stanza with its fields decoded, as GraphQL shows it. */
function fieldsOf(xml: string): FieldSignal {
  const signal = decode(xml);
  const { id, type } = signal;
  return { id, from, to, type, ...contentOfSignal(signal) };
}

/** The entry of an inbox, written and read again by another process. */
function stored(signal: StanzaSignal | FieldSignal) {
  const body = encodeContent(signal);
  const written = decodeContent(body);
  // The process that has written it last does not parse it.
  encodeContent({ id: "", from, to, type: "hangUp", extra: [] });
  const parsed = decodeContent(body);
  expect(written).toEqual(parsed);
  expect(written).not.toBe(parsed);
  return parsed;
}

/** A stanza for comparison: with CRLF line ends in the sdp, without addresses. */
function comparable(xml: string): XmlElement {
  const { attributes: { from: _from, to: _to, ...attributes } = {}, ...rest } = fromLtx(read(xml));
  const walk = (element: XmlElement): XmlElement => {
    const { text, children, ...others } = element;
    return {
      ...others,
      ...(text !== undefined && {
        text: element.name === "sdp" ? text.replace(/\r\n|\r|\n/g, "\r\n") : text,
      }),
      ...(children && { children: children.map(walk) }),
    };
  };
  return walk({ ...rest, attributes });
}

const wrap = (params: string, outside = "", type = "call") =>
  `<message xmlns="jabber:client" type="headline" id="a1">${outside}<extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${type}</signalType>${params}</extraParams></message>`;

describe("examples of schema/xmpp", () => {
  it("include each signal type of the protocol", () => {
    const types = files.map((file) => decode(readFileSync(join(FOLDER, file), "utf8")).type);
    expect(types.sort()).toEqual([...SIGNAL_TYPES].sort());
  });

  it.each(files)("%s round-trips", (file) => {
    const xml = readFileSync(join(FOLDER, file), "utf8");
    const message = read(xml);
    const signal = decodeSignal(message, party(message.attrs.from), party(message.attrs.to));
    if (!signal) throw new Error("no signal");
    const again = encodeSignal(signal, DOMAIN);
    expect(comparable(again)).toEqual(comparable(xml));
    expect(read(again).attrs.from).toBe(message.attrs.from);
    expect(read(again).attrs.to).toBe(message.attrs.to);
    expect(decodeSignal(read(again), signal.from, signal.to)).toEqual(signal);
  });

  it("decode the call into its fields", () => {
    const signal = fieldsOf(readFileSync(join(FOLDER, "call.xml"), "utf8"));
    expect(signal).toMatchObject({
      id: "5fb64d5a1f0b6f0001000001",
      type: "call",
      callId: "1605784922547",
      callType: "1",
      platform: "Web",
      callerId: "42",
      opponentIds: ["43", "44"],
      userInfo: {
        topic: "Planning & review",
        room: { name: "Blue", floor: "3" },
        tag: ["urgent", "team"],
        note: "",
      },
      extra: [
        { name: "avatar", text: "https://cdn.example/avatars/42.png?size=96&v=2" },
        { name: "full_name", text: "Zoë O'Neill" },
      ],
    });
    expect(signal.sdp).toMatch(/^v=0\r\no=- /);
    expect(signal.sdp).toMatch(/\r\n$/);
    expect(signal.sdp?.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it("keep invalid values as extra elements", () => {
    const stanza = `<message xmlns="jabber:client" type="headline" id="i"><extraParams>
      <moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType>
      <callType>3</callType><iceCandidates><iceCandidate><sdpMLineIndex>one</sdpMLineIndex>
      </iceCandidate></iceCandidates></extraParams></message>`;
    const signal = fieldsOf(stanza);
    expect(signal.callType).toBeUndefined();
    expect(signal.extra).toEqual([{ name: "callType", text: "3" }]);
    expect(signal.iceCandidates).toEqual([{ extra: [{ name: "sdpMLineIndex", text: "one" }] }]);
  });

  it("decode an empty sdpMLineIndex as 0, and the parameters of an update", () => {
    const ice = fieldsOf(readFileSync(join(FOLDER, "ice-candidates.xml"), "utf8"));
    expect(ice.iceCandidates).toHaveLength(2);
    expect(ice.iceCandidates?.[0]).toMatchObject({ sdpMLineIndex: 0, sdpMid: "0", extra: [] });
    const update = fieldsOf(readFileSync(join(FOLDER, "update.xml"), "utf8"));
    expect(update.parameters).toEqual({
      videoEnabled: "false",
      layout: { mode: "grid", pinned: "43" },
    });
    expect(update.extra).toEqual([]);
  });
});

describe("a signal", () => {
  it.each([
    ["another type", wrap("").replace("headline", "chat")],
    ["no type", wrap("").replace(' type="headline"', "")],
    ["another module", wrap("").replace("WebRTCVideoChat", "Other")],
    ["no signalType", wrap("").replace("<signalType>call</signalType>", "")],
    ["an empty signalType", wrap("", "", "")],
    [
      "a moduleIdentifier with attributes",
      wrap("").replace(
        "<moduleI",
        '<moduleIdentifier x="1">WebRTCVideoChat</moduleIdentifier><moduleI',
      ),
    ],
    [
      "extraParams of another namespace",
      wrap("").replace("<extraParams>", '<extraParams xmlns="urn:x">'),
    ],
    ["no extraParams", '<message xmlns="jabber:client" type="headline"><body>x</body></message>'],
  ])("is not decoded from a message with %s", (_name, xml) => {
    expect(decodeSignal(read(xml), from, to)).toBeUndefined();
  });

  it("is found among several extraParams", () => {
    const other = "<extraParams><moduleIdentifier>Chat</moduleIdentifier></extraParams>";
    const xml = wrap("<sessionID>s</sessionID>", other);
    const signal = decode(xml);
    expect(signal.callId).toBe("s");
    expect(comparable(encodeSignal(signal, DOMAIN))).toEqual(comparable(xml));
  });

  it("has the authenticated sender, not that of the stanza", () => {
    const xml = wrap("<callerID>1</callerID>").replace(
      "<message",
      '<message from="1-7@chat.example/x"',
    );
    expect(decode(xml)).toMatchObject({ from, callerId: "1" });
    expect(read(encodeSignal(decode(xml), DOMAIN)).attrs.from).toBe("42-7@chat.example/web");
  });
});

describe("an element that is not in its plain form", () => {
  it.each([
    ["an sdp with an attribute", '<sdp x="1">v=0</sdp>'],
    ["an sdp of another namespace", '<sdp xmlns="urn:x">v=0</sdp><sdp>v=1</sdp>'],
    ["an sdp with elements", "<sdp>v=0<b/></sdp>"],
    ["a second sessionID", "<sessionID>1</sessionID><x/><sessionID>2</sessionID>"],
    ["a second signalType", "<signalType>accept</signalType>"],
    [
      "opponents with another element",
      "<opponentsIDs><opponentID>1</opponentID><x/></opponentsIDs>",
    ],
    ["opponents as text", "<opponentsIDs>1,2</opponentsIDs>"],
    ["opponents of white space", "<opponentsIDs> </opponentsIDs>"],
    ["candidates with another element", "<iceCandidates><x/></iceCandidates>"],
    ["userInfo as text", "<userInfo>free text</userInfo>"],
    ["userInfo with attributes inside", '<userInfo><a b="c"/></userInfo>'],
    ["userInfo with scattered names", "<userInfo><a/><b/><a/></userInfo>"],
    ["userInfo with mixed content", "<userInfo><a>x<b/>y</a></userInfo>"],
    ["text between elements", "<sessionID>1</sessionID>stray<platform>Web</platform>"],
    ["prefixed attributes", '<x xmlns:p="urn:p" p:a="1" a="2" xml:lang="de"/>'],
    ["no namespace", '<x xmlns=""><y/></x>'],
    ["names of prototypes", '<constructor/><__proto__ __proto__="1" toString="2">x</__proto__>'],
    ["empty fields", "<sessionID/><sdp/><opponentsIDs/><iceCandidates/><userInfo/>"],
    ["white space as text", "<sessionID> </sessionID><platform>\t</platform>"],
    [
      "CR in text and attributes",
      '<x a="1&#13;&#10;&#9;2">a&#13;b</x><userInfo><n>a&#13;&#10;b</n></userInfo>',
    ],
    ["CDATA", "<sdp><![CDATA[a<b&c]]></sdp>"],
    [
      "another order",
      "<userInfo><a/></userInfo><zeta/><platform>Web</platform><alpha/><sessionID>1</sessionID>",
    ],
    [
      "a candidate with further elements",
      "<iceCandidates><iceCandidate><usernameFragment>F</usernameFragment><candidate>c</candidate><sdpMid>0</sdpMid><candidate>d</candidate></iceCandidate><iceCandidate/><iceCandidate>text</iceCandidate></iceCandidates>",
    ],
  ])("round-trips: %s", (_name, params) => {
    for (const type of ["call", "update", "somethingNew"]) {
      const xml = wrap(params, "<body>hi</body><thread>t</thread>", type).replace(
        "</message>",
        '<request xmlns="urn:xmpp:receipts"/></message>',
      );
      const signal = decode(xml);
      expect(comparable(encodeSignal(signal, DOMAIN))).toEqual(comparable(xml));
      expect(encodeSignal(stored(signal) as StanzaSignal, DOMAIN)).toBe(
        encodeSignal(signal, DOMAIN),
      );
    }
  });

  it("round-trips as attributes of the message and of extraParams", () => {
    const xml = wrap("<a/>")
      .replace("<message", '<message xml:lang="de" mark="1"')
      .replace("<extraParams", '<extraParams version="2"');
    const signal = decode(xml);
    expect(comparable(encodeSignal(signal, DOMAIN))).toEqual(comparable(xml));
  });

  it("leaves known fields of an unknown signal type typed", () => {
    const signal = fieldsOf(wrap("<sdp>v=0\nx</sdp><platform>ios</platform>", "", "toString"));
    expect(signal).toMatchObject({ type: "toString", sdp: "v=0\r\nx", platform: "ios", extra: [] });
  });

  it("is a parameter only in an update, unless it is scattered or has attributes", () => {
    const params = '<a>1</a><a>2</a><b x="1"/><c>1</c><d/><c>2</c>';
    expect(fieldsOf(wrap(params, "", "update"))).toMatchObject({
      parameters: { a: ["1", "2"], d: "" },
      extra: [{ name: "b" }, { name: "c", text: "1" }, { name: "c", text: "2" }],
    });
    expect(fieldsOf(wrap(params)).parameters).toBeUndefined();
  });
});

describe("encoding", () => {
  const signal: FieldSignal = { id: "i", from, to, type: "call", extra: [] };

  it("ends the lines of any sdp with CRLF, with CR as a reference", () => {
    for (const sdp of ["v=0\r\ns=-\r\n", "v=0\ns=-\n", "v=0\rs=-\r"]) {
      const toSend = { type: "probe", content: { sdp }, path: "" };
      const xml = encodeSignal(signalFromInput(from, { to: { userId: "43" } }, toSend), DOMAIN);
      expect(xml).toContain("<sdp>v=0&#13;\ns=-&#13;\n</sdp>");
      expect(fieldsOf(xml).sdp).toBe("v=0\r\ns=-\r\n");
    }
  });

  it("of a stanza ends the lines of its sdp with CRLF, and copies nothing unparsed", () => {
    const xml = wrap("<sdp>v=0\ns=-&#13;</sdp><a>1&#13;<![CDATA[<]]></a><p:b xmlns:p='urn:p'/>");
    const again = encodeSignal(decode(xml), DOMAIN);
    expect(again).toContain("<sdp>v=0&#13;\ns=-&#13;\n</sdp>");
    expect(again).toContain(`<a>1&#13;&lt;</a><b xmlns="urn:p"/>`);
  });

  it("of a stanza keeps an element with the maximum number of attributes, each with its prefix declared", () => {
    const names = Array.from({ length: 60 }, (_, n) => `p${n}`);
    const declared = names.map((name) => `xmlns:${name}="urn:${name}"`);
    const [outer, inner] = [declared, names.map((name) => `${name}:x="1"`)].map((list) =>
      list.join(" "),
    );
    const signal = fieldsOf(wrap(`<a ${outer}><b ${inner}/></a>`));
    const [a] = signal.extra;
    expect(Object.keys(a?.children?.[0]?.attributes ?? {})).toHaveLength(120);
  });

  it("sets the addresses, bare or full", () => {
    const message = read(encodeSignal({ ...signal, to: { ...to, resource: `a"&'<é` } }, DOMAIN));
    expect(message.attrs.to).toBe(`43-7@chat.example/a"&'<é`);
    expect(formatJid(to, DOMAIN)).toBe("43-7@chat.example");
  });

  it.each<[string, Partial<FieldSignal>]>([
    ["a control character", { sdp: "a\u0000b" }],
    ["a lone surrogate", { platform: "\ud800" }],
    ["a name with markup", { extra: [{ name: "a><evil" }] }],
    ["a prefixed name", { extra: [{ name: "p:a" }] }],
    ["an invalid attribute name", { extra: [{ name: "a", attributes: { "b=": "c" } }] }],
    ["an undeclared prefix", { extra: [{ name: "a", attributes: { "p:b": "c" } }] }],
    ["a second xmlns", { extra: [{ name: "a", attributes: { xmlns: "c" } }] }],
    [
      "one attribute with two prefixes",
      {
        extra: [
          { name: "a", attributes: { "xmlns:p": "u", "xmlns:q": "u", "p:b": "1", "q:b": "2" } },
        ],
      },
    ],
    [
      "a reserved namespace",
      { extra: [{ name: "a", namespace: "http://www.w3.org/2000/xmlns/" }] },
    ],
    ["text beside children", { extra: [{ name: "a", text: "x", children: [{ name: "b" }] }] }],
    ["an element for attributes", { extra: [{ name: "#attributes", attributes: { from: "x" } }] }],
    ["an array in an array", { userInfo: { a: [["b"]] } }],
    ["a key that is not an XML name", { userInfo: { "a b": "c" } }],
    ["an invalid candidate", { iceCandidates: [{ candidate: "\u0001", extra: [] }] }],
  ])("refuses what XML cannot represent: %s", (_name, part) => {
    const bad = { ...signal, ...part };
    expect(() => checkSignal(bad)).toThrow(Fault);
  });

  it("refuses elements beyond the maximum depth", () => {
    const nest = (depth: number): XmlElement =>
      depth === 1 ? { name: "a" } : { name: "a", children: [nest(depth - 1)] };
    expect(() => checkSignal({ ...signal, extra: [nest(29)] })).toThrow(Fault);
    const deep = { ...signal, extra: [nest(28)] };
    checkSignal(deep);
    expect(fieldsOf(encodeSignal(deep, DOMAIN))).toEqual(deep);
  });
});

const KNOWN = [
  "sdp",
  "platform",
  "sessionID",
  "callType",
  "callerID",
  "opponentsIDs",
  "opponentID",
  "iceCandidates",
  "iceCandidate",
  "userInfo",
  "candidate",
  "sdpMid",
  "sdpMLineIndex",
  "moduleIdentifier",
  "signalType",
];
const name = fc.oneof(
  fc.constantFrom(...KNOWN, "a", "b", "__proto__", "constructor", "é-1", "_x.y"),
);
const text = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(" ", "\r\n", "a\r\nb\rc\nd", "]]>", "<&>\"'", "\t", "true", "0"),
  )
  .filter((value) => !/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(value));

/** Elements as a parser returns them. */
const element = fc.letrec<{ element: XmlElement }>((tie) => ({
  element: fc
    .record({
      name,
      namespace: fc.option(fc.constantFrom("", "urn:x", "jabber:iq:last"), { nil: undefined }),
      attributes: fc.option(
        fc.dictionary(fc.constantFrom("x", "y", "xml:lang"), text, { maxKeys: 2, minKeys: 1 }),
        { nil: undefined, freq: 3 },
      ),
      content: fc.oneof(
        { depthSize: "small" },
        text,
        fc.array(
          fc.oneof({ weight: 3, arbitrary: tie("element") }, { weight: 1, arbitrary: text }),
          { maxLength: 4 },
        ),
      ),
    })
    .map(({ content, ...rest }) => ({
      name: rest.name,
      ...(rest.namespace !== undefined && { namespace: rest.namespace }),
      ...(rest.attributes && { attributes: rest.attributes }),
      ...(typeof content === "string"
        ? { text: content }
        : {
            children: content.map((item) =>
              typeof item === "string" ? { name: "#text", text: item } : item,
            ),
          }),
    })),
})).element;

function markup(item: XmlElement): string {
  const escaped = (value: string) =>
    value.replace(/[&<>"\t\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
  if (item.name === "#text") return escaped(item.text ?? "");
  const attributes = Object.entries(item.attributes ?? {}).map(
    ([key, value]) => ` ${key}="${escaped(value)}"`,
  );
  const xmlns = item.namespace === undefined ? "" : ` xmlns="${item.namespace}"`;
  const content = escaped(item.text ?? "") + (item.children ?? []).map(markup).join("");
  return `<${item.name}${xmlns}${attributes.join("")}>${content}</${item.name}>`;
}

describe("any stanza", () => {
  it("round-trips, and is decoded as the same signal", () => {
    fc.assert(
      fc.property(
        fc.array(element, { maxLength: 8 }),
        fc.array(element, { maxLength: 3 }),
        fc.constantFrom("call", "update", "iceCandidates", "other"),
        (params, siblings, type) => {
          const xml = wrap(params.map(markup).join(""), siblings.map(markup).join(""), type);
          const signal = decode(xml);
          const again = encodeSignal(signal, DOMAIN);
          expect(comparable(again)).toEqual(comparable(xml));
          expect(decode(again)).toEqual(signal);
          expect(encodeSignal(stored(signal) as StanzaSignal, DOMAIN)).toBe(again);
          const fields = fieldsOf(xml);
          expect(stored(fields)).toEqual(fields);
          // As a GraphQL client would send it: every element is still there, in canonical order.
          checkSignal(fields);
          expect(fieldsOf(encodeSignal(fields, DOMAIN))).toEqual(fields);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("is relayed unchanged", () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), (content) => {
        const message = read(`<message type="chat">${content.map(markup).join("")}</message>`);
        const again = read(writeElement(message));
        expect(writeElement(again)).toBe(writeElement(message));
        expect(fromLtx(again)).toEqual(fromLtx(message));
      }),
      { numRuns: 200 },
    );
  });
});

describe("any signal", () => {
  const word = fc.constantFrom("a", "b", "c", "busy", "constructor");
  const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      fc.array(
        tie("value").filter((value) => !Array.isArray(value)),
        { minLength: 2, maxLength: 3 },
      ),
      fc.dictionary(word, tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;
  const object: fc.Arbitrary<JsonObject> = fc.dictionary(word, json, {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const candidate: fc.Arbitrary<IceCandidate> = fc.record(
    {
      sdpMLineIndex: fc.constantFrom(0, 12),
      sdpMid: text,
      candidate: text,
      extra: fc.constant([{ name: "zz" }]),
    },
    { requiredKeys: ["extra"] },
  );
  const signal = fc
    .record({
      callId: optional(text),
      callType: optional(fc.constantFrom("1", "2")),
      sdp: optional(text.map((value) => value.replace(/\r\n|\r|\n/g, "\r\n"))),
      platform: optional(text),
      callerId: optional(text),
      opponentIds: optional(fc.array(text, { maxLength: 3 })),
      iceCandidates: optional(fc.array(candidate, { maxLength: 3 })),
      userInfo: optional(object),
      extra: fc.array(
        fc.constantFrom<XmlElement>(
          { name: "x", text: "1" },
          { name: "y" },
          { name: "x", namespace: "urn:x" },
        ),
        { maxLength: 4 },
      ),
    })
    .map(
      (fields): FieldSignal => ({
        id: "i",
        from,
        to,
        type: "call",
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
        extra: fields.extra,
      }),
    );

  it("is decoded from its stanza again", () => {
    fc.assert(
      fc.property(signal, (given) => {
        expect(fieldsOf(encodeSignal(given, DOMAIN))).toEqual(given);
      }),
      { numRuns: 400 },
    );
  });

  it("round-trips the parameters of an update", () => {
    fc.assert(
      fc.property(
        object.filter((value) => Object.keys(value).length > 0),
        (parameters) => {
          const given: FieldSignal = { id: "i", from, to, type: "update", parameters, extra: [] };
          expect(fieldsOf(encodeSignal(given, DOMAIN))).toEqual(given);
        },
      ),
    );
  });
});
