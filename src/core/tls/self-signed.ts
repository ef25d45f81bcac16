import { webcrypto } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId, newSerial } from "../random";
import { BadPem, type Certificate, parseCertificate, readCertificate } from "./pem";

/** Names of the files in the data folder. */
export const SELF_SIGNED_CERT = "tls-cert.pem";
export const SELF_SIGNED_KEY = "tls-key.pem";

const DAY_MS = 86_400_000;
const VALID_MS = 10 * 365 * DAY_MS;
/** Before it ends by so much, a new one is made. */
const RENEW_MS = 30 * DAY_MS;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * A certificate that nobody vouches for, for the domain and for this machine: on P-256, valid for ten
 * years. It encrypts; a client that wants to know whom it talks to must be given it.
 * @param now milliseconds since the Unix epoch
 * @returns certificate and key in PEM
 */
export async function makeSelfSigned(
  domain: string,
  now: number,
): Promise<{ cert: string; key: string }> {
  // Loaded when it is needed, which is once in the life of a data folder.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const names = [...new Set([domain, "localhost"])];
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [domain.slice(0, 64)] }],
    // Clocks differ.
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

/** Whether a certificate that was made for the domain still serves it. */
function serves({ x509, expiresAt }: Certificate, domain: string, now: number): boolean {
  return expiresAt - now > RENEW_MS && x509.checkHost(domain) !== undefined;
}

/**
 * The self-signed certificate of a data folder, the same at every start; made when there is none that
 * serves: at the first start, for a new domain, and a month before it ends. Its key is readable by its
 * owner alone.
 * @throws Error when the folder cannot be written to
 */
export async function selfSigned(
  folder: string,
  domain: string,
  now: number,
): Promise<{ certificate: Certificate; made: boolean }> {
  const [certPath, keyPath] = [join(folder, SELF_SIGNED_CERT), join(folder, SELF_SIGNED_KEY)];
  try {
    const certificate = await readCertificate(certPath, keyPath);
    if (serves(certificate, domain, now)) return { certificate, made: false };
  } catch (error) {
    if (!(error instanceof BadPem)) throw error;
  }
  const { cert, key } = await makeSelfSigned(domain, now);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(keyPath, key, 0o600);
  await replaceFile(certPath, cert, 0o644);
  return { certificate: parseCertificate(cert, key), made: true };
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const fresh = `${path}.${newId()}`;
  await writeFile(fresh, text, { mode, flag: "wx" });
  await rename(fresh, path);
}
