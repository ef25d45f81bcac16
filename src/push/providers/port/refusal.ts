import type { PushService } from "../../channels/channel";
import type { Outcome } from "./provider";

/**
 * Beginnings of the reasons by which a push service refuses credentials, whatever the device, with their
 * meaning. Reasons that may concern one device alone are absent: SENDER_ID_MISMATCH of Firebase and
 * DeviceTokenNotForTopic of Apple. Browsers' services refuse the key of one subscription.
 */
const REFUSALS: Readonly<
  Record<PushService, ReadonlyArray<readonly [reason: string, text: string]>>
> = {
  apns: [
    [
      "InvalidProviderToken",
      "the key, its key id and the team id do not belong together, or the key was revoked",
    ],
    ["MissingProviderToken", "the request had neither a key nor a certificate"],
    ["BadCertificateEnvironment", "the certificate is for the other environment"],
    ["BadCertificate", "the certificate is invalid or was revoked"],
    ["TopicDisallowed", "the key or certificate is not for the bundle identifier"],
    ["BadTopic", "the bundle identifier is invalid"],
    ["Forbidden", "the key or certificate is not allowed to send"],
  ],
  fcm: [
    [
      "access token: invalid_grant",
      "the service account's key was deleted, or this server's clock is wrong",
    ],
    ["access token: invalid_client", "the service account was deleted"],
    ["access token", "the service account gets no access"],
    ["PERMISSION_DENIED", "the service account may not send messages of the project"],
    ["UNAUTHENTICATED", "the service account's access was refused"],
  ],
  web: [],
};

/** What a push service's refusal of credentials means; null if it is none that is known. */
export function explainRefusal(service: PushService, reason: string): string | null {
  return REFUSALS[service].find(([start]) => reason.startsWith(start))?.[1] ?? null;
}

/**
 * What the outcomes of pushes say about the credentials.
 * @returns the reason of a refusal; null if they were accepted; undefined if the outcomes do not say
 */
export function refusalOf(
  service: PushService,
  outcomes: readonly Outcome[],
): string | null | undefined {
  if (outcomes.some(({ kind }) => kind === "accepted")) return null;
  return outcomes.flatMap((outcome) =>
    "reason" in outcome && explainRefusal(service, outcome.reason) !== null ? [outcome.reason] : [],
  )[0];
}
