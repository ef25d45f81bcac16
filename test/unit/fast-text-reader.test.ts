import fc from "fast-check";
import { SaxesParser } from "saxes";
import { installFastTextReader } from "../../src/platform/xml/fast-text-reader";

class FastParser extends SaxesParser {}
installFastTextReader(FastParser.prototype as SaxesParser);

/** The events of a parser for an input in chunks, with the position at each tag. */
function eventsOf(parser: SaxesParser, chunks: string[]): string[] {
  const events: string[] = [];
  parser.on("opentag", ({ name }) => events.push(`open ${name} ${parser.position}`));
  parser.on("closetag", ({ name }) => events.push(`close ${name} ${parser.position}`));
  parser.on("text", (text) => events.push(`text ${text}`));
  parser.on("cdata", (text) => events.push(`cdata ${text}`));
  parser.on("error", ({ message }) => events.push(`error ${message}`));
  for (const chunk of chunks) parser.write(chunk);
  parser.close();
  return events;
}

const both = (chunks: string[]) => [
  eventsOf(new FastParser({ position: false }), chunks),
  eventsOf(new SaxesParser({ position: false }), chunks),
];

const PIECES = [
  "v=0",
  "a",
  " ",
  "\t",
  "\n",
  "\r",
  "\r\n",
  "&#13;",
  "&#13;\n",
  "&amp;",
  "&#xD;",
  "&#013;",
  "&",
  "&#",
  "&#1",
  "13;",
  "&x;",
  "&#0;",
  "]",
  "]]",
  "]]>",
  ">",
  "<b>",
  "</b>",
  "<b/>",
  "</a>",
  "<![CDATA[&#13;]]>",
  "\0",
  "\u000B",
  "\u007F",
  "é",
  "\uD800",
  "\uDC00",
  "😀",
  "\uFFFE",
  "\uFFFF",
  "\uFFFD",
  "\u2028",
];

describe("the fast text reader", () => {
  it("reads what the original parser reads, errors included", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }),
        fc.array(fc.nat(60), { maxLength: 3 }),
        (pieces, cuts) => {
          const text = `<a>${pieces.join("")}</a>`;
          const at = [0, ...cuts.toSorted((one, other) => one - other), text.length];
          const chunks = at.slice(1).map((end, index) => text.slice(at[index], end));
          const [fast, original] = both(chunks);
          expect(fast).toEqual(original);
        },
      ),
      { numRuns: 10_000 },
    );
  });

  it.each([
    ["]]> with the brackets in another chunk", ["<a>x]", "]", "></a>"]],
    ["]]> after a line end", ["<a>&#13;\n]]></a>"]],
    ["brackets separated by a reference", ["<a>]]&#13;></a>"]],
    ["a reference in two chunks", ["<a>v=0&#1", "3;\n</a>"]],
    ["an unescaped CR", ["<a>v=0\r\ns=-\r</a>"]],
  ])("reads %s as the original parser", (_name, chunks) => {
    const [fast, original] = both(chunks);
    expect(fast).toEqual(original);
  });

  it("takes linear time", () => {
    const seconds = (count: number) => {
      const frame = `<a>${"&#13;&amp;]".repeat(count)}</a>`;
      const begun = performance.now();
      eventsOf(new FastParser({ position: false }), [frame]);
      return (performance.now() - begun) / count;
    };
    seconds(5_000);
    expect(seconds(100_000)).toBeLessThan(20 * seconds(5_000));
  });
});
