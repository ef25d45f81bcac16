import fc from "fast-check";
import {
  formatJid,
  isHost,
  parseJid,
  parseUser,
  toResource,
} from "../../src/transports/xmpp/stanza/jid";
import { anyText } from "../support/any-text";

describe("a JID", () => {
  it.each([
    ["chat.example", { local: "", domain: "chat.example" }],
    ["42-7@chat.example", { local: "42-7", domain: "chat.example" }],
    ["42-7@Chat.EXAMPLE./Web", { local: "42-7", domain: "chat.example", resource: "Web" }],
    ["42-7@chat.example/a/b@c d", { local: "42-7", domain: "chat.example", resource: "a/b@c d" }],
    ["42-7@[::1]/x", { local: "42-7", domain: "[::1]", resource: "x" }],
    [`a@b/${"x".repeat(1023)}`, { local: "a", domain: "b", resource: "x".repeat(1023) }],
    ["a@b/e\u0301\u00a0", { local: "a", domain: "b", resource: "é " }],
  ])("is parsed: %j", (text, jid) => {
    expect(parseJid(text)).toEqual(jid);
  });

  it.each([
    "",
    "@",
    "@chat.example",
    "42-7@",
    "42-7@/x",
    "a@b@c",
    "a b@c",
    "a'@c",
    "a\u0000@c",
    "a@b c",
    "a@b/",
    "a@b/\u0000",
    "a@b/x\u007f",
    "a@b/\ud800",
    `a@b/${"x".repeat(1024)}`,
    `a@b/${"é".repeat(512)}`,
    `${"a".repeat(1024)}@b`,
    `a@${"b".repeat(1024)}`,
    "x".repeat(5000),
  ])("is refused: %j", (text) => {
    expect(parseJid(text)).toBeUndefined();
  });

  it.each([
    ["42-7", { userId: 42, applicationId: 7 }],
    ["9007199254740991-1", { userId: 9007199254740991, applicationId: 1 }],
    ["9007199254740992-1", undefined],
    ["1-9007199254740992", undefined],
    ["042-7", undefined],
    ["0-7", undefined],
    ["42-0", undefined],
    ["-42-7", undefined],
    ["42-7-1", undefined],
    ["42", undefined],
    ["42_7", undefined],
    ["1e3-7", undefined],
    ["４２-7", undefined],
    ["99999999999999999999-7", undefined],
    ["constructor", undefined],
  ])("%j names the user %j", (local, party) => {
    expect(parseUser(local)).toEqual(party);
  });

  it("is parsed as it was formatted", () => {
    const id = fc.maxSafeNat().filter((value) => value > 0);
    fc.assert(
      fc.property(
        id,
        id,
        fc.option(fc.string({ unit: "grapheme" }), { nil: undefined }),
        (userId, applicationId, text) => {
          const resource = text === undefined ? undefined : toResource(text);
          const party = { applicationId, userId, ...(resource !== undefined && { resource }) };
          const jid = parseJid(formatJid(party, "chat.example"));
          expect(jid).toEqual({
            local: `${userId}-${applicationId}`,
            domain: "chat.example",
            ...(resource !== undefined && { resource }),
          });
          expect(parseUser(jid?.local ?? "")).toEqual({ applicationId, userId });
        },
      ),
    );
  });

  it("parses any text or refuses it", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const jid = parseJid(text);
        if (jid) expect(isHost(jid.domain)).toBe(true);
        expect(parseJid(`a@b/${text}`)?.resource).toBe(toResource(text));
      }),
    );
  });
});
