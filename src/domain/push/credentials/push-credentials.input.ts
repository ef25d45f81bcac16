import { GraphQLJSON } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import { Audited } from "../../audit/entries/audited";
import { listInProse, type PushEnvironment, type PushService, SERVICES } from "../channels/channel";
import { PushServiceName } from "../channels/channel.type";
import type { ApnsInput } from "./apns-input";
import type { FcmInput } from "./fcm-input";
import { PushCredentialCheck, PushCredentialsType } from "./push-credentials.type";
import type { WebInput } from "./web-input";

const APPLICATION = { description: "The application." } as const;
const ENVIRONMENT = { description: "Builds of the app that the credentials are for." } as const;
const BASE_URL = {
  nullable: true,
  description: "Base URL of the service; by default its public address.",
} as const;
const CA = {
  nullable: true,
  description: "Certificate authority to trust in addition to the public ones, as PEM.",
} as const;

@InputType({
  description:
    "Credentials for Apple's push service: key, keyId and teamId, or certificate and privateKey.",
})
export class ApnsCredentialsInput implements ApnsInput {
  @Audited()
  @Field(() => String, {
    nullable: true,
    description:
      "Bundle identifier of the app. Optional with a certificate: by default the one in its subject.",
  })
  bundleId?: string | null;

  @Field(() => String, { nullable: true, description: "Content of the .p8 key file." })
  key?: string | null;

  @Audited()
  @Field(() => String, { nullable: true, description: "Key id: 10 characters." })
  keyId?: string | null;

  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "Team id of the developer account: 10 characters.",
  })
  teamId?: string | null;

  @Field(() => String, { nullable: true, description: "The certificate, as PEM." })
  certificate?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Private key of the certificate, as PEM without a passphrase. Optional if the certificate's PEM includes it.",
  })
  privateKey?: string | null;

  @Audited()
  @Field(() => String, BASE_URL)
  baseUrl?: string | null;

  @Field(() => String, CA)
  ca?: string | null;
}

@InputType({ description: "Credentials for Firebase Cloud Messaging." })
export class FcmCredentialsInput implements FcmInput {
  @Field(() => GraphQLJSON, {
    description: "Service account key: Google's JSON file, as an object or as text.",
  })
  serviceAccount!: unknown;

  @Audited()
  @Field(() => String, BASE_URL)
  baseUrl?: string | null;

  @Field(() => String, CA)
  ca?: string | null;
}

@InputType({
  description: "Credentials for browser push services: an existing or generated VAPID key pair.",
})
export class WebPushCredentialsInput implements WebInput {
  @Field(() => String, {
    nullable: true,
    description: "The public key, in base64url; by default derived from the private key.",
  })
  publicKey?: string | null;

  @Field(() => String, { nullable: true, description: "The private key, in base64url." })
  privateKey?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Generates a new key pair. Browsers that subscribed with another key receive nothing.",
  })
  generate?: boolean | null;

  @Field({ description: "Contact for operators of push services: a mailto: or https: URL." })
  subject!: string;

  @Field(() => String, CA)
  ca?: string | null;
}

@InputType({
  description: `Credentials of an application: exactly one of ${listInProse(SERVICES, "and")}.`,
})
export class SetPushCredentialsInput {
  @Field(() => ID, APPLICATION)
  applicationId!: string;

  @Field(() => PushEnvironmentName, ENVIRONMENT)
  environment!: PushEnvironment;

  @Field(() => ApnsCredentialsInput, { nullable: true, description: "For Apple's push service." })
  apns?: ApnsCredentialsInput | null;

  @Field(() => FcmCredentialsInput, {
    nullable: true,
    description: "For Firebase Cloud Messaging.",
  })
  fcm?: FcmCredentialsInput | null;

  @Field(() => WebPushCredentialsInput, {
    nullable: true,
    description: "For browser push services.",
  })
  web?: WebPushCredentialsInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Skips validation by the push service.",
  })
  skipCheck?: boolean | null;
}

@InputType({ description: "Credentials to delete." })
export class ClearPushCredentialsInput {
  @Field(() => ID, APPLICATION)
  applicationId!: string;

  @Field(() => PushEnvironmentName, ENVIRONMENT)
  environment!: PushEnvironment;

  @Field(() => PushServiceName, { description: "The service." })
  service!: PushService;
}

@InputType({ description: "Credentials to check again." })
export class CheckPushCredentialsInput {
  @Field(() => ID, APPLICATION)
  applicationId!: string;

  @Field(() => PushEnvironmentName, ENVIRONMENT)
  environment!: PushEnvironment;

  @Field(() => PushServiceName, {
    nullable: true,
    description: "The service; by default every service with credentials.",
  })
  service?: PushService | null;
}

@ObjectType({ description: "Result of setPushCredentials.", simpleResolvers: true })
export class SetPushCredentialsPayload {
  @Field(() => PushCredentialsType, { description: "The current credentials." })
  credentials!: PushCredentialsType;

  @Field(() => String, {
    nullable: true,
    description:
      "Problem that did not prevent the change, for example an unavailable push service.",
  })
  warning!: string | null;
}

@ObjectType({ description: "Result of clearPushCredentials.", simpleResolvers: true })
export class ClearPushCredentialsPayload {
  @Field({ description: "Whether credentials were deleted." })
  cleared!: boolean;

  @Field(() => PushCredentialsType, { description: "The current credentials." })
  credentials!: PushCredentialsType;
}

@ObjectType({ description: "Result of checkPushCredentials.", simpleResolvers: true })
export class CheckPushCredentialsPayload {
  @Field(() => [PushCredentialCheck], { description: "One result per checked service." })
  checks!: PushCredentialCheck[];
}
