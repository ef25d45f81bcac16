import { createECDH, generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certified, makeAppleCertificate, makeAuthority } from "./certificates";
import { newBrowserKeys } from "./web-push-body";

/** Keys that the stand-ins and their applications share, as text. */
export interface StandInKeys {
  authority: Certified;
  apns: { bundleId: string; key: string; keyId: string; teamId: string; certificate: Certified };
  fcm: { projectId: string; clientEmail: string; privateKeyId: string; privateKey: string };
  /** A VAPID key pair, in base64url. */
  web: { publicKey: string; privateKey: string };
  /** A sample device for each service. */
  devices: {
    apns: string;
    fcm: string;
    /** A browser's keys, in base64url. */
    web: { name: string; publicKey: string; privateKey: string; auth: string };
  };
}

const BUNDLE = "com.example.app";
const PROJECT = "stand-in";

/** An id like Apple's for keys and teams: ten uppercase letters and digits. */
const appleId = () => randomBytes(5).toString("hex").toUpperCase();

/** A key like Apple's for a developer account, as PEM. */
export const newApnsKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

/** A key like Google's for a service account, as PEM. */
export const newServiceKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

/** Creates keys for the stand-ins. */
export function newStandInKeys(): StandInKeys {
  const authority = makeAuthority();
  const vapid = createECDH("prime256v1");
  vapid.generateKeys();
  const browser = newBrowserKeys();
  return {
    authority,
    apns: {
      bundleId: BUNDLE,
      key: newApnsKey(),
      keyId: appleId(),
      teamId: appleId(),
      certificate: makeAppleCertificate(authority, BUNDLE),
    },
    fcm: {
      projectId: PROJECT,
      clientEmail: `push@${PROJECT}.iam.gserviceaccount.com`,
      privateKeyId: randomBytes(20).toString("hex"),
      privateKey: newServiceKey(),
    },
    web: {
      publicKey: vapid.getPublicKey("base64url"),
      // getPrivateKey omits leading zeros.
      privateKey: Buffer.from(vapid.getPrivateKey("hex").padStart(64, "0"), "hex").toString(
        "base64url",
      ),
    },
    devices: {
      apns: `a1${randomBytes(31).toString("hex")}`,
      fcm: `phone:APA91b${randomBytes(96).toString("base64url")}`,
      web: {
        name: "browser",
        publicKey: browser.publicKey.toString("base64url"),
        privateKey: browser.privateKey.toString("base64url"),
        auth: browser.auth.toString("base64url"),
      },
    },
  };
}

/** Loads the keys from a folder, or creates them on first use. */
export function loadStandInKeys(folder: string): StandInKeys {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "keys.json");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as StandInKeys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const keys = newStandInKeys();
  // Written to a temporary file first, so that an interruption leaves no partial file.
  writeFileSync(`${file}.new`, JSON.stringify(keys, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return keys;
}
