import { exceedsDepth } from "../../src/core/json";
import { SDP_MAX } from "../../src/domain/conferences/engine/engine";
import { parseMessage } from "../../src/transports/janus-endpoint/protocol/fields";
import { JanusError } from "../../src/transports/janus-endpoint/protocol/janus-error";
import { MESSAGE_BYTES } from "../../src/transports/janus-endpoint/protocol/janus-limits";
import {
  type JanusRequest,
  readEnvelope,
  readRequest,
  transactionOf,
} from "../../src/transports/janus-endpoint/protocol/requests";
import { corrupt, type Random, seededRandom } from "../../tools/seeded-random";

/** The parser of the Janus protocol: what it accepts, and what it does with anything else. */

const read = (text: string): JanusRequest => {
  const message = parseMessage(text);
  return readRequest(message, readEnvelope(message, undefined));
};
const message = (fields: object) =>
  JSON.stringify({ transaction: "t", token: "k", session_id: 1, handle_id: 2, ...fields });
const body = (fields: object, jsep?: object) => message({ janus: "message", body: fields, jsep });

const SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\n";
const VALID = [
  JSON.stringify({ janus: "create", transaction: "t", token: "k" }),
  JSON.stringify({ janus: "keepalive", transaction: "t", token: "k", session_id: 1 }),
  JSON.stringify({
    janus: "attach",
    transaction: "t",
    session_id: 1,
    plugin: "janus.plugin.videoroom",
  }),
  body({ request: "join", ptype: "publisher", room: "r", id: 5, display: "d" }),
  body({ request: "join", ptype: "listener", room: 12, feed: 5 }),
  body({ request: "configure", audio: true, keyframe: true }, { type: "offer", sdp: SDP }),
  body({ request: "start", room: "r" }, { type: "answer", sdp: SDP }),
  body({ request: "listparticipants", room: "r" }),
  body({ request: "leave", room: null, id: 5 }),
  message({
    janus: "trickle",
    candidate: { candidate: "candidate:1", sdpMid: "0", sdpMLineIndex: 0 },
  }),
  message({ janus: "trickle", candidate: { completed: true } }),
  message({ janus: "detach" }),
  message({ janus: "hangup" }),
];

/** Every property of a request that may exist, with the type of its value. */
const KNOWN: Record<string, RegExp> = {
  kind: /^string$/,
  sessionId: /^number$/,
  handleId: /^number$/,
  body: /^object$/,
  jsep: /^object$/,
  candidate: /^(object|string)$/,
  request: /^string$/,
  as: /^string$/,
  room: /^(string|number|undefined)$/,
  id: /^(number|undefined)$/,
  feed: /^number$/,
  keyFrame: /^boolean$/,
  type: /^string$/,
  sdp: /^string$/,
  sdpMid: /^(string|object)$/,
  sdpMLineIndex: /^(number|object)$/,
};

function unknownProperties(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    KNOWN[name]?.test(typeof item) ? unknownProperties(item) : [name],
  );
}

/** Reads a text as the endpoint does. @returns the request, or the code of the error */
function outcome(text: string): JanusRequest | number {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof JanusError) return error.code;
    throw error;
  }
}

const WORDS = [
  "janus transaction token session_id handle_id plugin body jsep candidate request ptype room id feed",
  "display type sdp completed sdpMid sdpMLineIndex keyframe secret record filename __proto__ constructor",
]
  .join(" ")
  .split(" ");
const VALUES = [
  ..."create attach message trickle join configure start leave publisher listener offer answer".split(
    " ",
  ),
  "janus.plugin.videoroom",
  SDP,
  "\u0000",
  "\ud800",
  "",
];

function anyJson(random: Random, levels: number): unknown {
  const kind = random(levels > 0 ? 9 : 6);
  if (kind === 0) return VALUES[random(VALUES.length)];
  if (kind === 1) return random(1_000) - 10;
  if (kind === 2) return random(2) === 0;
  if (kind === 3) return null;
  if (kind === 4) return Number.MAX_SAFE_INTEGER + random(5);
  if (kind === 5) return random(1_000) / 7;
  if (kind === 6) return Array.from({ length: random(4) }, () => anyJson(random, levels - 1));
  return Object.fromEntries(
    Array.from({ length: random(8) }, () => [
      WORDS[random(WORDS.length)],
      anyJson(random, levels - 1),
    ]),
  );
}

test.each(VALID)("accepts %s", (text) => {
  expect(read(text)).toBeTruthy();
});

test("drops every field that it does not know, at every level", () => {
  const request = read(
    message({
      janus: "message",
      apisecret: "s",
      opaque_id: "o",
      body: {
        request: "configure",
        record: true,
        filename: "/etc/passwd",
        display: "Admin",
        secret: "s",
        streams: [{ mid: "0", send: false }],
      },
      jsep: { type: "offer", sdp: SDP, trickle: true, e2ee: true, rid_order: "hml" },
    }),
  );
  expect(request).toEqual({
    kind: "message",
    sessionId: 1,
    handleId: 2,
    body: { request: "configure", room: undefined, keyFrame: false },
    jsep: { type: "offer", sdp: SDP },
  });
});

test("reads no inherited property", () => {
  for (const text of ["{}", '{"__proto__":{"janus":"create","transaction":"t"}}']) {
    expect(outcome(text)).toBe(456);
  }
  const inherited = '{"janus":"create","transaction":"t","__proto__":{"session_id":5}}';
  expect(outcome(inherited)).toEqual({ kind: "create" });
});

test("any JSON is a request with known fields alone, or an error of the protocol", () => {
  const random = seededRandom(14);
  let accepted = 0;
  for (let count = 0; count < 20_000; count += 1) {
    const value = anyJson(random, 4);
    const merged =
      random(2) === 0 && typeof value === "object" && !Array.isArray(value)
        ? { ...JSON.parse(VALID[random(VALID.length)] ?? "{}"), ...value }
        : value;
    const result = outcome(JSON.stringify(merged) ?? "null");
    if (typeof result === "number") continue;
    accepted += 1;
    expect(unknownProperties(result)).toEqual([]);
  }
  expect(accepted).toBeGreaterThan(500);
});

test("any bytes are a request with known fields alone, or an error of the protocol", () => {
  const random = seededRandom(15);
  let accepted = 0;
  for (let count = 0; count < 20_000; count += 1) {
    const text = VALID[random(VALID.length)] ?? "";
    const result = outcome(corrupt(random, Buffer.from(text)).toString("utf8"));
    if (typeof result === "number") continue;
    accepted += 1;
    expect(unknownProperties(result)).toEqual([]);
  }
  expect(accepted).toBeGreaterThan(500);
});

test("ids are exact: what is rounded, fractional or text is refused", () => {
  for (const id of ["9007199254740993", "1.5", "-1", "0", '"1"', "1e400", "true", "[1]", "{}"]) {
    const text = `{"janus":"keepalive","transaction":"t","session_id":${id}}`;
    expect(outcome(text)).toBe(467);
    const feed = body({ request: "join", ptype: "listener", room: "r", feed: "?" });
    expect(outcome(feed.replace('"?"', id))).toBe(430);
  }
});

test("the transaction of an invalid message is that of its error", () => {
  expect(transactionOf(parseMessage('{"transaction":"t","janus":1}'))).toBe("t");
  expect(transactionOf(parseMessage('{"transaction":1}'))).toBeUndefined();
  expect(transactionOf(parseMessage('{"__proto__":{"transaction":"t"}}'))).toBeUndefined();
});

test("nesting is bounded, also of what is dropped", () => {
  const nested = (levels: number) =>
    message({ janus: "detach", x: JSON.parse("[".repeat(levels) + "]".repeat(levels)) });
  expect(outcome(nested(7))).toEqual({ kind: "detach", sessionId: 1, handleId: 2 });
  expect(outcome(nested(8))).toBe(454);
  expect(exceedsDepth(parseMessage(nested(7)), 8)).toBe(false);
});

describe("time is linear in the size of a message", () => {
  /** Far more than a message may have, so that quadratic work would take minutes. */
  const LENGTH = 40 * MESSAGE_BYTES;
  const MAX_MS = 2_000;

  test.each([
    ["brackets", "[".repeat(LENGTH)],
    ["objects", '{"a":'.repeat(LENGTH / 5)],
    ["quotes", '"'.repeat(LENGTH)],
    ["escapes", `{"transaction":"${"\\u0000".repeat(LENGTH / 6)}"}`],
    ["spaces", `{${" ".repeat(LENGTH)}}`],
    ["digits", `{"session_id":${"9".repeat(LENGTH)}}`],
    ["fields", `{${'"a":1,'.repeat(LENGTH / 6)}"b":1}`],
    ["a long transaction", JSON.stringify({ janus: "create", transaction: "t".repeat(LENGTH) })],
    ["a long room", body({ request: "leave", room: "😀".repeat(LENGTH / 2) })],
    ["a long description", body({ request: "start" }, { type: "answer", sdp: SDP.repeat(10_000) })],
  ])("%s", (_name, text) => {
    const start = process.cpuUsage();
    outcome(text);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(MAX_MS);
  });

  test("a description of the maximum length is accepted", () => {
    const sdp = SDP.padEnd(SDP_MAX, "a=x\r\n");
    const text = body({ request: "start" }, { type: "answer", sdp });
    expect(Buffer.byteLength(text)).toBeLessThan(MESSAGE_BYTES + SDP_MAX);
    expect(outcome(text)).toMatchObject({ jsep: { sdp } });
    expect(outcome(body({ request: "start" }, { type: "answer", sdp: `${sdp}x` }))).toBe(467);
  });
});
