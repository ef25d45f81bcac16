import fc from "fast-check";
import { readPlain, SignInThrottle } from "../../src/transports/xmpp/c2s/sasl";
import { anyText } from "../support/any-text";

const DOMAIN = "chat.example";
const encode = (text: string | Uint8Array) => Buffer.from(text).toString("base64");
const user = { applicationId: 7, userId: 42 };

describe("SASL PLAIN", () => {
  it.each([
    ["the user and application ids", "\x0042-7\0secret"],
    ["the bare JID", "\x0042-7@chat.example\0secret"],
    ["the bare JID in upper case", "\x0042-7@CHAT.example\0secret"],
    ["its own JID as authzid", "42-7@chat.example\x0042-7\0secret"],
    ["its own ids as authzid", "42-7\x0042-7@chat.example\0secret"],
  ])("accepts %s", (_name, message) => {
    expect(readPlain(encode(message), DOMAIN)).toEqual({ user, secret: "secret" });
  });

  it("returns the secret unchanged", () => {
    const secret = "\ufeff pässwörd 🔑\t";
    expect(readPlain(encode(`\x0042-7\0${secret}`), DOMAIN)).toEqual({ user, secret });
  });

  it.each([
    ["broken base64", "AA=A", "incorrect-encoding"],
    ["base64 without its padding", "AAA", "incorrect-encoding"],
    ["base64 with white space", "AAAA AAAA", "incorrect-encoding"],
    ["base64url", "AA-_", "incorrect-encoding"],
    ["an empty message", "=", "malformed-request"],
    ["no NUL", encode("42-7 secret"), "malformed-request"],
    ["one NUL", encode("42-7\0secret"), "malformed-request"],
    ["three NULs", encode("\x0042-7\0secret\0"), "malformed-request"],
    ["no name", encode("\0\0secret"), "malformed-request"],
    ["no secret", encode("\x0042-7\0"), "malformed-request"],
    ["bad UTF-8", encode(Uint8Array.of(0, 0x34, 0x32, 0x2d, 0x37, 0, 0xff)), "malformed-request"],
    ["a name that is not a pair of ids", encode("\0alice\0secret"), "not-authorized"],
    ["a name of another domain", encode("\x0042-7@other.example\0secret"), "not-authorized"],
    ["a full JID", encode("\x0042-7@chat.example/web\0secret"), "not-authorized"],
    ["ids beyond 2^53-1", encode("\x009007199254740992-7\0secret"), "not-authorized"],
    ["another user as authzid", encode("43-7@chat.example\x0042-7\0secret"), "invalid-authzid"],
    ["a malformed authzid", encode("x\x0042-7\0secret"), "invalid-authzid"],
  ])("rejects %s", (_name, message, condition) => {
    expect(readPlain(message, DOMAIN)).toBe(condition);
  });

  it("handles arbitrary input", () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.uint8Array().map(encode)), (message) => {
        const read = readPlain(message, DOMAIN);
        if (typeof read !== "string") expect(read.user.userId).toBeGreaterThan(0);
        else expect(read).toMatch(/^[a-z-]+$/);
      }),
    );
  });
});

describe("SignInThrottle", () => {
  const fail = (throttle: SignInThrottle, ip: string, account: string) => {
    const { wait, end } = throttle.begin(ip, account);
    end(false);
    return wait;
  };

  it("doubles the delay up to a maximum, for each pair of address and account", () => {
    const throttle = new SignInThrottle(100);
    const waits = Array.from({ length: 10 }, () => fail(throttle, "ip", "42-7"));
    expect(waits).toEqual([0, 0, 0, 100, 200, 400, 800, 1600, 1600, 1600]);
    expect(fail(throttle, "ip", "43-7")).toBe(0);
    expect(fail(throttle, "other", "42-7")).toBe(0);
  });

  it("resets after a success and does not count attempts that could not be checked", () => {
    const throttle = new SignInThrottle(100);
    for (let count = 0; count < 5; count += 1) fail(throttle, "ip", "42-7");
    throttle.begin("ip", "42-7").end(null);
    expect(throttle.begin("ip", "42-7").wait).toBe(400);
    throttle.begin("ip", "42-7").end(true);
    expect(fail(throttle, "ip", "42-7")).toBe(0);
  });

  it("counts concurrent attempts as failures until their outcome is known", () => {
    const throttle = new SignInThrottle(100);
    const waits = Array.from({ length: 30 }, () => throttle.begin("ip", "42-7").wait);
    expect(waits.slice(0, 19)).toEqual(Array(19).fill(0));
    expect(waits.slice(19, 22)).toEqual([100, 200, 400]);
    expect(waits.at(-1)).toBe(1600);
  });

  it("keeps a limited number of pairs", () => {
    const throttle = new SignInThrottle(100);
    for (let count = 0; count < 5; count += 1) fail(throttle, "first", "1-1");
    for (let count = 0; count < 10_001; count += 1) fail(throttle, `ip${count}`, "1-1");
    expect(throttle.begin("first", "1-1").wait).toBe(0);
  });
});
