import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Element } from "ltx";
import { writeElement } from "../../src/platform/xml/ltx-element";
import {
  MAX_ATTRIBUTES,
  MAX_DEPTH,
  readFrame,
  XmlStreamError,
} from "../../src/platform/xml/strict-reader";
import { isStreamEnd, StreamReader } from "../../src/transports/xmpp/transport/stream-reader";
import { anyText } from "../support/any-text";

const HEADER =
  '<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" to="a.example" version="1.0">';
const call = readFileSync(join(__dirname, "../../schema/xmpp/call.xml"), "utf8").trim();
const LIMIT = 65_536;

/** Reads chunks: returns each element as XML, and the condition of the error that ended the stream. */
function read(chunks: (string | Buffer)[], limit = LIMIT): { read: string[]; refused?: string } {
  const reader = new StreamReader();
  const found: string[] = [];
  try {
    for (const chunk of chunks) {
      reader.feed(Buffer.from(chunk as string));
      for (let each = reader.next(limit); each; each = reader.next(limit)) {
        found.push(isStreamEnd(each) ? "END" : writeElement(each));
      }
    }
  } catch (error) {
    expect(error).toBeInstanceOf(XmlStreamError);
    return { read: found, refused: (error as XmlStreamError).condition };
  }
  return { read: found };
}

const header = writeElement(
  (() => {
    const reader = new StreamReader();
    reader.feed(Buffer.from(HEADER));
    return reader.next(LIMIT) as Element;
  })(),
);
const one = (text: string) => writeElement(readFrame(text, LIMIT) as Element);

describe("a stream", () => {
  it("yields a header, elements and an end, normalized as frames are", () => {
    const text = `<?xml version='1.0' encoding='utf-8'?>\n${HEADER}${call}\n <presence/><a:b xmlns:a="urn:x" a:c="1"/></stream:stream>`;
    expect(read([text])).toEqual({
      read: [header, one(call), one("<presence/>"), one('<a:b xmlns:a="urn:x" a:c="1"/>'), "END"],
    });
  });

  it("is read alike however it is split, even within characters and line ends", () => {
    const text = `${HEADER}${call.replace("Planning", "Zoë 漢字 😀")}<message>\r\n\r</message> \n`;
    const bytes = Buffer.from(text);
    const whole = read([bytes]);
    expect(whole.read).toHaveLength(3);
    for (const size of [1, 2, 3, 7, 64]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(read(chunks)).toEqual(whole);
    }
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(read(chunks)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it("yields the valid elements before an error", () => {
    expect(read([`${HEADER}<a/><b/><!-- x -->`])).toMatchObject({
      read: [header, one("<a/>"), one("<b/>")],
      refused: "restricted-xml",
    });
  });

  it.each([
    ["a DOCTYPE in front", `<!DOCTYPE a>${HEADER}`, "restricted-xml"],
    ["a DOCTYPE inside", `${HEADER}<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`, "restricted-xml"],
    ["a DOCTYPE in an element", `${HEADER}<a><!DOCTYPE a></a>`, "restricted-xml"],
    ["a comment", `${HEADER}<!-- x -->`, "restricted-xml"],
    ["an instruction", `${HEADER}<?x y?>`, "restricted-xml"],
    ["a declaration inside the stream", `${HEADER}<?xml version="1.0"?>`, "not-well-formed"],
    ["XML 1.1", `<?xml version="1.1"?>${HEADER}`, "not-well-formed"],
    [
      "another encoding",
      `<?xml version="1.0" encoding="ISO-8859-1"?>${HEADER}`,
      "unsupported-encoding",
    ],
    ["text between elements", `${HEADER}<a/>text<b/>`, "not-well-formed"],
    ["text before the header", `hello${HEADER}`, "not-well-formed"],
    ["an end tag without its start tag", `${HEADER}<a></b>`, "not-well-formed"],
    ["an unbound prefix", `${HEADER}<x:a/>`, "not-well-formed"],
    ["an unknown entity", `${HEADER}<a>&x;</a>`, "not-well-formed"],
    ["a NUL", `${HEADER}<a>\0</a>`, "not-well-formed"],
    [
      "a lone surrogate",
      Buffer.concat([Buffer.from(`${HEADER}<a>`), Buffer.from([0xed, 0xa0, 0x80])]),
      "not-well-formed",
    ],
    ["content after the end", `${HEADER}</stream:stream><a/>`, "not-well-formed"],
    ["TLS instead of XML", Buffer.from([0x16, 3, 1, 2, 0, 1, 0]), "not-well-formed"],
  ])("with %s is refused", (_name, text, condition) => {
    expect(read([text])).toMatchObject({ refused: condition });
    const bytes = Buffer.from(text as string);
    expect(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toMatchObject({
      refused: condition,
    });
  });

  it.each([
    ["a byte that never occurs", [0xff]],
    ["a stray continuation byte", [0x80]],
    ["an overlong encoding", [0xc0, 0xaf]],
    ["a lone surrogate", [0xed, 0xa0, 0x80]],
    ["a code point beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["an incomplete character", [0xe6, 0xbc, 0x3c]],
  ])("with %s is not UTF-8", (_name, bytes) => {
    const text = Buffer.concat([
      Buffer.from(`${HEADER}<a>`),
      Buffer.from(bytes),
      Buffer.from("</a>"),
    ]);
    expect(read([text]).refused).toBe("not-well-formed");
    expect(read(Array.from(text, (_, at) => text.subarray(at, at + 1))).refused).toBe(
      "not-well-formed",
    );
  });
});

describe("a restart", () => {
  it("keeps what follows the element, for the new stream", () => {
    const reader = new StreamReader();
    reader.feed(Buffer.from(`${HEADER}<auth/> <?xml version="1.0"?>`.replace("> <?", "><?")));
    expect(writeElement(reader.next(LIMIT) as Element)).toBe(header);
    expect(reader.next(LIMIT)?.name).toBe("auth");
    reader.restart();
    expect(reader.next(LIMIT)).toBeNull();
    reader.feed(Buffer.from(`${HEADER}<iq/>`));
    expect(writeElement(reader.next(LIMIT) as Element)).toBe(header);
    expect(reader.next(LIMIT)?.name).toBe("iq");
    expect(reader.next(LIMIT)).toBeNull();
  });

  it("applies the new limit to what it kept", () => {
    const big = `<message><body>${"x".repeat(20_000)}</body></message>`;
    const reader = new StreamReader();
    reader.feed(Buffer.from(`${HEADER}<auth/>${HEADER}${big}<half`));
    reader.next(8_192);
    expect(reader.next(8_192)?.name).toBe("auth");
    reader.restart();
    expect(writeElement(reader.next(LIMIT) as Element)).toBe(header);
    expect(writeElement(reader.next(LIMIT) as Element)).toBe(one(big));
    expect(reader.next(LIMIT)).toBeNull();
    reader.feed(Buffer.from("/>"));
    expect(reader.next(LIMIT)?.name).toBe("half");
  });
});

describe("limits", () => {
  const nest = (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth);
  const attributes = (count: number) =>
    `<a${Array.from({ length: count }, (_, index) => ` a${index}="x"`).join("")}/>`;

  it("are the same as of frames", () => {
    expect(read([HEADER, nest(MAX_DEPTH)]).read).toHaveLength(2);
    expect(read([HEADER, nest(MAX_DEPTH + 1)]).refused).toBe("policy-violation");
    expect(read([HEADER, attributes(MAX_ATTRIBUTES)]).read).toHaveLength(2);
    expect(read([HEADER, attributes(MAX_ATTRIBUTES + 1)]).refused).toBe("policy-violation");
  });

  it("count an element exactly, whatever surrounds it", () => {
    const element = (size: number) => `<a>${"é".repeat((size - 8) / 2)}x</a>`;
    expect(Buffer.byteLength(element(1_000))).toBe(1_000);
    for (const [before, after] of [
      ["", ""],
      [" \r\n\t", "\n"],
      ["<b/> ", " <c"],
    ]) {
      const text = (size: number) => `${before}${element(size)}${after}`;
      expect(read([HEADER, text(1_000)], 1_000).refused).toBeUndefined();
      expect(read([HEADER, text(1_002)], 1_000).refused).toBe("policy-violation");
      const bytes = Buffer.from(text(1_002));
      const cut = [bytes.subarray(0, 500), bytes.subarray(500)];
      expect(read([HEADER, ...cut], 1_000).refused).toBe("policy-violation");
    }
  });

  it("apply while an element grows", () => {
    for (const begin of ["<a>", "<a b='", "<", "<a ", "<a>&", "<a><![CDATA["]) {
      const reader = new StreamReader();
      reader.feed(Buffer.from(HEADER + begin));
      reader.next(LIMIT);
      reader.next(LIMIT);
      let fed = 0;
      expect(() => {
        for (; fed < 1_000; fed += 1) {
          reader.feed(Buffer.alloc(100, "x"));
          reader.next(8_192);
        }
      }).toThrow(XmlStreamError);
      expect(fed).toBeLessThan(83);
    }
  });

  it("do not count white space between elements", () => {
    const reader = new StreamReader();
    reader.feed(Buffer.from(HEADER));
    reader.next(8_192);
    const blank = Buffer.from(" ");
    let read = 0;
    for (let count = 0; count < 100_000; count += 1) {
      reader.feed(blank);
      if (reader.next(8_192) !== null) read += 1;
    }
    expect(read).toBe(0);
    reader.feed(Buffer.from("<a/>"));
    expect(reader.next(8_192)?.name).toBe("a");
  });

  /** CPU time of a function, in milliseconds. */
  function cost(act: () => void): number {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }

  it.each([
    ["text", "<a>", "x"],
    ["a start tag without an end", "<a ", "x"],
    ["an attribute value without an end", "<a b='", "x"],
    ["lines", "<a>", "\r\n"],
    ["CDATA", "<a><![CDATA[", "]"],
    ["references", "<a>", "&amp;"],
  ])("take little time to reach: 1 MiB of %s in chunks of at most 64 bytes", (_name, begin, fill) => {
    const reader = new StreamReader();
    reader.feed(Buffer.from(HEADER + begin));
    const chunk = Buffer.alloc(64 - (64 % fill.length), fill);
    const ms = cost(() => {
      for (let fed = 0; fed < 1_048_576; fed += chunk.length) {
        reader.next(10_485_760);
        reader.feed(chunk);
      }
    });
    expect(ms).toBeLessThan(1_500);
  });
});

describe("random input", () => {
  it("is read or refused", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(HEADER, call, "</stream:stream>", "<a>", "</a>", "<![CDATA[", "]]>", "&#13;"),
      anyText({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (chunks) => {
        read(chunks);
        read([HEADER, ...chunks]);
      }),
      { numRuns: 500 },
    );
  });

  it("inserted into a call is read or refused", () => {
    const edit = fc.tuple(fc.nat(call.length), fc.nat(12), fc.uint8Array({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let bytes = Buffer.from(call);
        for (const [at, cut, insert] of edits) {
          bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + cut)]);
        }
        read([HEADER, bytes, "<presence/>"]);
      }),
      { numRuns: 500 },
    );
  });
});
