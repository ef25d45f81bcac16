import { describeCheck } from "../../src/domain/push/credentials/check-message";
import type { Outcome } from "../../src/domain/push/providers/port/provider";
import { refusalOf } from "../../src/domain/push/providers/port/refusal";

const accepted: Outcome = { kind: "accepted", providerId: null };
const failed = (reason: string): Outcome => ({ kind: "failed", reason });
const retry = (reason: string): Outcome => ({ kind: "retry", reason, delayMs: null });

test.each([
  ["apns", [failed("InvalidProviderToken")], "InvalidProviderToken"],
  ["apns", [failed("DeviceTokenNotForTopic"), failed("BadCertificate")], "BadCertificate"],
  ["apns", [failed("DeviceTokenNotForTopic")], undefined],
  ["apns", [failed("InvalidProviderToken"), accepted], null],
  ["fcm", [failed("access token: invalid_grant")], "access token: invalid_grant"],
  ["fcm", [retry("UNAUTHENTICATED: no")], "UNAUTHENTICATED: no"],
  ["fcm", [failed("SENDER_ID_MISMATCH")], undefined],
  ["web", [failed("status 403: key")], undefined],
  ["web", [accepted], null],
  ["web", [failed('status 403: {"reason":"BadJwtToken"}')], 'status 403: {"reason":"BadJwtToken"}'],
  ["web", [failed("status 403: invalid JWT provided")], "status 403: invalid JWT provided"],
  ["web", [failed('status 400: {"reason":"VapidPkHashMismatch"}')], undefined],
  ["apns", [], undefined],
] as const)("%s: %j says %j about the credentials", (service, outcomes, refusal) => {
  const token = service === "web" ? "https://web.push.apple.com/abc" : "abc";
  const attempts = outcomes.map((outcome) => ({ outcome, bundleId: null, token }));
  expect(refusalOf(service, attempts)).toBe(refusal);
});

test.each([
  ["https://web.push.apple.com/a", true],
  ["https://fcm.googleapis.com/fcm/send/a", true],
  ["https://updates.push.services.mozilla.com/a", true],
  ["https://wns2-par02p.notify.windows.com/a", true],
  ["https://push.apple.com.attacker.example/a", false],
  ["https://notpush.apple.com/a", false],
  ["https://attacker.example/push.apple.com", false],
  ["no URL", false],
])("a refusal by the address %s, which a device has named, counts: %s", (token, counts) => {
  const attempts = [{ outcome: failed("status 403: BadJwtToken"), bundleId: null, token }];
  expect(refusalOf("web", attempts) !== undefined).toBe(counts);
});

test.each([
  [["TopicDisallowed", "a.b"], ["BadTopic", "a.b"], undefined],
  [["TopicDisallowed", "a.b"], ["BadTopic", null], "BadTopic"],
  [["TopicDisallowed", null], ["BadTopic", "a.b"], "TopicDisallowed"],
  [["TopicDisallowed", "a.b"], ["InvalidProviderToken", "a.b"], "InvalidProviderToken"],
] as const)("a bundle identifier that a device named is its own fault: %j, %j", (...row) => {
  const [one, two, refusal] = row;
  const attempts = [one, two].map(([reason, bundleId]) => ({
    ...{ outcome: failed(reason), token: "abc" },
    bundleId,
  }));
  expect(refusalOf("apns", attempts)).toBe(refusal);
});

test.each([
  ["fcm", { kind: "accepted" }, "Firebase Cloud Messaging accepts the credentials."],
  ["web", { kind: "accepted" }, expect.stringMatching(/^The key pair is valid\./)],
  [
    "fcm",
    { kind: "refused", reason: "NOT_FOUND: no project" },
    "Firebase Cloud Messaging refuses the credentials: NOT_FOUND: no project.",
  ],
  [
    "fcm",
    { kind: "refused", reason: "PERMISSION_DENIED: x" },
    "Firebase Cloud Messaging refuses the credentials: the service account may not send messages of the project (PERMISSION_DENIED: x).",
  ],
  [
    "apns",
    { kind: "unreachable", reason: "connection refused" },
    "Apple's push service gave no answer about the credentials: connection refused. They are unchanged; check again later.",
  ],
] as const)("a check of %s with %j is a sentence", (service, result, message) => {
  expect(describeCheck(service, result)).toEqual(message);
});
