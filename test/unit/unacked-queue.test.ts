import fc from "fast-check";
import {
  StanzaAcknowledgements,
  type StreamManagementLimits,
} from "../../src/transports/xmpp/stream-management/acknowledgements";
import { UnackedQueue } from "../../src/transports/xmpp/stream-management/unacked-queue";

const MODULUS = 2 ** 32;
const NO_LIMITS = { stanzas: 1_000_000, bytes: 1_000_000_000 };

test("returns the newest acknowledged cursor", () => {
  const queue = new UnackedQueue(NO_LIMITS);
  for (const [xml, cursor] of [
    ["<a/>", "1"],
    ["<b/>", undefined],
    ["<c/>", "2"],
    ["<d/>", undefined],
  ] as const) {
    queue.push(xml, cursor);
  }
  expect(queue.acknowledge(0)).toBeUndefined();
  expect(queue.acknowledge(2)).toBe("1");
  expect(queue.acknowledge(2)).toBeUndefined();
  expect(queue.stanzas()).toEqual(["<c/>", "<d/>"]);
  expect(queue.acknowledge(4)).toBe("2");
  expect([queue.size, queue.bytes]).toEqual([0, 0]);
});

test("counts the UTF-8 bytes of a stanza", () => {
  const queue = new UnackedQueue(NO_LIMITS);
  queue.push("<a>\u20ac</a>", undefined);
  expect(queue.bytes).toBe(10);
});

test.each([
  ["stanzas", { stanzas: 2, bytes: 100 }, ["a", "b", "c"]],
  ["bytes", { stanzas: 100, bytes: 3 }, ["ab", "cd", "ef"]],
])("reports too many %s, and drops none", (_name, limits, stanzas) => {
  const queue = new UnackedQueue(limits);
  expect(stanzas.map((xml) => queue.push(xml, undefined))).toEqual([true, true, false]);
  expect(queue.stanzas()).toEqual(stanzas);
});

test("accepts a stanza of any size while it is below its limits", () => {
  const queue = new UnackedQueue({ stanzas: 100, bytes: 4 });
  expect(["x".repeat(50), "y"].map((xml) => queue.push(xml, undefined))).toEqual([true, false]);
  queue.acknowledge(2);
  expect(["ab", "x".repeat(50)].map((xml) => queue.push(xml, undefined))).toEqual([true, true]);
});

test("counts beyond 2^32, with acknowledgements at any time", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 50 }), (steps) => {
      const queue = new UnackedQueue(NO_LIMITS, MODULUS - 100);
      const kept: string[] = [];
      let sent = 0;
      let acknowledged = 0;
      for (const [pushes, acknowledges] of steps) {
        for (let index = 0; index < pushes; index += 1) {
          sent += 1;
          kept.push(`${sent}`);
          queue.push(`${sent}`, `${sent}`);
        }
        acknowledged = Math.min(sent, acknowledged + acknowledges);
        const gone = kept.splice(0, acknowledged - (sent - kept.length));
        const cursor = queue.acknowledge((MODULUS - 100 + acknowledged) % MODULUS);
        expect(cursor).toBe(gone.at(-1));
        expect(queue.stanzas()).toEqual(kept);
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
        const queue = new UnackedQueue(NO_LIMITS, MODULUS - 10);
        queue.acknowledge((MODULUS - 10 + ahead) % MODULUS);
        let sent = 0;
        let received = 0;
        for (const [pushes, receives] of steps) {
          for (let index = 0; index < pushes; index += 1) queue.push("x", undefined);
          sent += pushes;
          received = Math.min(sent, received + receives);
          queue.acknowledge((MODULUS - 10 + ahead + received) % MODULUS);
          expect(queue.size).toBe(sent - received);
        }
      },
    ),
  );
});

test("no count loses later stanzas, and a valid one works again", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: MODULUS - 1 })), (counts) => {
      const queue = new UnackedQueue(NO_LIMITS);
      for (const [index, count] of counts.entries()) {
        queue.push(`${index}`, undefined);
        queue.acknowledge(count);
        const left = queue.stanzas();
        queue.push("next", undefined);
        expect(queue.stanzas()).toEqual([...left, "next"]);
      }
    }),
  );
  const queue = new UnackedQueue(NO_LIMITS);
  queue.push("one", undefined);
  queue.acknowledge(1_000_000);
  queue.push("two", undefined);
  queue.acknowledge(2);
  expect(queue.size).toBe(0);
});

test("requests an acknowledgement at once for few large stanzas", () => {
  const written: string[] = [];
  const limits: StreamManagementLimits = {
    unacknowledged: { stanzas: 100, bytes: 400 },
    ackRequestDelayMs: 60_000,
    enableWaitMs: 0,
  };
  const acks = new StanzaAcknowledgements(limits, (xml) => written.push(xml));
  const send = (length: number) => {
    acks.unacked.push("x".repeat(length), undefined);
    acks.countSent();
    return written.length;
  };
  expect([send(60), send(60), send(60)]).toEqual([0, 1, 1]);
  // Acknowledges the first two; the third is not large.
  acks.handleAck(2);
  expect(written).toHaveLength(1);
  expect(send(60)).toBe(2);
  acks.pause();
});
