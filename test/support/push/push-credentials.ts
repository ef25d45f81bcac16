import { createECDH, generateKeyPairSync, type KeyObject } from "node:crypto";
import { pki } from "node-forge";

/** OID of a subject's UID attribute (RFC 4519 section 2.39), where Apple puts the bundle identifier. */
const UID = "0.9.2342.19200300.100.1.1";

const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }) as string;

/** A key as Apple issues it: the text of a .p8 file. */
export function p8(namedCurve = "P-256"): string {
  return pem(generateKeyPairSync("ec", { namedCurve }).privateKey);
}

/** An RSA private key, as PEM. */
export function rsaKey(modulusLength = 2048): string {
  return pem(generateKeyPairSync("rsa", { modulusLength }).privateKey);
}

/** A private key encrypted with a passphrase. */
export function encryptedKey(passphrase: string): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const cipher = "aes-256-cbc";
  return privateKey.export({ type: "pkcs8", format: "pem", cipher, passphrase }) as string;
}

/** A self-signed certificate for an app, with its private key. */
export function certificateFor(
  bundleId: string,
  notBefore: Date,
  notAfter: Date,
): { certificate: string; privateKey: string } {
  const privateKey = rsaKey();
  const certificate = pki.createCertificate();
  const key = pki.privateKeyFromPem(privateKey);
  certificate.publicKey = pki.setRsaPublicKey(key.n, key.e);
  certificate.validity.notBefore = notBefore;
  certificate.validity.notAfter = notAfter;
  const subject = [
    { type: UID, value: bundleId },
    { name: "commonName", value: `Apple Push Services: ${bundleId}` },
  ];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.sign(key);
  return { certificate: pki.certificateToPem(certificate), privateKey };
}

/** A service account key in the format of Google's file. */
export function serviceAccount(more: object = {}) {
  return {
    type: "service_account",
    project_id: "shop-12345",
    private_key_id: "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
    private_key: rsaKey(),
    client_email: "firebase-adminsdk-x1@shop-12345.iam.gserviceaccount.com",
    client_id: "100000000000000000000",
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: "https://oauth2.googleapis.com/token",
    universe_domain: "googleapis.com",
    ...more,
  };
}

/** A VAPID key pair, in base64url. */
export function vapidPair(): { publicKey: string; privateKey: string } {
  const curve = createECDH("prime256v1");
  const publicKey = curve.generateKeys("base64url");
  const hex = curve.getPrivateKey("hex").padStart(64, "0");
  return { publicKey, privateKey: Buffer.from(hex, "hex").toString("base64url") };
}
