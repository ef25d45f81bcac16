import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Fault } from "../../core/errors";
import { certificatesIn } from "../../core/tls/pem";

/** Characters of a PEM text at most; a chain of certificates takes some thousand. */
const PEM_MAX = 65_536;
/** Bits of an RSA key: fewer are weak, more make every signature slow. */
const RSA_BITS = { min: 2048, max: 8192 };

/**
 * The private key in a PEM text (RFC 7468), whatever else the text holds.
 * @param field of the input, for the Fault
 * @param what the field must do
 * @throws Fault INVALID where there is none that can be read without a passphrase
 */
export function readPrivateKey(field: string, pem: string, what = "be a private key"): KeyObject {
  const text = pemText(field, pem);
  // Found before it is read: what a passphrase costs to try is up to whoever wrote the file.
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(text)) {
    throw Fault.field(
      field,
      "is encrypted; take the passphrase off with: openssl pkey -in key.pem -out plain.pem",
    );
  }
  try {
    return createPrivateKey({ key: text, format: "pem" });
  } catch {
    throw Fault.field(field, `must ${what} as PEM, with its BEGIN and END lines`);
  }
}

/** The certificates in a PEM text, in their order. @throws Fault INVALID on one that cannot be read */
export function readCertificates(field: string, pem: string): X509Certificate[] {
  const blocks = certificatesIn(pemText(field, pem));
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch {
    // Told below, as for a text that holds none.
  }
  throw Fault.field(field, "must be a certificate as PEM, with its BEGIN and END lines");
}

/** A private key as the database keeps it: PKCS #8, as PEM. */
export function writePrivateKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

/** Certificates in one PEM text, and nothing else that stood beside them. */
export function writeCertificates(certificates: X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join("");
}

/** Whether a key is of RSA and of a usable length. */
export function isUsableRsa({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  return asymmetricKeyType === "rsa" && bits >= RSA_BITS.min && bits <= RSA_BITS.max;
}

/** Whether a key is of the elliptic curve P-256. */
export function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1";
}

function pemText(field: string, pem: string): string {
  if (pem.length > PEM_MAX) {
    throw Fault.field(field, `is too long (maximum is ${PEM_MAX} characters)`);
  }
  return pem;
}
