import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type RequestParameters,
  sign,
  signatureBaseStrings,
  signatureMatches,
  signedParameterNames,
} from "../../src/domain/sessions/signature";

const SECRET = "auth_secret_example_1";
const MANDATORY: RequestParameters = [
  ["application_id", "774"],
  ["auth_key", "aY7WwSRmu2-GbfA"],
  ["nonce", "33432"],
  ["timestamp", "1353966601"],
];
const LINE = "application_id=774&auth_key=aY7WwSRmu2-GbfA&nonce=33432&timestamp=1353966601";
const USER: RequestParameters = [
  ["user[login]", "alice"],
  ["user[password]", "p4ss word&1"],
];

describe("worked examples", () => {
  test.each([
    ["the mandatory parameters", LINE, "f2e56ddb87a706e956f909f195f0913921d9cc64"],
    [
      "with user data",
      `${LINE}&user[login]=alice&user[password]=p4ss word&1`,
      "5755a1e08c299d5bcf4538a435f8e442c9061258",
    ],
    [
      "with long",
      "application_id=774&auth_key=aY7WwSRmu2-GbfA&long=1&nonce=33432&timestamp=1353966601",
      "1ac36ba2c841a379847e9f8b4790a6f47889c7b1",
    ],
  ])("%s", (_what, line, signature) => {
    expect(sign(line, SECRET)).toBe(signature);
    expect(createHmac("sha1", SECRET).update(line).digest("hex")).toBe(signature);
  });

  test("match the parameters they cover, in any order", () => {
    const cases: Array<[RequestParameters, string]> = [
      [MANDATORY, "f2e56ddb87a706e956f909f195f0913921d9cc64"],
      [[...MANDATORY, ...USER], "5755a1e08c299d5bcf4538a435f8e442c9061258"],
      [[...MANDATORY, ["long", "1"]], "1ac36ba2c841a379847e9f8b4790a6f47889c7b1"],
    ];
    for (const [parameters, signature] of cases) {
      for (const order of [parameters, [...parameters].reverse()]) {
        expect(signatureMatches(order, signature, [SECRET])).toBe(true);
        expect(signatureMatches([...order, ["signature", signature]], signature, [SECRET])).toBe(
          true,
        );
      }
    }
  });
});

describe("signature base strings", () => {
  test("of only the mandatory parameters: one", () => {
    expect(signatureBaseStrings([["signature", "x"], ...MANDATORY])).toEqual([LINE]);
  });

  test("of more parameters: the mandatory ones, and all except the signature", () => {
    expect(signatureBaseStrings([...USER, ["signature", "x"], ...MANDATORY])).toEqual([
      LINE,
      `${LINE}&user[login]=alice&user[password]=p4ss word&1`,
    ]);
  });

  test("contain raw values", () => {
    const raw: RequestParameters = [...MANDATORY, ["zeta", "ü =&%+[]\r\n"], ["zz", ""]];
    expect(signatureBaseStrings(raw)[1]).toBe(`${LINE}&zeta=ü =&%+[]\r\n&zz=`);
  });

  test("sort the entries within a group, then the groups", () => {
    const parameters: RequestParameters = [
      ["user[password]", "p"],
      ["keys[token]", "t"],
      ["user[email]", "e"],
      ...MANDATORY,
      ["provider", "facebook"],
      ["keys[secret]", "s"],
      ["user_agent", "u"],
    ];
    expect(signatureBaseStrings(parameters)[1]).toBe(
      "application_id=774&auth_key=aY7WwSRmu2-GbfA&keys[secret]=s&keys[token]=t&nonce=33432&provider=facebook&timestamp=1353966601&user[email]=e&user[password]=p&user_agent=u",
    );
  });

  test("list their parameters in signing order", () => {
    expect(
      signedParameterNames([...USER, ["signature", "x"], ["long", "1"], ...MANDATORY]),
    ).toEqual([
      "application_id",
      "auth_key",
      "long",
      "nonce",
      "timestamp",
      "user[login]",
      "user[password]",
    ]);
  });
});

describe("a signature", () => {
  const all: RequestParameters = [...MANDATORY, ...USER];
  const short = sign(LINE, SECRET);
  const long = sign(signatureBaseStrings(all)[1] ?? "", SECRET);

  test("of either base string is accepted, in upper case too", () => {
    for (const signature of [short, long, short.toUpperCase()]) {
      expect(signatureMatches(all, signature, [SECRET])).toBe(true);
    }
  });

  test("with either secret is accepted during an overlap, and with no other", () => {
    expect(signatureMatches(all, short, ["new secret", SECRET])).toBe(true);
    expect(signatureMatches(all, short, ["new secret"])).toBe(false);
    expect(signatureMatches(all, short, [])).toBe(false);
  });

  test("does not match when a covered value changes", () => {
    for (const [index, [name]] of all.entries()) {
      const tampered = all.map((entry, at) => (at === index ? ([name, "other"] as const) : entry));
      expect(signatureMatches(tampered, long, [SECRET])).toBe(false);
    }
    for (const index of MANDATORY.keys()) {
      const tampered = MANDATORY.map(
        ([name, text], at) => [name, at === index ? "1" : text] as const,
      );
      expect(signatureMatches(tampered, short, [SECRET])).toBe(false);
    }
  });

  test("of all parameters does not match when one is added or removed", () => {
    expect(signatureMatches([...all, ["long", "1"]], long, [SECRET])).toBe(false);
    expect(signatureMatches(all.slice(0, -1), long, [SECRET])).toBe(false);
  });

  test.each([
    "",
    "0",
    short.slice(0, -1),
    `${short}0`,
    "0".repeat(40),
    "ü".repeat(20),
    "=".repeat(40),
  ])("does not match as %j", (signature) => {
    expect(signatureMatches(all, signature, [SECRET])).toBe(false);
  });

  test("does not match with a single wrong digit", () => {
    for (let place = 0; place < short.length; place++) {
      const digit = short[place] === "0" ? "1" : "0";
      const wrong = short.slice(0, place) + digit + short.slice(place + 1);
      expect(signatureMatches(all, wrong, [SECRET])).toBe(false);
    }
  });

  test("is compared in constant time, never with an operator", () => {
    const source = readFileSync(join(__dirname, "../../src/domain/sessions/signature.ts"), "utf8");
    expect(source).toMatch(/timingSafeEqual\(actual, expected\)/);
    expect(source).not.toMatch(
      /(signature|actual|expected)\s*[!=]==?\s*(signature|actual|expected)\b(?!\.)/,
    );
  });
});
