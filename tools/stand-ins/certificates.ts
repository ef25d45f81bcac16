import { generateKeyPairSync, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { asn1, md, pki } from "node-forge";

/** A certificate with its key, as PEM. */
export interface Certified {
  certificate: string;
  privateKey: string;
}

/** OIDs of Apple's certificate extensions for development and production pushes. */
const APPLE_DEVELOPMENT = "1.2.840.113635.100.6.3.1";
const APPLE_PRODUCTION = "1.2.840.113635.100.6.3.2";

const YEARS = 10;

function newPair(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

/** Issues a certificate, self-signed without an issuer. */
function certify(
  name: string,
  extensions: object[],
  issuer?: Certified,
  notAfter?: Date,
): Certified {
  const { publicKey, privateKey } = newPair();
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = `01${randomBytes(15).toString("hex")}`;
  // Yesterday, to allow for clock skew.
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  const end = new Date();
  end.setFullYear(end.getFullYear() + YEARS);
  certificate.validity.notAfter = notAfter ?? end;
  const subject = [{ name: "commonName", value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(
    issuer ? pki.certificateFromPem(issuer.certificate).subject.attributes : subject,
  );
  certificate.setExtensions(extensions);
  const signer = pki.privateKeyFromPem(issuer?.privateKey ?? privateKey);
  certificate.sign(signer, md.sha256.create());
  return { certificate: pki.certificateToPem(certificate), privateKey };
}

/** Creates a certificate authority. */
export function makeAuthority(): Certified {
  return certify("Signalbox stand-ins", [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
}

/**
 * Issues a server certificate for this machine.
 * @param hosts additional names and addresses
 */
export function makeServerCertificate(authority: Certified, ...hosts: string[]): Certified {
  const altNames = [...new Set(["localhost", "127.0.0.1", "::1", ...hosts])].map((host) =>
    isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host },
  );
  return certify(
    "localhost",
    [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames },
    ],
    authority,
  );
}

/**
 * Issues a certificate like Apple's for an app.
 * @param environments environments that it is valid for; both by default
 */
export function makeAppleCertificate(
  authority: Certified,
  bundleId: string,
  environments: Array<"development" | "production"> = ["development", "production"],
  notAfter?: Date,
): Certified {
  const asn1Null = asn1.toDer(asn1.create(asn1.Class.UNIVERSAL, asn1.Type.NULL, false, "")).data;
  const environmentExtensions = environments.map((environment) => ({
    id: environment === "production" ? APPLE_PRODUCTION : APPLE_DEVELOPMENT,
    value: asn1Null,
  }));
  return certify(
    `Apple Push Services: ${bundleId}`,
    [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", clientAuth: true },
      ...environmentExtensions,
    ],
    authority,
    notAfter,
  );
}
