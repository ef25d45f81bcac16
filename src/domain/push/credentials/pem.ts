import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Fault } from "../../../core/errors";
import { splitCertificates } from "../../../core/tls/pem";

/** Maximum length of a PEM text in characters; a certificate chain has several thousand. */
const PEM_MAX = 65_536;
/** Accepted RSA key sizes in bits. Smaller keys are weak, larger ones slow down every signature. */
const RSA_BITS = { min: 2048, max: 8192 };

/**
 * Reads the private key in a PEM text (RFC 7468), which may contain other blocks too.
 * @param field input field named by the Fault
 * @param requirement what the field must do, for the Fault's text
 * @throws Fault INVALID if there is no readable, unencrypted private key
 */
export function readPrivateKey(
  field: string,
  pem: string,
  requirement = "be a private key",
): KeyObject {
  const text = checkLength(field, pem);
  // Rejected before parsing: the file sets the cost of its key derivation, which could be huge.
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(text)) {
    throw Fault.field(
      field,
      "is encrypted; remove the passphrase with: openssl pkey -in key.pem -out plain.pem",
    );
  }
  try {
    return createPrivateKey({ key: text, format: "pem" });
  } catch {
    throw Fault.field(field, `must ${requirement} as PEM, with its BEGIN and END lines`);
  }
}

/** Reads the certificates in a PEM text, in order. @throws Fault INVALID if none or one is unreadable */
export function readCertificates(field: string, pem: string): X509Certificate[] {
  const blocks = splitCertificates(checkLength(field, pem));
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch {
    // Reported below, like a text without certificates.
  }
  throw Fault.field(field, "must be a certificate as PEM, with its BEGIN and END lines");
}

/** Formats a private key for the database: PKCS #8, as PEM. */
export function writePrivateKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

/** Formats certificates as one PEM text without any other blocks. */
export function writeCertificates(certificates: X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join("");
}

/** Whether a key is an RSA key of an accepted size. */
export function isUsableRsa({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  return asymmetricKeyType === "rsa" && bits >= RSA_BITS.min && bits <= RSA_BITS.max;
}

/** Whether a key is on the elliptic curve P-256. */
export function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1";
}

function checkLength(field: string, pem: string): string {
  if (pem.length > PEM_MAX) {
    throw Fault.field(field, `is too long (maximum is ${PEM_MAX} characters)`);
  }
  return pem;
}
