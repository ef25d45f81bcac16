import type { PushService } from "../../channels/channel";
import type { Outcome, PushTarget } from "./provider";

/**
 * Beginnings of the reasons by which a push service refuses credentials, whatever the device, with their
 * meaning. Reasons that may concern only one device are absent: SENDER_ID_MISMATCH of Firebase and
 * DeviceTokenNotForTopic of Apple. Of browsers' services only the reasons are here that concern the signed token; they
 * also refuse a key with which one browser has not subscribed.
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
  web: [
    ["BadJwtToken", "the contact is no public address, or this server's clock is wrong"],
    ["invalid JWT", "the signed token is refused, or this server's clock is wrong"],
  ],
};

/** The hosts of browsers' push services. Devices name the address, and others may answer what they like. */
const WEB_SERVICES = [
  ...["push.apple.com", "fcm.googleapis.com"],
  ...["push.services.mozilla.com", "notify.windows.com"],
];

/** Reasons of Apple that concern the bundle identifier of a push, which the device's own one replaces. */
const BUNDLE_REASONS = ["TopicDisallowed", "BadTopic"];

/** What a push service's refusal of credentials means; null if it is unknown. */
export function explainRefusal(service: PushService, reason: string): string | null {
  // A reason of a browser's service begins with the status.
  const isIn = (text: string) =>
    service === "web" ? reason.includes(text) : reason.startsWith(text);
  return REFUSALS[service].find(([text]) => isIn(text))?.[1] ?? null;
}

/**
 * What the outcomes of pushes say about the credentials.
 * @returns the reason of a refusal; null if they were accepted; undefined if the outcomes do not say
 */
export function refusalOf(
  service: PushService,
  attempts: ReadonlyArray<Pick<PushTarget, "bundleId" | "token"> & { outcome: Outcome }>,
): string | null | undefined {
  const known = attempts.filter(({ token }) => service !== "web" || isOfWebService(token));
  if (known.some(({ outcome }) => outcome.kind === "accepted")) return null;
  return known.flatMap(({ outcome, bundleId }) => {
    if (!("reason" in outcome) || explainRefusal(service, outcome.reason) === null) return [];
    // A client that registers a device chooses its bundle identifier, which says nothing about the credentials.
    const isOfDevice = bundleId !== null && BUNDLE_REASONS.includes(outcome.reason);
    return isOfDevice ? [] : [outcome.reason];
  })[0];
}

function isOfWebService(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { hostname } = new URL(endpoint);
  return WEB_SERVICES.some((host) => hostname === host || hostname.endsWith(`.${host}`));
}
