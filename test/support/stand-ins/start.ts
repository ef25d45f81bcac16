import { createPublicKey } from "node:crypto";
import type {
  ApnsCredentials,
  FcmCredentials,
  WebPushCredentials,
} from "../../../src/push/credential/credentials";
import { type ApnsStandIn, startApns } from "./apns";
import { fingerprintOf } from "./apns-rules";
import { makeServerCertificate } from "./certificates";
import { type FcmStandIn, startFcm } from "./fcm";
import type { StandInKeys } from "./kept-keys";
import { type Subscription, startWebPush, type WebPushStandIn } from "./web-push";

/** Where the stand-ins listen; 0 takes a free port. */
export interface StandInPlace {
  host: string;
  apnsPort: number;
  fcmPort: number;
  webPort: number;
}

/** All three services, with what an application needs to reach them. */
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
  /** A device of each kind; any other that is well-formed is reached as well. */
  devices: { apns: string; fcm: string; web: Subscription };
  close(): Promise<void>;
}

const bytes = (text: string) => Buffer.from(text, "base64url");

/** Starts the stand-ins of Apple's, Google's and the browsers' push services. */
export async function startStandIns(keys: StandInKeys, at: StandInPlace): Promise<StandIns> {
  const { authority, apns: apple, fcm: google, web: vapid, devices } = keys;
  const ca = authority.certificate;
  const place = {
    server: makeServerCertificate(authority, at.host),
    authority: ca,
    host: at.host,
  };
  const apns = await startApns(
    { ...place, port: at.apnsPort },
    {
      bundleIds: [apple.bundleId],
      keys: new Map([
        [apple.keyId, { teamId: apple.teamId, publicKey: createPublicKey(apple.key) }],
      ]),
      certificates: new Set([fingerprintOf(apple.certificate)]),
    },
  );
  const fcm = await startFcm(
    { ...place, port: at.fcmPort },
    { ...google, publicKey: createPublicKey(google.privateKey) },
  );
  const browser = {
    publicKey: bytes(devices.web.publicKey),
    privateKey: bytes(devices.web.privateKey),
    auth: bytes(devices.web.auth),
  };
  const web = await startWebPush({ ...place, port: at.webPort }, vapid.publicKey, browser);
  const { bundleId, key, keyId, teamId } = apple;
  const reach = { baseUrl: apns.url, ca };
  return {
    apns,
    fcm,
    web,
    credentials: {
      apns: { service: "apns", kind: "token", bundleId, key, keyId, teamId, ...reach },
      apnsCertificate: {
        service: "apns",
        kind: "certificate",
        bundleId,
        ...apple.certificate,
        ...reach,
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
