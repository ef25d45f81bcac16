import type { PushService } from "../../channels/channel";
import type { Outcome, PushTarget } from "./provider";

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

/** Reasons of Apple that concern the bundle identifier of a push, which the device's own one replaces. */
const BUNDLE_REASONS = ["TopicDisallowed", "BadTopic"];

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
  attempts: ReadonlyArray<Pick<PushTarget, "bundleId"> & { outcome: Outcome }>,
): string | null | undefined {
  if (attempts.some(({ outcome }) => outcome.kind === "accepted")) return null;
  return attempts.flatMap(({ outcome, bundleId }) => {
    if (!("reason" in outcome) || explainRefusal(service, outcome.reason) === null) return [];
    // Whoever registers a device chooses its bundle identifier, which says nothing about the credentials.
    const isOfDevice = bundleId !== null && BUNDLE_REASONS.includes(outcome.reason);
    return isOfDevice ? [] : [outcome.reason];
  })[0];
}
