import { webcrypto } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { newSerial } from "../random";
import { replaceFile } from "../startup/replace-file";
import { type Certificate, InvalidPemError, parseCertificate, readCertificate } from "./pem";

/** File names in the data folder. */
export const SELF_SIGNED_CERT = "tls-cert.pem";
export const SELF_SIGNED_KEY = "tls-key.pem";

const DAY_MS = 86_400_000;
const VALID_MS = 10 * 365 * DAY_MS;
/** How long before its expiry the certificate is replaced, in milliseconds. */
const RENEW_MS = 30 * DAY_MS;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Generates a self-signed certificate for the domain and localhost, on curve P-256, valid for ten years. To
 * authenticate the server, a client must be configured to trust it.
 * @param now milliseconds since the Unix epoch
 * @returns certificate and key in PEM
 */
export async function generateSelfSigned(
  domain: string,
  now: number,
): Promise<{ cert: string; key: string }> {
  // Loaded lazily: it is needed once in the life of a data folder.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const names = [...new Set([domain, "localhost"])];
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [domain.slice(0, 64)] }],
    // Tolerates clock skew.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: "dns" as const, value })),
        { type: "ip", value: "127.0.0.1" },
        { type: "ip", value: "::1" },
      ]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: x509.PemConverter.encode(key, "PRIVATE KEY").concat("\n"),
  };
}

/** Whether a certificate covers the domain and does not expire soon. */
function isUsable({ x509, expiresAt }: Certificate, domain: string, now: number): boolean {
  return expiresAt - now > RENEW_MS && x509.checkHost(domain) !== undefined;
}

/**
 * Loads the self-signed certificate of the data folder. Creates it at the first start, for a new domain, and
 * a month before it expires. The key file is readable by its owner only.
 * @throws Error if the folder is not writable
 */
export async function loadOrCreateSelfSigned(
  folder: string,
  domain: string,
  now: number,
): Promise<{ certificate: Certificate; created: boolean }> {
  const [certPath, keyPath] = [join(folder, SELF_SIGNED_CERT), join(folder, SELF_SIGNED_KEY)];
  try {
    const certificate = await readCertificate(certPath, keyPath);
    if (isUsable(certificate, domain, now)) return { certificate, created: false };
  } catch (error) {
    if (!(error instanceof InvalidPemError)) throw error;
  }
  const { cert, key } = await generateSelfSigned(domain, now);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(keyPath, key, 0o600);
  await replaceFile(certPath, cert, 0o644);
  return { certificate: parseCertificate(cert, key), created: true };
}
