import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Element } from "ltx";
import {
  escapeAttribute,
  escapeText,
  fromLtx,
  writeElement,
} from "../../src/platform/xml/ltx-element";
import {
  MAX_ATTRIBUTES,
  MAX_DEPTH,
  readFrame,
  XmlStreamError,
} from "../../src/platform/xml/strict-reader";
import { anyText } from "../support/any-text";

const LIMIT = 65_536;
const call = readFileSync(join(__dirname, "../../schema/xmpp/call.xml"), "utf8");

function condition(frame: string, limit = LIMIT): string {
  try {
    readFrame(frame, limit);
  } catch (error) {
    expect(error).toBeInstanceOf(XmlStreamError);
    return (error as XmlStreamError).condition;
  }
  return "read";
}

describe("a frame", () => {
  it.each([
    ["a DOCTYPE", "<!DOCTYPE a><a/>"],
    ["a DOCTYPE with entities", '<!DOCTYPE a [<!ENTITY x "xxxx"><!ENTITY y "&x;&x;">]><a>&y;</a>'],
    ["an external DOCTYPE", '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
    ["a comment", "<a><!-- x --></a>"],
    ["a comment before", "<!-- x --><a/>"],
    ["a comment after", "<a/><!-- x -->"],
    ["an instruction", "<a><?php x ?></a>"],
    ["an instruction before", '<?xml-stylesheet href="x"?><a/>'],
    ["an XML declaration", '<?xml version="1.0"?><a/>'],
    ["an XML declaration of version 1.1", '<?xml version="1.1"?><a>&#1;</a>'],
  ])("with %s is restricted-xml", (_name, frame) => {
    expect(condition(frame)).toBe("restricted-xml");
  });

  it.each([
    ["an undefined entity", "<a>&nbsp;</a>"],
    ["an entity of a prototype", "<a>&constructor;</a>"],
    ["an entity in an attribute", '<a b="&x;"/>'],
    ["an unescaped &", "<a>x & y</a>"],
    ["an unescaped & in an attribute", '<a b="x & y"/>'],
    ["an unescaped <", "<a>1 < 2</a>"],
    ["a < in an attribute", '<a b="<"/>'],
    ["a NUL", "<a>\u0000</a>"],
    ["a NUL by reference", "<a>&#0;</a>"],
    ["a control character", "<a>\u000b</a>"],
    ["a control character by reference", "<a>&#x1f;</a>"],
    ["a lone surrogate", "<a>\ud800</a>"],
    ["a lone surrogate by reference", "<a>&#xD800;</a>"],
    ["a reference beyond Unicode", "<a>&#x110000;</a>"],
    ["U+FFFE", "<a>\ufffe</a>"],
    ["]]> in text", "<a>]]></a>"],
    ["an attribute twice", '<a b="1" b="2"/>'],
    ["an attribute twice by namespace", '<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>'],
    ["an unbound prefix", "<p:a/>"],
    ["an unbound prefix of an attribute", '<a p:b="1"/>'],
    ["a prefix bound to an empty namespace", '<a xmlns:p="" p:b="1"/>'],
    ["the prefix xmlns", "<xmlns:a/>"],
    ["the prefix xml bound to another namespace", '<a xmlns:xml="u"/>'],
    ["an element with the prefix xml", "<xml:a/>"],
    ["two colons", '<a:b:c xmlns:a="u"/>'],
    ["an attribute without quotes", "<a b=1/>"],
    ["an attribute without value", "<a b/>"],
    ["a name that begins with a digit", "<1a/>"],
    ["crossed tags", "<a><b></a></b>"],
    ["a tag that is not closed", "<a><b></b>"],
    ["a start tag that does not end", "<a b='1'"],
    ["a DOCTYPE that does not end", "<!DOCTYPE a [<!ENTITY"],
    ["a CDATA that does not end", "<a><![CDATA[x"],
    ["CDATA outside an element", "<![CDATA[x]]><a/>"],
    ["two elements", "<a/><b/>"],
    ["text after", "<a/>x"],
    ["text before", "x<a/>"],
    ["text alone", "x"],
    ["an end tag alone", "</a>"],
    ["a stream header", "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'>"],
  ])("with %s is not-well-formed", (_name, frame) => {
    expect(condition(frame)).toBe("not-well-formed");
  });

  const nest = (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth);
  const attributes = (count: number) =>
    `<a ${Array.from({ length: count }, (_, index) => `b${index}=""`).join(" ")}/>`;

  it.each([
    ["too many bytes", `<a>${"x".repeat(LIMIT)}</a>`],
    ["too many bytes of few characters", `<a>${"€".repeat(LIMIT / 2)}</a>`],
    ["too many levels", nest(MAX_DEPTH + 1)],
    ["very many levels", nest(9_000)],
    ["levels that never close", "<a>".repeat(20_000)],
    ["too many attributes", attributes(MAX_ATTRIBUTES + 1)],
    [
      "very many declarations",
      attributes(5_000).replaceAll("b", "xmlns:b").replaceAll('""', '"u"'),
    ],
    [
      "a namespace that many attributes repeat",
      `<a xmlns:p="${"u".repeat(LIMIT / 4)}">${'<b p:c=""/>'.repeat(10)}</a>`,
    ],
    [
      "a namespace that many elements repeat",
      `<a xmlns:p="${"u".repeat(LIMIT / 4)}">${"<p:b/>".repeat(10)}</a>`,
    ],
  ])("with %s is policy-violation", (_name, frame) => {
    expect(condition(frame)).toBe("policy-violation");
  });

  it("is accepted at each limit", () => {
    const full = `<a>${"x".repeat(LIMIT - 7)}</a>`;
    expect(Buffer.byteLength(full)).toBe(LIMIT);
    for (const frame of [full, nest(MAX_DEPTH), attributes(MAX_ATTRIBUTES)]) {
      expect(condition(frame)).toBe("read");
    }
  });

  it("of white space is a keep-alive", () => {
    for (const frame of ["", " ", "\r\n\t "]) expect(readFrame(frame, LIMIT)).toBeNull();
  });
});

describe("an element", () => {
  const read = (frame: string) => {
    const element = readFrame(frame, LIMIT);
    return element && fromLtx(element);
  };

  it("has the client namespace by default", () => {
    expect(read("<iq/>")).toEqual({ name: "iq", namespace: "jabber:client" });
    expect(read('<iq xmlns="urn:x"><a xmlns="urn:x"/><b xmlns=""/></iq>')).toEqual({
      name: "iq",
      namespace: "urn:x",
      children: [{ name: "a" }, { name: "b", namespace: "" }],
    });
  });

  it("is read alike whatever its prefixes", () => {
    const plain = read('<a xmlns="u"><b xmlns="v" c="1"/></a>');
    expect(read('<p:a xmlns:p="u" xmlns:q="v"><q:b c="1"/></p:a>')).toEqual(plain);
  });

  it("declares the prefixes of its attributes itself", () => {
    expect(read('<a xmlns:p="u"><b p:c="1"/></a>')).toEqual({
      name: "a",
      namespace: "jabber:client",
      children: [{ name: "b", attributes: { "p:c": "1", "xmlns:p": "u" } }],
    });
  });

  it("has attributes without a prototype", () => {
    const element = readFrame('<a __proto__="1" constructor="2"/>', LIMIT);
    expect(Object.keys(element?.attrs ?? {})).toEqual(["xmlns", "__proto__", "constructor"]);
    expect(element?.attrs.toString).toBeUndefined();
  });

  it("joins text and CDATA, and normalizes only line ends", () => {
    expect(read("<a>x\r\ny<![CDATA[<&>]]>&#13;z</a>")?.text).toBe("x\ny<&>\rz");
  });
});

describe("serializing", () => {
  it("escapes what a parser would change or read as markup", () => {
    expect(escapeText(`a&b<c>d"e\r\n\t`)).toBe(`a&amp;b&lt;c&gt;d"e&#13;\n\t`);
    expect(escapeAttribute(`a&b<c"d'e\r\n\t`)).toBe("a&amp;b&lt;c&quot;d'e&#13;&#10;&#9;");
  });

  it.each(["\u0000", "\u001f", "\ufffe", "\ud800", "\udc00x"])("refuses %j", (text) => {
    expect(() => escapeText(text)).toThrow(expect.objectContaining({ code: "INVALID" }));
    expect(() => writeElement(new Element("a", { b: text }))).toThrow();
  });

  it("round-trips any text", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const element = new Element("a", { xmlns: "jabber:client", b: text });
        element.append(text);
        let xml: string;
        try {
          xml = writeElement(element);
        } catch {
          // A text that cannot be serialized cannot be read either.
          expect(condition(`<a>${text.replace(/[&<>]/g, "")}</a>`)).toBe("not-well-formed");
          return;
        }
        const again = readFrame(xml, LIMIT);
        expect(again?.attrs.b).toBe(text);
        expect(again?.getText()).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe("hostile input", () => {
  const tokens = fc.constantFrom(
    "<",
    ">",
    "/",
    "&",
    ";",
    "#",
    "x",
    "'",
    '"',
    "=",
    "!",
    "?",
    "-",
    "]",
    "[CDATA[",
    "DOCTYPE",
    "xmlns",
    ":",
    "a",
    " ",
    "\u0000",
    "\ud800",
    "]]>",
    "<!--",
    "-->",
    "<?",
    "?>",
    "&#",
    "&lt;",
  );

  it("is read or refused with a known condition", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(tokens, { maxLength: 40 }).map((parts) => parts.join("")),
          fc.array(tokens, { maxLength: 40 }).map((parts) => `<a>${parts.join("")}</a>`),
          anyText({ maxLength: 60 }),
          fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
        ),
        (frame) => {
          expect(["read", "restricted-xml", "not-well-formed", "policy-violation"]).toContain(
            condition(frame),
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("mutated from a real stanza is read or refused; what is read can be serialized", () => {
    const edit = fc.tuple(
      fc.nat(call.length),
      fc.nat(8),
      fc.oneof(tokens, anyText({ maxLength: 3 })),
    );
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let frame = call;
        for (const [at, cut, insert] of edits)
          frame = frame.slice(0, at) + insert + frame.slice(at + cut);
        if (condition(frame) !== "read") return;
        const element = readFrame(frame, LIMIT);
        if (element) expect(condition(writeElement(element), 2 * LIMIT)).toBe("read");
      }),
      { numRuns: 1_500 },
    );
  });
});
