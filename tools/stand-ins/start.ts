import { createPublicKey } from "node:crypto";
import type {
  ApnsCredentials,
  FcmCredentials,
  WebPushCredentials,
} from "../../src/domain/push/credentials/credentials";
import { type ApnsStandIn, startApns } from "./apns";
import { fingerprintOf } from "./apns-rules";
import { makeServerCertificate } from "./certificates";
import { type FcmStandIn, startFcm } from "./fcm";
import type { StandInKeys } from "./stored-keys";
import { type Subscription, startWebPush, type WebPushStandIn } from "./web-push";

/** Addresses of the stand-ins; port 0 selects a free port. */
export interface StandInAddresses {
  host: string;
  apnsPort: number;
  fcmPort: number;
  webPort: number;
}

/** All three services, with credentials for them. */
export interface StandIns {
  apns: ApnsStandIn;
  fcm: FcmStandIn;
  web: WebPushStandIn;
  credentials: {
    apns: ApnsCredentials & { kind: "token" };
    apnsCertificate: ApnsCredentials & { kind: "certificate" };
    fcm: FcmCredentials;
    web: WebPushCredentials;
  };
  /** A sample device for each service; the stand-ins also accept any other well-formed device. */
  devices: { apns: string; fcm: string; web: Subscription };
  close(): Promise<void>;
}

const bytes = (text: string) => Buffer.from(text, "base64url");

/** Starts the stand-ins of Apple's, Google's and the browsers' push services. */
export async function startStandIns(keys: StandInKeys, at: StandInAddresses): Promise<StandIns> {
  const { authority, apns: apple, fcm: google, web: vapid, devices } = keys;
  const ca = authority.certificate;
  const options = {
    server: makeServerCertificate(authority, at.host),
    authority: ca,
    host: at.host,
  };
  const apns = await startApns(
    { ...options, port: at.apnsPort },
    {
      bundleIds: [apple.bundleId],
      keys: new Map([
        [apple.keyId, { teamId: apple.teamId, publicKey: createPublicKey(apple.key) }],
      ]),
      certificates: new Set([fingerprintOf(apple.certificate)]),
    },
  );
  const fcm = await startFcm(
    { ...options, port: at.fcmPort },
    { ...google, publicKey: createPublicKey(google.privateKey) },
  );
  const browser = {
    publicKey: bytes(devices.web.publicKey),
    privateKey: bytes(devices.web.privateKey),
    auth: bytes(devices.web.auth),
  };
  const web = await startWebPush({ ...options, port: at.webPort }, vapid.publicKey, browser);
  const { bundleId, key, keyId, teamId } = apple;
  const address = { baseUrl: apns.url, ca };
  return {
    apns,
    fcm,
    web,
    credentials: {
      apns: { service: "apns", kind: "token", bundleId, key, keyId, teamId, ...address },
      apnsCertificate: {
        service: "apns",
        kind: "certificate",
        bundleId,
        ...apple.certificate,
        ...address,
      },
      fcm: { service: "fcm", ...google, tokenUrl: fcm.tokenUrl, baseUrl: fcm.url, ca },
      web: { service: "web", ...vapid, subject: "mailto:push@example.com", ca },
    },
    devices: {
      apns: devices.apns,
      fcm: devices.fcm,
      web: web.subscribe(devices.web.name, browser),
    },
    close: async () => {
      await Promise.all([apns.close(), fcm.close(), web.close()]);
    },
  };
}
