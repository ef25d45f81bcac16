import { Fault } from "../../src/core/errors";
import { CHANNELS, type PushChannel } from "../../src/domain/push/channels/channel";
import { expirationOf, readMessage, wantsVoip } from "../../src/domain/push/payload/message";
import { MESSAGE_MAX } from "../../src/domain/push/payload/size";
import { translate } from "../../src/domain/push/payload/translate";

/** Formats of event[message]. */

const NOW = Date.UTC(2026, 10, 21, 10);
const encode = (text: string) => Buffer.from(text).toString("base64");
const web = (text: string, channel: PushChannel | null) =>
  JSON.parse((translate(readMessage(text, channel), "web", NOW) as { payload: string }).payload);

// Its Base64 contains every character that differs between the alphabets, and padding.
const TEXT = "ä>>>???~~~ü 😀";
const JSON_TEXT = JSON.stringify({ message: TEXT, n: 1 });
const BASE64 = encode(JSON_TEXT);

test("the example contains characters that differ between the alphabets", () => {
  expect(BASE64).toMatch(/^(?=.*\+)(?=.*\/).*=$/);
});

describe.each<[string, (base64: string) => string]>([
  ["with padding", (base64) => base64],
  ["without padding", (base64) => base64.replace(/=+$/, "")],
  ["of the URL-safe alphabet", (base64) => base64.replace(/\+/g, "-").replace(/\//g, "_")],
  [
    "of the URL-safe alphabet without padding",
    (base64) => base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""),
  ],
  ["in lines as MIME has them", (base64) => base64.replace(/.{10}/g, "$&\r\n")],
  ["in lines of Unix, indented", (base64) => base64.replace(/.{10}/g, "$&\n  ")],
  ["between white space", (base64) => ` \n${base64}\n`],
  ["whose plus a form made a space", (base64) => base64.replace(/\+/g, " ")],
])("Base64 %s", (_name, write) => {
  it("is parsed as a universal message", () => {
    expect(web(write(BASE64), null)).toEqual({ message: TEXT, n: 1 });
  });

  it("is parsed after payload=", () => {
    expect(web(`payload=${write(BASE64)}`, "web")).toEqual({ message: TEXT, n: 1 });
  });
});

it("is parsed after payload= with form escapes", () => {
  const escaped = encodeURIComponent(BASE64);
  expect(escaped).toMatch(/%2B.*%3D$/);
  expect(web(`payload=${escaped}`, "web")).toEqual({ message: TEXT, n: 1 });
});

it("ignores a byte order mark", () => {
  expect(web(encode("\ufeff{}"), null)).toEqual({});
});

it.each<[string, string, RegExp]>([
  ["nothing", "", /must not be empty/],
  ["white space", " \n", /must not be empty/],
  ["signs that are not of the alphabet", "e30*", /is not valid Base64/],
  ["padding in the middle", "e3=0", /is not valid Base64/],
  ["a sign too many", "e30AA", /is not valid Base64/],
  ["JSON that is not encoded", '{"message": "Hi"}', /must be a JSON object in Base64/],
  ["a platform's payload", `payload=${encode("{}")}`, /payload=.*set its push type/],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]).toString("base64"), /is not UTF-8/],
  ["text that is not JSON", encode("Hi"), /is not JSON/],
  ["JSON that breaks off", encode('{"message": "Hi"'), /is not JSON/],
  ["a list", encode("[]"), /must be a JSON object/],
  ["null", encode("null"), /must be a JSON object/],
  ["a text of JSON", encode('"Hi"'), /must be a JSON object/],
  ["__proto__", encode('{"__proto__": {"a": 1}}'), /__proto__/],
  ["__proto__ further in", encode('{"a": [{"__proto__": 1}]}'), /__proto__/],
  ["a number without end", encode('{"a": 1e999}'), /too large/],
  ["a number that loses digits", encode('{"a": 12345678901234567891}'), /too large.*as text/],
  ["half of a character", encode('{"a": "\\ud83d"}'), /a lone surrogate/],
  ["half of a character in a key", encode('{"\\ude00": 1}'), /a lone surrogate/],
  ["NUL inside", encode('{"a": ["\\u0000"]}'), /contains a character/],
  ["U+FFFE inside", encode('{"a": {"b": "\uFFFE"}}'), /contains a character/],
  ["U+FFFF in a key", encode('{"\\uffff": 1}'), /contains a character/],
  ["a lone surrogate outside", "e30\ud83d", /is not valid Base64/],
  ["NUL outside", "e30=\0", /is not valid Base64/],
])("refuses %s", (_name, text, reason) => {
  expect(() => readMessage(text, null)).toThrow(reason);
  try {
    readMessage(text, null);
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect(error).toMatchObject({
      code: "INVALID",
      fields: { message: [expect.stringMatching(reason)] },
    });
  }
  expect.assertions(3);
});

it.each([
  ["objects", '{"a":', "}"],
  ["lists", "[", "]"],
])("refuses excessive nesting: %s", (_name, open, close) => {
  const nested = (depth: number) => {
    const inner = depth - 1;
    return encode(`{"a":${open.repeat(inner)}${open === "[" ? "" : "1"}${close.repeat(inner)}}`);
  };
  expect(() => readMessage(nested(20), null)).not.toThrow();
  expect(() => readMessage(nested(21), null)).toThrow(/nests deeper than 20 levels/);
  expect(() => readMessage(nested(2_000), null)).toThrow(/nests deeper than 20 levels/);
});

it("accepts a message of the maximum length, and not one character more", () => {
  const longest = encode(`{"a": "${"x".repeat((MESSAGE_MAX / 4) * 3 - 9)}"}`);
  expect(longest).toHaveLength(MESSAGE_MAX);
  expect(() => readMessage(longest, null)).not.toThrow();
  expect(() => readMessage(`${longest}\n`, null)).toThrow(
    "is too long (maximum is 16,384 characters)",
  );
});

it.each(CHANNELS)("requires payload= in a message for %s", (channel) => {
  const reason = /must be payload= followed by the platform's JSON in Base64/;
  expect(() => readMessage(encode("{}"), channel)).toThrow(reason);
  expect(() => readMessage("{}", channel)).toThrow(reason);
  expect(() => readMessage("payload={}", channel)).toThrow(/is not valid Base64/);
  expect(() => readMessage(`payload=${encode("[]")}`, channel)).toThrow(/must be a JSON object/);
  expect(() => readMessage(`payload=${encode("{}")}`, channel)).not.toThrow();
});

it("reports all invalid keys at once", () => {
  const text = encode('{"message": 5, "ios_badge": "x", "ios_loc_data": {"title_loc_key": []}}');
  try {
    readMessage(text, null);
  } catch (error) {
    expect((error as Fault).fields).toEqual({
      message: [
        "contains message, which must be text",
        "contains ios_badge, which must be an integer from 0 to 2147483647",
        "contains ios_loc_data.title_loc_key, which must be text",
      ],
    });
  }
  expect.assertions(1);
});

it("limits the number of reported keys", () => {
  const wrong = Array.from({ length: 300 }, (_, index) => [`key${index}`, 1]);
  const text = `payload=${encode(JSON.stringify({ data: {}, ...Object.fromEntries(wrong) }))}`;
  try {
    readMessage(text, "gcm");
  } catch (error) {
    expect((error as Fault).fields?.message).toHaveLength(10);
  }
  expect.assertions(1);
});

it.each([
  ['{"ios_voip": 1}', true],
  ['{"ios_voip": "1"}', true],
  ['{"ios_voip": true}', true],
  ['{"ios_voip": 0}', false],
  ['{"ios_voip": null}', false],
  ["{}", false],
])("detects whether a VoIP push is requested: %s", (json, wanted) => {
  expect(wantsVoip(readMessage(encode(json), null))).toBe(wanted);
});

it("returns the expiration of a message", () => {
  expect(expirationOf(readMessage(encode('{"expiration": "1800000000"}'), null))).toBe(
    1_800_000_000,
  );
  expect(expirationOf(readMessage(encode("{}"), null))).toBeNull();
  expect(expirationOf(readMessage(`payload=${encode("{}")}`, "apns"))).toBeNull();
});

it("translates a platform-specific message for no other platform", () => {
  const message = readMessage(`payload=${encode("{}")}`, "apns");
  expect(() => translate(message, "gcm", NOW)).toThrow("cannot be sent on gcm");
});
