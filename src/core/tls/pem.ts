import { constants, createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContext } from "node:tls";

/** A certificate and its key, ready for TLS. */
export interface Certificate {
  /** PEM: the certificate, followed by the intermediate certificates. */
  cert: string;
  /** The private key in PEM. */
  key: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
  /** The first certificate of `cert`, parsed. */
  x509: X509Certificate;
  context: SecureContext;
}

/** An invalid certificate or key file. The message does not contain the path. */
export class InvalidPemError extends Error {
  override readonly name = "InvalidPemError";
  constructor(
    readonly file: "certificate" | "key",
    message: string,
  ) {
    super(message);
  }
}

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** The certificates in a PEM text (RFC 7468), in order; text between them is ignored. */
export function splitCertificates(pem: string): string[] {
  return pem
    .split(BEGIN)
    .slice(1)
    .flatMap((text) => {
      const end = text.indexOf(END);
      return end < 0 ? [] : [`${BEGIN}${text.slice(0, end)}${END}`];
    });
}

async function read(file: InvalidPemError["file"], path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = { ENOENT: "does not exist", EACCES: "is not readable" };
    throw new InvalidPemError(file, reasons[code ?? ""] ?? `cannot be read (${code})`);
  }
}

/**
 * Options of every TLS server socket: TLS 1.2 or later (RFC 9325 section 3.1), and no renegotiation, which
 * costs the server more than the client.
 */
export function tlsOptions({ cert, key }: Pick<Certificate, "cert" | "key">) {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, minVersion: "TLSv1.2", secureOptions } as const;
}

/**
 * Reads a certificate and its key.
 * @throws InvalidPemError if a file cannot be read or parsed, or the key does not match the certificate
 */
export async function readCertificate(certPath: string, keyPath: string): Promise<Certificate> {
  // One after the other, so that the certificate is reported if both are missing.
  const cert = await read("certificate", certPath);
  return parseCertificate(cert, await read("key", keyPath));
}

/** Parses a certificate and its key, both in PEM. @throws InvalidPemError as {@link readCertificate} does */
export function parseCertificate(cert: string, key: string): Certificate {
  const [x509] = splitCertificates(cert).map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new InvalidPemError(
        "certificate",
        `contains a damaged certificate (number ${index + 1})`,
      );
    }
  });
  if (!x509) throw new InvalidPemError("certificate", "contains no certificate in PEM");
  const matches = x509.checkPrivateKey(readKey(key));
  if (!matches) throw new InvalidPemError("key", "contains the key of another certificate");
  let context: SecureContext;
  try {
    context = createSecureContext(tlsOptions({ cert, key }));
  } catch (error) {
    throw new InvalidPemError(
      "certificate",
      `cannot be used for TLS (${(error as Error).message})`,
    );
  }
  return { cert, key, expiresAt: Date.parse(x509.validTo), x509, context };
}

function readKey(text: string) {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const encrypted = code === "ERR_MISSING_PASSPHRASE" || text.includes("ENCRYPTED");
    throw new InvalidPemError(
      "key",
      encrypted
        ? "is encrypted; a key without a passphrase is required"
        : "contains no private key in PEM",
    );
  }
}
