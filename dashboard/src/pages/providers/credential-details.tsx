import { Text } from "@mantine/core";
import type { Detail } from "../../components/details.tsx";
import { CopyTextButton } from "../../components/secret-field.tsx";
import { formatDate, formatDateTime, formatRelative } from "../../formats.ts";
import type { PushCredentialsQuery, PushService } from "./providers.generated.ts";
import { providersStrings } from "./strings.ts";

const texts = providersStrings.details;
export type Credentials = PushCredentialsQuery["application"]["pushCredentials"];

/** What the credentials of the services have in common. */
export interface Common {
  updatedAt: string;
  refusedSince?: string | null;
  refusedReason?: string | null;
}

/** Days before its end in which a certificate should be replaced. */
const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** The credentials of a service; null if none are set. */
export function credentialsOf(credentials: Credentials, service: PushService): Common | null {
  const { apns, fcm, web } = credentials;
  return { APNS: apns, FCM: fcm, WEB: web }[service] ?? null;
}

/** How many days the credentials are still valid; null if they do not expire. */
export function daysLeft({ apns }: Credentials, service: PushService): number | null {
  const until = service === "APNS" ? apns?.certificateValidUntil : null;
  return until ? Math.floor((Date.parse(until) - Date.now()) / DAY_MS) : null;
}

/** Whether credentials must be replaced before long. */
export function expiresSoon(days: number | null): boolean {
  return days !== null && days < SOON_DAYS;
}

/** What is set of a service, without secrets. */
export function detailsOf(credentials: Credentials, service: PushService): Detail[] {
  const { apns, fcm, web } = credentials;
  const details: Detail[] = [];
  const add = (title: string, value: Detail["value"]) => {
    if (value) details.push({ title, value });
  };
  if (service === "APNS" && apns) {
    const until = apns.certificateValidUntil;
    add(texts.kind, texts.kinds[apns.kind]);
    add(texts.bundleId, apns.bundleId);
    add(texts.keyId, apns.keyId);
    add(texts.teamId, apns.teamId);
    add(texts.subject, apns.certificateSubject?.replaceAll("\n", ", "));
    if (until) {
      const isSoon = expiresSoon(daysLeft(credentials, service));
      add(
        texts.validUntil,
        <Text
          component="span"
          size="sm"
          c={isSoon ? "red" : undefined}
          fw={isSoon ? 600 : undefined}
        >
          {texts.until(formatDate(until), formatRelative(until))}
        </Text>,
      );
    }
    add(texts.baseUrl, apns.baseUrl);
  }
  if (service === "FCM" && fcm) {
    add(texts.projectId, fcm.projectId);
    add(texts.clientEmail, fcm.clientEmail);
    add(texts.privateKeyId, fcm.privateKeyId);
    add(texts.baseUrl, fcm.baseUrl);
  }
  if (service === "WEB" && web) {
    add(
      texts.publicKey,
      <span className="with-copy">
        <span className="secret">{web.publicKey}</span>
        <CopyTextButton value={web.publicKey} name={texts.publicKey} />
      </span>,
    );
    add(texts.contact, web.subject);
  }
  const common = credentialsOf(credentials, service);
  if (common) add(texts.updatedAt, formatDateTime(common.updatedAt));
  return details;
}
