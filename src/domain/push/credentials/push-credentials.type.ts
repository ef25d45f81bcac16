import { X509Certificate } from "node:crypto";
import { Field, ObjectType, registerEnumType } from "type-graphql";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import type { PushEnvironment, PushService } from "../channels/channel";
import { PushServiceName } from "../channels/channel.type";
import type { CredentialCheckResult } from "./check-credentials";
import { describeCheck } from "./check-message";
import type { ListedCredentials } from "./credential-queries";

const ApnsKind = { TOKEN: "token", CERTIFICATE: "certificate" } as const;
registerEnumType(ApnsKind, {
  name: "ApnsCredentialKind",
  description: "How an application authenticates to Apple's push service.",
  valuesConfig: {
    TOKEN: { description: "A signing key of the developer account, valid for all of its apps." },
    CERTIFICATE: { description: "A certificate for one app." },
  },
});

const CheckOutcome = {
  ACCEPTED: "accepted",
  REFUSED: "refused",
  UNREACHABLE: "unreachable",
} as const satisfies Record<string, CredentialCheckResult["kind"]>;
registerEnumType(CheckOutcome, {
  name: "PushCheckOutcome",
  description: "Result of checking credentials with a push service.",
  valuesConfig: {
    ACCEPTED: { description: "The service accepts them." },
    REFUSED: { description: "The service refuses them." },
    UNREACHABLE: { description: "The service gave no verdict." },
  },
});

const BASE_URL = {
  nullable: true,
  description: "Base URL of the service; null for its public address.",
} as const;
const CA = {
  nullable: true,
  description: "Certificate authority trusted in addition to the public ones, as PEM.",
} as const;
const UPDATED_AT = { description: "When the credentials were set." } as const;

/** What every service's credentials have besides their settings. */
@ObjectType({ simpleResolvers: true })
abstract class StoredCredentialFields {
  @Field(() => Date, UPDATED_AT)
  updatedAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description:
      "Since when the push service refuses the credentials, as pushes and checks have found; null if it does not.",
  })
  refusedSince!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "The push service's reason for the refusal; null without one.",
  })
  refusedReason!: string | null;
}

@ObjectType({ description: "Credentials for Apple's push service.", simpleResolvers: true })
export class ApnsCredentialsType extends StoredCredentialFields {
  @Field(() => ApnsKind, { description: "Whether a key or a certificate is set." })
  kind!: "token" | "certificate";

  @Field({ description: "Bundle identifier: the topic for devices that did not report their own." })
  bundleId!: string;

  @Field(() => String, { nullable: true, description: "Key id." })
  keyId!: string | null;

  @Field(() => String, { nullable: true, description: "Team id of the developer account." })
  teamId!: string | null;

  @Field(() => String, { nullable: true, description: "Subject of the certificate." })
  certificateSubject!: string | null;

  @Field(() => Date, { nullable: true, description: "When the certificate expires." })
  certificateValidUntil!: Date | null;

  @Field(() => String, BASE_URL)
  baseUrl!: string | null;

  @Field(() => String, CA)
  ca!: string | null;
}

@ObjectType({ description: "Credentials for Firebase Cloud Messaging.", simpleResolvers: true })
export class FcmCredentialsType extends StoredCredentialFields {
  @Field({ description: "Id of the Firebase project." })
  projectId!: string;

  @Field({ description: "The service account." })
  clientEmail!: string;

  @Field(() => String, { nullable: true, description: "Google's id of the account's key." })
  privateKeyId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL of the token endpoint (OAuth 2.0); null for Google's.",
  })
  tokenUrl!: string | null;

  @Field(() => String, BASE_URL)
  baseUrl!: string | null;

  @Field(() => String, CA)
  ca!: string | null;
}

@ObjectType({
  description: "Credentials for browser push services.",
  simpleResolvers: true,
})
export class WebPushCredentialsType extends StoredCredentialFields {
  @Field({ description: "The VAPID key that browsers subscribe with, in base64url." })
  publicKey!: string;

  @Field({ description: "Contact for operators of push services." })
  subject!: string;

  @Field(() => String, CA)
  ca!: string | null;
}

@ObjectType({
  description: "Credentials of an application for push services, without their secrets.",
  simpleResolvers: true,
})
export class PushCredentialsType implements Record<PushService, object | null> {
  @Field(() => PushEnvironmentName, {
    description: "Builds of the app that the credentials are for.",
  })
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
    description: "For browser push services.",
  })
  web!: WebPushCredentialsType | null;
}

@ObjectType({
  description: "Result of checking credentials with a push service.",
  simpleResolvers: true,
})
export class PushCredentialCheck {
  @Field(() => PushServiceName, { description: "The service." })
  service!: PushService;

  @Field(() => CheckOutcome, { description: "The result." })
  outcome!: CredentialCheckResult["kind"];

  @Field(() => String, { nullable: true, description: "Reason; null if accepted." })
  reason!: string | null;

  @Field({ description: "The result as a sentence." })
  message!: string;
}

/** Converts an application's credentials for one environment to GraphQL. */
export function toGraphqlCredentials(
  environment: PushEnvironment,
  listed: readonly ListedCredentials[],
): PushCredentialsType {
  const find = (service: PushService) => {
    const found = listed.find(
      (each) => each.environment === environment && each.service === service,
    );
    if (!found) return null;
    const { settings, updatedAt, refusedSince, refusedReason } = found;
    const { baseUrl = null, ca = null } = settings;
    return { settings, baseUrl, ca, updatedAt, refusedSince, refusedReason };
  };
  return {
    environment,
    apns: toApns(find("apns")),
    fcm: toFcm(find("fcm")),
    web: toWeb(find("web")),
  };
}

type Found = Pick<
  ListedCredentials,
  "settings" | "updatedAt" | "refusedSince" | "refusedReason"
> & {
  baseUrl: string | null;
  ca: string | null;
};

function toApns(found: Found | null): ApnsCredentialsType | null {
  if (!found) return null;
  const { settings, ...rest } = found;
  const { kind, bundleId = "", keyId = null, teamId = null, certificate } = settings;
  const parsed = certificate === undefined ? null : new X509Certificate(certificate);
  return {
    kind: kind === "certificate" ? kind : "token",
    bundleId,
    keyId,
    teamId,
    certificateSubject: parsed?.subject.replaceAll("\n", ", ") ?? null,
    certificateValidUntil: parsed && new Date(parsed.validTo),
    ...rest,
  };
}

function toFcm(found: Found | null): FcmCredentialsType | null {
  if (!found) return null;
  const { settings, ...rest } = found;
  const { projectId = "", clientEmail = "", privateKeyId = null, tokenUrl = null } = settings;
  return { projectId, clientEmail, privateKeyId, tokenUrl, ...rest };
}

function toWeb(found: Found | null): WebPushCredentialsType | null {
  if (!found) return null;
  const { settings, baseUrl: _, ...rest } = found;
  const { publicKey = "", subject = "" } = settings;
  return { publicKey, subject, ...rest };
}

/** Converts a check result to GraphQL. */
export function toGraphqlCheck(
  service: PushService,
  result: CredentialCheckResult,
): PushCredentialCheck {
  const reason = result.kind === "accepted" ? null : result.reason;
  return { service, outcome: result.kind, reason, message: describeCheck(service, result) };
}
