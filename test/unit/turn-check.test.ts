import { readConfig } from "../../src/core/config";
import { checkTurn } from "../../src/domain/health/checks/turn";

/** The check of STUN and TURN servers that cannot be reached. test/system/coturn.test.ts runs it against a real one. */

/** Longer than the interval in which the check repeats a datagram. */
const LATER_MS = 1_500;
const TURN_SECRET = "secret-of-the-test-number-one";
/** A name server that does not answer in time is another reason. */
const UNRESOLVED = /cannot be used: \w/;
/** No socket may connect to it without asking for broadcasts. */
const BROADCAST = "255.255.255.255";

test.each([
  ["turn:does-not-exist.invalid", UNRESOLVED],
  ["turn:does-not-exist.invalid?transport=tcp", UNRESOLVED],
  ["stun:does-not-exist.invalid", UNRESOLVED],
  [`turn:${BROADCAST}`, /cannot be used: connect E\w+ 255\.255\.255\.255:3478$/],
  ["turn:127.0.0.1:1", /cannot be used: .*ECONNREFUSED/],
])("of %s is a finding, and throws nothing later", async (url, detail) => {
  const later: unknown[] = [];
  const caught = (error: unknown) => later.push(error);
  process.on("uncaughtException", caught);
  try {
    const findings = await checkTurn(readConfig({ TURN_URLS: url, TURN_SECRET }));
    expect(findings).toMatchObject([{ check: "turn", status: "error" }]);
    expect(findings[0]?.detail).toMatch(detail);
    expect(findings[0]?.fix).toMatch(/correct TURN_URLS/);
    await new Promise((resolve) => setTimeout(resolve, LATER_MS));
    expect(later).toEqual([]);
  } finally {
    process.off("uncaughtException", caught);
  }
});
