import fc from "fast-check";
import { Acknowledgements } from "../../src/xmpp/management/acknowledgements";
import { Outbox } from "../../src/xmpp/management/outbox";

const MODULUS = 2 ** 32;
const WIDE = { stanzas: 1_000_000, bytes: 1_000_000_000 };

test("returns the newest acknowledged cursor", () => {
  const outbox = new Outbox(WIDE);
  for (const [xml, cursor] of [
    ["<a/>", "1"],
    ["<b/>", undefined],
    ["<c/>", "2"],
    ["<d/>", undefined],
  ] as const) {
    outbox.push(xml, cursor);
  }
  expect(outbox.acknowledge(0)).toBeUndefined();
  expect(outbox.acknowledge(2)).toBe("1");
  expect(outbox.acknowledge(2)).toBeUndefined();
  expect(outbox.stanzas()).toEqual(["<c/>", "<d/>"]);
  expect(outbox.acknowledge(4)).toBe("2");
  expect([outbox.size, outbox.bytes]).toEqual([0, 0]);
});

test("counts the UTF-8 bytes of a stanza", () => {
  const outbox = new Outbox(WIDE);
  outbox.push("<a>\u20ac</a>", undefined);
  expect(outbox.bytes).toBe(10);
});

test.each([
  ["stanzas", { stanzas: 2, bytes: 100 }, ["a", "b", "c"]],
  ["bytes", { stanzas: 100, bytes: 3 }, ["ab", "cd", "ef"]],
])("reports too many %s, and drops none", (_name, bounds, stanzas) => {
  const outbox = new Outbox(bounds);
  expect(stanzas.map((xml) => outbox.push(xml, undefined))).toEqual([true, true, false]);
  expect(outbox.stanzas()).toEqual(stanzas);
});

test("accepts a stanza of any size while it is below its limits", () => {
  const outbox = new Outbox({ stanzas: 100, bytes: 4 });
  expect(["x".repeat(50), "y"].map((xml) => outbox.push(xml, undefined))).toEqual([true, false]);
  outbox.acknowledge(2);
  expect(["ab", "x".repeat(50)].map((xml) => outbox.push(xml, undefined))).toEqual([true, true]);
});

test("counts beyond 2^32, with acknowledgements at any time", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 50 }), (steps) => {
      const outbox = new Outbox(WIDE, MODULUS - 100);
      const kept: string[] = [];
      let sent = 0;
      let acknowledged = 0;
      for (const [pushes, acknowledges] of steps) {
        for (let index = 0; index < pushes; index += 1) {
          sent += 1;
          kept.push(`${sent}`);
          outbox.push(`${sent}`, `${sent}`);
        }
        acknowledged = Math.min(sent, acknowledged + acknowledges);
        const gone = kept.splice(0, acknowledged - (sent - kept.length));
        const cursor = outbox.acknowledge((MODULUS - 100 + acknowledged) % MODULUS);
        expect(cursor).toBe(gone.at(-1));
        expect(outbox.stanzas()).toEqual(kept);
      }
    }),
  );
});

test("an acknowledgement ahead of the sent stanzas does not acknowledge later ones", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 }),
      (ahead, steps) => {
        const outbox = new Outbox(WIDE, MODULUS - 10);
        outbox.acknowledge((MODULUS - 10 + ahead) % MODULUS);
        let sent = 0;
        let received = 0;
        for (const [pushes, receives] of steps) {
          for (let index = 0; index < pushes; index += 1) outbox.push("x", undefined);
          sent += pushes;
          received = Math.min(sent, received + receives);
          outbox.acknowledge((MODULUS - 10 + ahead + received) % MODULUS);
          expect(outbox.size).toBe(sent - received);
        }
      },
    ),
  );
});

test("no count loses later stanzas, and a valid one works again", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: MODULUS - 1 })), (counts) => {
      const outbox = new Outbox(WIDE);
      for (const [index, count] of counts.entries()) {
        outbox.push(`${index}`, undefined);
        outbox.acknowledge(count);
        const left = outbox.stanzas();
        outbox.push("next", undefined);
        expect(outbox.stanzas()).toEqual([...left, "next"]);
      }
    }),
  );
  const outbox = new Outbox(WIDE);
  outbox.push("one", undefined);
  outbox.acknowledge(1_000_000);
  outbox.push("two", undefined);
  outbox.acknowledge(2);
  expect(outbox.size).toBe(0);
});

test("requests an acknowledgement at once for few large stanzas", () => {
  const written: string[] = [];
  const bounds = { unacknowledged: { stanzas: 100, bytes: 400 }, askMs: 60_000, holdMs: 0 };
  const counts = new Acknowledgements(bounds, (xml) => written.push(xml));
  const send = (length: number) => {
    counts.outbox.push("x".repeat(length), undefined);
    counts.sent();
    return written.length;
  };
  expect([send(60), send(60), send(60)]).toEqual([0, 1, 1]);
  // The answer is about the first two; the third is not large.
  counts.answered(2);
  expect(written).toHaveLength(1);
  expect(send(60)).toBe(2);
  counts.pause();
});
