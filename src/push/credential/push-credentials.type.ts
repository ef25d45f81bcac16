import { X509Certificate } from "node:crypto";
import { Field, ObjectType, registerEnumType } from "type-graphql";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import type { PushEnvironment, PushService } from "../channel";
import { PushServiceName } from "../service.type";
import type { Verdict } from "./check-credentials";
import type { ListedCredentials } from "./credential-list";

const ApnsKind = { TOKEN: "token", CERTIFICATE: "certificate" } as const;
registerEnumType(ApnsKind, {
  name: "ApnsCredentialKind",
  description: "What proves an application to Apple's push service.",
  valuesConfig: {
    TOKEN: { description: "A key of the developer account, for all of its apps." },
    CERTIFICATE: { description: "A certificate of one app." },
  },
});

const CheckOutcome = {
  ACCEPTED: "accepted",
  REFUSED: "refused",
  UNREACHABLE: "unreachable",
} as const satisfies Record<string, Verdict["kind"]>;
registerEnumType(CheckOutcome, {
  name: "PushCheckOutcome",
  description: "What a push service says of credentials.",
  valuesConfig: {
    ACCEPTED: { description: "It knows them." },
    REFUSED: { description: "It does not." },
    UNREACHABLE: { description: "It did not say." },
  },
});

const BASE_URL = {
  nullable: true,
  description: "URL of the service; null for its public address.",
} as const;
const CA = {
  nullable: true,
  description: "Certificate authority that is trusted besides, as PEM.",
} as const;
const UPDATED_AT = { description: "When they were set." } as const;

@ObjectType({ description: "Credentials for Apple's push service.", simpleResolvers: true })
export class ApnsCredentialsType {
  @Field(() => ApnsKind, { description: "Whether a key or a certificate is set." })
  kind!: "token" | "certificate";

  @Field({ description: "Bundle identifier: the topic where a device told none." })
  bundleId!: string;

  @Field(() => String, { nullable: true, description: "Id of the key." })
  keyId!: string | null;

  @Field(() => String, { nullable: true, description: "Id of the key's team." })
  teamId!: string | null;

  @Field(() => String, { nullable: true, description: "Whom the certificate names." })
  certificateSubject!: string | null;

  @Field(() => Date, { nullable: true, description: "Until when the certificate is valid." })
  certificateValidUntil!: Date | null;

  @Field(() => String, BASE_URL)
  baseUrl!: string | null;

  @Field(() => String, CA)
  ca!: string | null;

  @Field(() => Date, UPDATED_AT)
  updatedAt!: Date;
}

@ObjectType({ description: "Credentials for Firebase Cloud Messaging.", simpleResolvers: true })
export class FcmCredentialsType {
  @Field({ description: "Id of the Firebase project." })
  projectId!: string;

  @Field({ description: "The service account." })
  clientEmail!: string;

  @Field(() => String, { nullable: true, description: "Google's name of the account's key." })
  privateKeyId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL where access tokens are exchanged; null for Google's.",
  })
  tokenUrl!: string | null;

  @Field(() => String, BASE_URL)
  baseUrl!: string | null;

  @Field(() => String, CA)
  ca!: string | null;

  @Field(() => Date, UPDATED_AT)
  updatedAt!: Date;
}

@ObjectType({
  description: "Credentials for the push services of the browsers.",
  simpleResolvers: true,
})
export class WebPushCredentialsType {
  @Field({ description: "The VAPID key that browsers subscribe with, in base64url." })
  publicKey!: string;

  @Field({ description: "Whom a push service may turn to." })
  subject!: string;

  @Field(() => String, CA)
  ca!: string | null;

  @Field(() => Date, UPDATED_AT)
  updatedAt!: Date;
}

@ObjectType({
  description: "What an application proves itself with to push services. Secrets are never shown.",
  simpleResolvers: true,
})
export class PushCredentialsType {
  @Field(() => PushEnvironmentName, { description: "The builds that they are for." })
  environment!: PushEnvironment;

  @Field(() => ApnsCredentialsType, { nullable: true, description: "For Apple's push service." })
  apns!: ApnsCredentialsType | null;

  @Field(() => FcmCredentialsType, {
    nullable: true,
    description: "For Firebase Cloud Messaging.",
  })
  fcm!: FcmCredentialsType | null;

  @Field(() => WebPushCredentialsType, {
    nullable: true,
    description: "For the push services of the browsers.",
  })
  web!: WebPushCredentialsType | null;
}

@ObjectType({ description: "What a push service says of credentials.", simpleResolvers: true })
export class PushCredentialCheck {
  @Field(() => PushServiceName, { description: "The service." })
  service!: PushService;

  @Field(() => CheckOutcome, { description: "What it says." })
  outcome!: Verdict["kind"];

  @Field(() => String, { nullable: true, description: "Why, unless it knows them." })
  reason!: string | null;
}

/** Credentials of an application for one environment, in the form that GraphQL shows. */
export function showCredentials(
  environment: PushEnvironment,
  listed: ListedCredentials[],
): PushCredentialsType {
  const find = (service: PushService) => {
    const found = listed.find(
      (each) => each.environment === environment && each.service === service,
    );
    if (!found) return null;
    const { settings, updatedAt } = found;
    const { baseUrl = null, ca = null } = settings;
    return { settings, baseUrl, ca, updatedAt };
  };
  return {
    environment,
    apns: showApns(find("apns")),
    fcm: showFcm(find("fcm")),
    web: showWeb(find("web")),
  };
}

type Found = Pick<ListedCredentials, "settings" | "updatedAt"> & {
  baseUrl: string | null;
  ca: string | null;
};

function showApns(found: Found | null): ApnsCredentialsType | null {
  if (!found) return null;
  const { settings, ...rest } = found;
  const { kind, bundleId = "", keyId = null, teamId = null, certificate } = settings;
  const parsed = certificate === undefined ? null : new X509Certificate(certificate);
  return {
    ...{ kind: kind === "certificate" ? kind : "token", bundleId, keyId, teamId },
    certificateSubject: parsed?.subject.replaceAll("\n", ", ") ?? null,
    certificateValidUntil: parsed && new Date(parsed.validTo),
    ...rest,
  };
}

function showFcm(found: Found | null): FcmCredentialsType | null {
  if (!found) return null;
  const { settings, ...rest } = found;
  const { projectId = "", clientEmail = "", privateKeyId = null, tokenUrl = null } = settings;
  return { projectId, clientEmail, privateKeyId, tokenUrl, ...rest };
}

function showWeb(found: Found | null): WebPushCredentialsType | null {
  if (!found) return null;
  const { settings, ca, updatedAt } = found;
  const { publicKey = "", subject = "" } = settings;
  return { publicKey, subject, ca, updatedAt };
}

/** A verdict in the form that GraphQL shows. */
export function showCheck(service: PushService, verdict: Verdict): PushCredentialCheck {
  const reason = verdict.kind === "accepted" ? null : verdict.reason;
  return { service, outcome: verdict.kind, reason };
}
