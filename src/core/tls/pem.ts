import { constants, createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContext } from "node:tls";

/** A certificate that TLS can be spoken with. */
export interface Certificate {
  /** PEM: the certificate, and those that lead to a known authority. */
  cert: string;
  /** PEM. */
  key: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
  /** What both files were read for: the first certificate. */
  x509: X509Certificate;
  context: SecureContext;
}

/** What is wrong with a file, without its path. */
export class BadPem extends Error {
  override readonly name = "BadPem";
  constructor(
    readonly file: "certificate" | "key",
    message: string,
  ) {
    super(message);
  }
}

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** The certificates in a PEM text (RFC 7468), in their order, whatever stands between them. */
export function certificatesIn(pem: string): string[] {
  return pem
    .split(BEGIN)
    .slice(1)
    .flatMap((text) => {
      const end = text.indexOf(END);
      return end < 0 ? [] : [`${BEGIN}${text.slice(0, end)}${END}`];
    });
}

async function read(file: BadPem["file"], path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = { ENOENT: "is not there", EACCES: "may not be read" };
    throw new BadPem(file, reasons[code ?? ""] ?? `cannot be read (${code})`);
  }
}

/**
 * Options that every TLS socket of the service has: TLS 1.2 at least (RFC 9325 section 3.1), and no
 * renegotiation, which costs the server more than whoever asks for it.
 */
export function tlsOptions({ cert, key }: Pick<Certificate, "cert" | "key">) {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, minVersion: "TLSv1.2", secureOptions } as const;
}

/**
 * Reads a certificate and its key.
 * @throws BadPem for a file that cannot be read, holds something else, or does not fit the other
 */
export async function readCertificate(certPath: string, keyPath: string): Promise<Certificate> {
  // One after the other, so that where both are missing it is always the certificate that is told of.
  const cert = await read("certificate", certPath);
  return parseCertificate(cert, await read("key", keyPath));
}

/** {@link readCertificate} of texts. */
export function parseCertificate(cert: string, key: string): Certificate {
  const [x509] = certificatesIn(cert).map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new BadPem("certificate", `holds a certificate that is damaged (number ${index + 1})`);
    }
  });
  if (!x509) throw new BadPem("certificate", "holds no certificate in PEM");
  const fits = x509.checkPrivateKey(readKey(key));
  if (!fits) throw new BadPem("key", "holds the key of another certificate");
  let context: SecureContext;
  try {
    context = createSecureContext(tlsOptions({ cert, key }));
  } catch (error) {
    throw new BadPem("certificate", `cannot be used for TLS (${(error as Error).message})`);
  }
  return { cert, key, expiresAt: Date.parse(x509.validTo), x509, context };
}

function readKey(text: string) {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const locked = code === "ERR_MISSING_PASSPHRASE" || text.includes("ENCRYPTED");
    throw new BadPem(
      "key",
      locked ? "is encrypted; give it without a passphrase" : "holds no private key in PEM",
    );
  }
}
