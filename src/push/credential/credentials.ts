/** Where a service is found, and what it is believed by, if that is not its public address. */
interface ServiceAddress {
  /** Base URL; the service's own by default. */
  baseUrl?: string;
  /** Further certificate authority to trust, as PEM. */
  ca?: string;
}

/** Apple's push service, by a token (a key of the developer account) or by a certificate. */
export type ApnsCredentials = ServiceAddress & {
  service: "apns";
  /** Bundle identifier that is the topic where a device told none. */
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

/** Firebase Cloud Messaging, by a service account. */
export interface FcmCredentials extends ServiceAddress {
  service: "fcm";
  projectId: string;
  clientEmail: string;
  /** As PEM. Secret. */
  privateKey: string;
  /** Google's name of the key, which may be shown. */
  privateKeyId?: string;
  /** Where access tokens are exchanged; Google's own by default. */
  tokenUrl?: string;
}

/** Browsers' push services, by a VAPID key pair (RFC 8292). Their addresses come with each device. */
export interface WebPushCredentials {
  service: "web";
  /** Uncompressed point on P-256, in base64url. */
  publicKey: string;
  /** In base64url. Secret. */
  privateKey: string;
  /** Whom a push service may turn to: a mailto: or https: URL. */
  subject: string;
  /** Further certificate authority to trust, as PEM. */
  ca?: string;
}

/** What an application proves itself with to a push service, in clear. */
export type Credentials = ApnsCredentials | FcmCredentials | WebPushCredentials;
