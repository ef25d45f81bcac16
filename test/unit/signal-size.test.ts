import type { FieldSignal, Signal } from "../../src/domain/calls/signals/signal";
import { signalFromInput } from "../../src/domain/calls/signals/signal-from-input";
import { maxSignalBytes, signalSizeLimit } from "../../src/domain/calls/signals/signal-size";
import { readFrame } from "../../src/platform/xml/strict-reader";
import type { XmlElement } from "../../src/platform/xml/xml-element";
import { decodeSignal, encodeSignal } from "../../src/transports/xmpp/stanza/stanza";

const STANZA = 65_536;
const LIMIT = maxSignalBytes(STANZA);
const ann = { applicationId: 7, userId: 42, resource: "phone" };
const bob = { applicationId: 7, userId: 43 };
const write = (signal: Signal) => encodeSignal(signal, "chat.example");
const bytes = (signal: Signal) => Buffer.byteLength(write({ ...signal }));

/** Whether a signal is accepted, and how often it was encoded to decide. */
function check(signal: Signal): { outcome: string; written: number } {
  let written = 0;
  const rule = signalSizeLimit(STANZA, (asked) => {
    written += 1;
    return write(asked);
  });
  try {
    rule.checkSignal(signal);
    return { outcome: "accepted", written };
  } catch (error) {
    return { outcome: (error as { code: string }).code, written };
  }
}

const withExtra = (extra: XmlElement[]): FieldSignal => ({
  id: "i",
  from: ann,
  to: bob,
  type: "probe",
  extra,
});
const sdp = (text: string) =>
  signalFromInput(
    ann,
    { to: { userId: "43" } },
    { type: "probe", content: { sdp: text }, path: "" },
  );

describe("the size of a signal", () => {
  it.each([
    ["a session description", sdp("v=0\r\n".repeat(2_000))],
    ["ten thousand digits", sdp("7".repeat(10_000))],
  ])("is estimated from text lengths: %s is accepted without encoding", (_what, signal) => {
    expect(check(signal)).toEqual({ outcome: "accepted", written: 0 });
  });

  it.each([
    ["text", sdp("7".repeat(300_000)), "accepted"],
    ["LF that become &#13; and LF", sdp("\n".repeat(64_000)), "accepted"],
    ["LF beyond", sdp("\n".repeat(66_000)), "TOO_LARGE"],
    ["ampersands", sdp("&".repeat(78_000)), "accepted"],
    ["ampersands beyond", sdp("&".repeat(79_000)), "TOO_LARGE"],
    ["three bytes each", sdp("語".repeat(130_000)), "accepted"],
    ["three bytes each beyond", sdp("語".repeat(132_000)), "TOO_LARGE"],
    [
      "quotes in an attribute",
      withExtra([{ name: "a", attributes: { b: '"'.repeat(65_400) } }]),
      "accepted",
    ],
    [
      "quotes beyond",
      withExtra([{ name: "a", attributes: { b: '"'.repeat(66_000) } }]),
      "TOO_LARGE",
    ],
    [
      "empty elements",
      withExtra(Array.from({ length: 90_000 }, () => ({ name: "a" }))),
      "accepted",
    ],
    [
      "empty elements beyond",
      withExtra(Array.from({ length: 98_280 }, () => ({ name: "a" }))),
      "TOO_LARGE",
    ],
    [
      "JSON",
      { ...withExtra([]), userInfo: { a: Array.from({ length: 90_000 }, () => "7") } },
      "TOO_LARGE",
    ],
    ["parameters", { ...withExtra([]), parameters: { a: { b: "&".repeat(79_000) } } }, "TOO_LARGE"],
    [
      "opponents",
      { ...withExtra([]), opponentIds: Array.from({ length: 120_000 }, () => "7") },
      "TOO_LARGE",
    ],
    [
      "candidates",
      { ...withExtra([]), iceCandidates: [{ candidate: "&".repeat(79_000), extra: [] }] },
      "TOO_LARGE",
    ],
    [
      "siblings of a stanza",
      {
        id: "i",
        from: ann,
        to: bob,
        type: "probe",
        stanza: {
          params: { name: "extraParams" },
          before: [{ name: "a", text: "語".repeat(131_100) }],
        },
      },
      "TOO_LARGE",
    ],
  ] as [
    string,
    Signal,
    string,
  ][])("is that of its stanza near the limit: %s", (_what, signal, outcome) => {
    expect(bytes(signal) <= LIMIT ? "accepted" : "TOO_LARGE").toBe(outcome);
    expect(check(signal)).toEqual({ outcome, written: 1 });
  });

  it("is refused without encoding when its texts alone are too long, even if one text is shared thousands of times", () => {
    const namespace = "n".repeat(30_000);
    const signal = withExtra(Array.from({ length: 4_000 }, () => ({ name: "a", namespace })));
    expect(check(signal)).toEqual({ outcome: "TOO_LARGE", written: 0 });
  });

  it.each([
    ["LF of a session description", "<sdp>", "\n", "</sdp>"],
    ["ampersands in CDATA", "<a><![CDATA[", "&", "]]></a>"],
    ["quotes in an attribute", "<a b='", '"', "'/>"],
    ["empty elements", "", "<a/>", ""],
    ["empty candidates", "<iceCandidates>", "<iceCandidate/>", "</iceCandidates>"],
    ["short keys", "<userInfo>", "<a/>", "</userInfo>"],
  ])("is sufficient for anything a chat client can send: %s", (_what, before, each, after) => {
    const head = `<message type='headline' to='43-7@chat.example'><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType>${before}`;
    const tail = `${after}</extraParams></message>`;
    const xml = head + each.repeat((STANZA - head.length - tail.length) / each.length) + tail;
    const element = readFrame(xml, STANZA);
    const from = { ...ann, resource: "3f0b6a52-7d0c-4a4e-9b7e-7a7de9a1f2c3" };
    const signal = element && decodeSignal(element, from, bob);
    if (!signal) throw new Error("no signal");
    signal.id = "i".repeat(21);
    expect(check(signal).outcome).toBe("accepted");
  });

  it("of other stanzas has the same limit", () => {
    const { checkStanza } = signalSizeLimit(STANZA, write);
    checkStanza("x".repeat(LIMIT));
    expect(() => checkStanza("x".repeat(LIMIT + 1))).toThrow("longer than 393216 bytes");
    expect(() => checkStanza("語".repeat(LIMIT / 2))).toThrow("longer than 393216 bytes");
  });
});
