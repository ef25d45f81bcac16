import type { PushService } from "../channels/channel";

/** Address of a service and its trust anchor, for services other than the public ones. */
interface ServiceAddress {
  /** Base URL; by default the service's public one. */
  baseUrl?: string;
  /** Additional certificate authority to trust, as PEM. */
  ca?: string;
}

/** Credentials for Apple's push service: a token signing key of the developer account, or a certificate. */
export type ApnsCredentials = ServiceAddress & {
  service: "apns";
  /** Bundle identifier: the topic for devices that did not report their own. */
  bundleId: string;
} & (
    | {
        kind: "token";
        /** PKCS #8, as PEM: the .p8 file. Secret. */
        key: string;
        keyId: string;
        teamId: string;
      }
    | {
        kind: "certificate";
        /** As PEM. */
        certificate: string;
        /** As PEM. Secret. */
        privateKey: string;
        /** Secret. */
        passphrase?: string;
      }
  );

/** Service account for Firebase Cloud Messaging. */
export interface FcmCredentials extends ServiceAddress {
  service: "fcm";
  projectId: string;
  clientEmail: string;
  /** As PEM. Secret. */
  privateKey: string;
  /** Google's id of the key. Not secret. */
  privateKeyId?: string;
  /** Token endpoint (OAuth 2.0); by default Google's. */
  tokenUrl?: string;
}

/** VAPID key pair (RFC 8292) for browser push services, whose addresses come with each device. */
export interface WebPushCredentials {
  service: "web";
  /** Uncompressed point on P-256, in base64url. */
  publicKey: string;
  /** In base64url. Secret. */
  privateKey: string;
  /** Contact for operators of push services: a mailto: or https: URL. */
  subject: string;
  /** Additional certificate authority to trust, as PEM. */
  ca?: string;
}

interface CredentialsByService {
  apns: ApnsCredentials;
  fcm: FcmCredentials;
  web: WebPushCredentials;
}

/** Credentials of an application for a push service, decrypted. */
export type Credentials = CredentialsByService[PushService];
