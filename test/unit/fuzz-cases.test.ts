import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, parse, validate } from "graphql";
import type { Fixture } from "../../fuzz/deployment/fixture";
import { DocumentMaker } from "../../fuzz/input/documents";
import { rtcpPacket, rtpPacket } from "../../fuzz/input/media-packets";
import { randomFor } from "../../fuzz/input/random";
import { mutateSdp, OFFER } from "../../fuzz/input/sdp";
import { brokenXml, type Parties, stanza } from "../../fuzz/input/stanzas";
import { hostileValue, toJson } from "../../fuzz/input/values";
import { checkErrorText, checkStatus } from "../../fuzz/targets/http-client";
import type { Case } from "../../fuzz/targets/target";
import { readPublisherOffer } from "../../src/domain/conferences/engine/embedded/sdp/client-sdp";

/** The fuzzing driver itself: cases are reproducible, and violations are detected. */

const USER = { id: 5, applicationId: 2, login: "a", token: "t" };
const fixture = {
  user: () => USER,
  token: () => USER.token,
  accountKey: "k",
  application: { id: 2, authKey: "k", authSecret: "s" },
} as unknown as Fixture;
const PARTIES: Parties = {
  domain: "chat.example",
  from: "5-2@chat.example/r",
  to: ["6-2@chat.example"],
  name: "5-2",
  secret: "t",
};

const made = (seed: number, number: number): string[] => {
  const random = randomFor(seed, "graphql", number);
  const request = new DocumentMaker(random, fixture, 12).make();
  const text = stanza(random, PARTIES);
  return [
    toJson(request).replace(/\d{10}/g, ""),
    text,
    brokenXml(random, text).toString("latin1"),
    toJson(hostileValue(random)),
    rtcpPacket(random, [7]).toString("hex"),
    rtpPacket(random, [7]).toString("hex"),
    mutateSdp(random, OFFER),
  ];
};

test("a case is a deterministic function of seed and number", () => {
  for (let number = 0; number < 200; number += 1) {
    expect(made(1, number)).toEqual(made(1, number));
    expect(made(1, number)).not.toEqual(made(2, number));
    expect(made(1, number)).not.toEqual(made(1, number + 1));
  }
});

test("most documents pass validation, so that execution is reached", () => {
  const schema = buildSchema(readFileSync(join(__dirname, "../../schema/schema.graphql"), "utf8"));
  const isValid = (number: number) => {
    const { query } = new DocumentMaker(randomFor(1, "valid", number), fixture, 12).make();
    try {
      return validate(schema, parse(query)).length === 0;
    } catch {
      return false;
    }
  };
  const valid = Array.from({ length: 300 }, (_, number) => number).filter(isValid);
  expect(valid.length).toBeGreaterThan(200);
});

test("RTCP has every type, and half of the SDPs reach the library of the media server", () => {
  const types = new Set<number>();
  let taken = 0;
  for (let number = 0; number < 5_000; number += 1) {
    const random = randomFor(1, "media", number);
    types.add(rtcpPacket(random, [7])[1] ?? 0);
    if (number >= 300) continue;
    try {
      readPublisherOffer(mutateSdp(random, OFFER));
      taken += 1;
    } catch {
      // Refused by the gateway.
    }
  }
  const all = Array.from({ length: 32 }, (_, index) => 192 + index);
  expect(all.filter((type) => !types.has(type))).toEqual([]);
  expect(taken).toBeGreaterThan(100);
});

test("source descriptions that are invalid are sent, too", () => {
  const invalid = Array.from({ length: 20_000 }, (_, number) =>
    rtcpPacket(randomFor(1, "descriptions", number), [7]),
  ).filter(
    (packet) => packet[1] === 202 && !packet.toString("hex").startsWith("81ca00020000000101016300"),
  );
  expect(invalid.length).toBeGreaterThan(100);
});

test.each([
  [500, '{"errors":{"base":["Internal server error"]}}', true],
  [502, "", true],
  [503, '{"errors":{"base":["Try again later"]}}', false],
  [200, '{"errors":[{"message":"no","extensions":{"code":"INTERNAL"}}]}', true],
  [400, "TypeError: x is not a function\n    at run (/a/b.js:1:2)", true],
  [404, '{"errors":{"base":["Not found"]}}', false],
])("a response of %i with %j is a violation: %s", (status, text, expected) => {
  const violations: string[] = [];
  const each = { violation: (words: string) => violations.push(words) } as unknown as Case;
  checkStatus(each, status, text);
  expect(violations.length > 0).toBe(expected);
  violations.length = 0;
  checkErrorText(each, "a text of the chat endpoint");
  expect(violations).toEqual([]);
});
