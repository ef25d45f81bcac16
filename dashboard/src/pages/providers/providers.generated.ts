// Generated from providers.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** How an application authenticates to Apple's push service. */
export type ApnsCredentialKind =
  /** A certificate for one app. */
  | 'CERTIFICATE'
  /** A signing key of the developer account, valid for all of its apps. */
  | 'TOKEN';

/** Credentials for Apple's push service: key, keyId and teamId, or certificate and privateKey. */
export type ApnsCredentialsInput = {
  /** Base URL of the service; by default its public address. */
  baseUrl?: string | null | undefined;
  /** Bundle identifier of the app. Optional with a certificate: by default the one in its subject. */
  bundleId?: string | null | undefined;
  /** Certificate authority to trust in addition to the public ones, as PEM. */
  ca?: string | null | undefined;
  /** The certificate, as PEM. */
  certificate?: string | null | undefined;
  /** Content of the .p8 key file. */
  key?: string | null | undefined;
  /** Key id: 10 characters. */
  keyId?: string | null | undefined;
  /** Private key of the certificate, as PEM without a passphrase. Optional if the certificate's PEM includes it. */
  privateKey?: string | null | undefined;
  /** Team id of the developer account: 10 characters. */
  teamId?: string | null | undefined;
};

/** Credentials to check again. */
export type CheckPushCredentialsInput = {
  /** The application. */
  applicationId: string | number;
  /** Builds of the app that the credentials are for. */
  environment: PushEnvironment;
  /** The service; by default every service with credentials. */
  service?: PushService | null | undefined;
};

/** Credentials to delete. */
export type ClearPushCredentialsInput = {
  /** The application. */
  applicationId: string | number;
  /** Builds of the app that the credentials are for. */
  environment: PushEnvironment;
  /** The service. */
  service: PushService;
};

/** Credentials for Firebase Cloud Messaging. */
export type FcmCredentialsInput = {
  /** Base URL of the service; by default its public address. */
  baseUrl?: string | null | undefined;
  /** Certificate authority to trust in addition to the public ones, as PEM. */
  ca?: string | null | undefined;
  /** Service account key: Google's JSON file, as an object or as text. */
  serviceAccount: unknown;
};

/** Result of checking credentials with a push service. */
export type PushCheckOutcome =
  /** The service accepts them. */
  | 'ACCEPTED'
  /** The service refuses them. */
  | 'REFUSED'
  /** The service gave no verdict. */
  | 'UNREACHABLE';

/** Separates the devices of developers from those of users. */
export type PushEnvironment =
  /** Development builds; Apple's sandbox. */
  | 'DEVELOPMENT'
  /** Builds that users install. */
  | 'PRODUCTION';

/** A service that delivers pushes to devices. */
export type PushService =
  /** Apple's push service, for the channels APNS and APNS_VOIP. */
  | 'APNS'
  /** Firebase Cloud Messaging, for the channel GCM. */
  | 'FCM'
  /** The browsers' push services, for the channel WEB. */
  | 'WEB';

/** Credentials of an application: exactly one of apns, fcm and web. */
export type SetPushCredentialsInput = {
  /** For Apple's push service. */
  apns?: ApnsCredentialsInput | null | undefined;
  /** The application. */
  applicationId: string | number;
  /** Builds of the app that the credentials are for. */
  environment: PushEnvironment;
  /** For Firebase Cloud Messaging. */
  fcm?: FcmCredentialsInput | null | undefined;
  /** Skips validation by the push service. */
  skipCheck?: boolean | null | undefined;
  /** For browser push services. */
  web?: WebPushCredentialsInput | null | undefined;
};

/** Credentials for browser push services: an existing or generated VAPID key pair. */
export type WebPushCredentialsInput = {
  /** Certificate authority to trust in addition to the public ones, as PEM. */
  ca?: string | null | undefined;
  /** Generates a new key pair. Browsers that subscribed with another key receive nothing. */
  generate?: boolean | null | undefined;
  /** The private key, in base64url. */
  privateKey?: string | null | undefined;
  /** The public key, in base64url; by default derived from the private key. */
  publicKey?: string | null | undefined;
  /** Contact for operators of push services: a mailto: or https: URL. */
  subject: string;
};

export type PushCredentialsQueryVariables = Exact<{
  id: string | number;
  environment: PushEnvironment;
}>;


export type PushCredentialsQuery = { application: { id: string, pushCredentials: { environment: PushEnvironment, apns: { kind: ApnsCredentialKind, bundleId: string, keyId: string | null, teamId: string | null, certificateSubject: string | null, certificateValidUntil: string | null, baseUrl: string | null, updatedAt: string, refusedSince: string | null, refusedReason: string | null } | null, fcm: { projectId: string, clientEmail: string, privateKeyId: string | null, baseUrl: string | null, updatedAt: string, refusedSince: string | null, refusedReason: string | null } | null, web: { publicKey: string, subject: string, updatedAt: string, refusedSince: string | null, refusedReason: string | null } | null } } };

export type SetPushCredentialsMutationVariables = Exact<{
  input: SetPushCredentialsInput;
}>;


export type SetPushCredentialsMutation = { setPushCredentials: { warning: string | null } };

export type ClearPushCredentialsMutationVariables = Exact<{
  input: ClearPushCredentialsInput;
}>;


export type ClearPushCredentialsMutation = { clearPushCredentials: { cleared: boolean } };

export type CheckPushCredentialsMutationVariables = Exact<{
  input: CheckPushCredentialsInput;
}>;


export type CheckPushCredentialsMutation = { checkPushCredentials: { checks: Array<{ service: PushService, outcome: PushCheckOutcome, message: string }> } };

export const PushCredentialsDocument =
  "query PushCredentials($id:ID!$environment:PushEnvironment!){application(id:$id){id pushCredentials(environment:$environment){environment apns{kind bundleId keyId teamId certificateSubject certificateValidUntil baseUrl updatedAt refusedSince refusedReason}fcm{projectId clientEmail privateKeyId baseUrl updatedAt refusedSince refusedReason}web{publicKey subject updatedAt refusedSince refusedReason}}}}" as Document<
    PushCredentialsQuery,
    PushCredentialsQueryVariables
  >;

export const SetPushCredentialsDocument =
  "mutation SetPushCredentials($input:SetPushCredentialsInput!){setPushCredentials(input:$input){warning}}" as Document<
    SetPushCredentialsMutation,
    SetPushCredentialsMutationVariables
  >;

export const ClearPushCredentialsDocument =
  "mutation ClearPushCredentials($input:ClearPushCredentialsInput!){clearPushCredentials(input:$input){cleared}}" as Document<
    ClearPushCredentialsMutation,
    ClearPushCredentialsMutationVariables
  >;

export const CheckPushCredentialsDocument =
  "mutation CheckPushCredentials($input:CheckPushCredentialsInput!){checkPushCredentials(input:$input){checks{service outcome message}}}" as Document<
    CheckPushCredentialsMutation,
    CheckPushCredentialsMutationVariables
  >;
