import { GraphQLJSON } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import type { PushEnvironment, PushService } from "../channel";
import { PushServiceName } from "../service.type";
import type { GivenApns } from "./apns-form";
import type { GivenFcm } from "./fcm-form";
import { PushCredentialCheck, PushCredentialsType } from "./push-credentials.type";
import type { GivenWeb } from "./web-form";

const APPLICATION = { description: "The application." } as const;
const ENVIRONMENT = { description: "The builds that they are for." } as const;
const BASE_URL = {
  nullable: true,
  description: "URL of the service, unless it is found at its public address.",
} as const;
const CA = {
  nullable: true,
  description: "Certificate authority to trust besides the public ones, as PEM.",
} as const;

@InputType({
  description:
    "Credentials for Apple's push service: key, keyId and teamId, or certificate and privateKey.",
})
export class ApnsCredentialsInput implements GivenApns {
  @Field(() => String, {
    nullable: true,
    description:
      "Bundle identifier of the app. With a certificate the one that it names, if left out.",
  })
  bundleId?: string | null;

  @Field(() => String, { nullable: true, description: "The key: the .p8 file's text." })
  key?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the key: 10 characters." })
  keyId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the developer account's team: 10 characters.",
  })
  teamId?: string | null;

  @Field(() => String, { nullable: true, description: "The certificate, as PEM." })
  certificate?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The certificate's private key, as PEM without a passphrase; left out where it stands in the certificate's text.",
  })
  privateKey?: string | null;

  @Field(() => String, BASE_URL)
  baseUrl?: string | null;

  @Field(() => String, CA)
  ca?: string | null;
}

@InputType({ description: "Credentials for Firebase Cloud Messaging." })
export class FcmCredentialsInput implements GivenFcm {
  @Field(() => GraphQLJSON, {
    description: "Key of a service account: the JSON file that Google makes, or its text.",
  })
  serviceAccount!: unknown;

  @Field(() => String, BASE_URL)
  baseUrl?: string | null;

  @Field(() => String, CA)
  ca?: string | null;
}

@InputType({
  description:
    "Credentials for the push services of the browsers: a VAPID key pair, given or generated.",
})
export class WebPushCredentialsInput implements GivenWeb {
  @Field(() => String, {
    nullable: true,
    description: "The public key, in base64url; by default the private key's.",
  })
  publicKey?: string | null;

  @Field(() => String, { nullable: true, description: "The private key, in base64url." })
  privateKey?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Makes a new pair. Browsers that subscribed with another key are lost.",
  })
  generate?: boolean | null;

  @Field({ description: "Whom a push service may turn to: a mailto: or https: URL." })
  subject!: string;

  @Field(() => String, CA)
  ca?: string | null;
}

@InputType({ description: "Credentials of an application: exactly one of apns, fcm and web." })
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
    description: "For the push services of the browsers.",
  })
  web?: WebPushCredentialsInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Sets them without asking the service whether it knows them.",
  })
  skipCheck?: boolean | null;
}

@InputType({ description: "Credentials to be forgotten." })
export class ClearPushCredentialsInput {
  @Field(() => ID, APPLICATION)
  applicationId!: string;

  @Field(() => PushEnvironmentName, ENVIRONMENT)
  environment!: PushEnvironment;

  @Field(() => PushServiceName, { description: "The service." })
  service!: PushService;
}

@InputType({ description: "Credentials to be checked again." })
export class CheckPushCredentialsInput {
  @Field(() => ID, APPLICATION)
  applicationId!: string;

  @Field(() => PushEnvironmentName, ENVIRONMENT)
  environment!: PushEnvironment;

  @Field(() => PushServiceName, {
    nullable: true,
    description: "The service; every one that credentials are set for when left out.",
  })
  service?: PushService | null;
}

@ObjectType({ description: "What setPushCredentials answers.", simpleResolvers: true })
export class SetPushCredentialsPayload {
  @Field(() => PushCredentialsType, { description: "The credentials as they are now." })
  credentials!: PushCredentialsType;

  @Field(() => String, {
    nullable: true,
    description: "What did not keep them from being set, as a service that could not be asked.",
  })
  warning!: string | null;
}

@ObjectType({ description: "What clearPushCredentials answers.", simpleResolvers: true })
export class ClearPushCredentialsPayload {
  @Field({ description: "Whether there were any." })
  cleared!: boolean;

  @Field(() => PushCredentialsType, { description: "The credentials as they are now." })
  credentials!: PushCredentialsType;
}

@ObjectType({ description: "What checkPushCredentials answers.", simpleResolvers: true })
export class CheckPushCredentialsPayload {
  @Field(() => [PushCredentialCheck], { description: "A check for each service that was asked." })
  checks!: PushCredentialCheck[];
}
