import { generateKeyPairSync, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { asn1, md, pki } from "node-forge";

/** A certificate with its key, as PEM. */
export interface Certified {
  certificate: string;
  privateKey: string;
}

/** Apple's marks on a certificate for pushes to development and to production devices. */
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

function certify(name: string, extensions: object[], by?: Certified, notAfter?: Date): Certified {
  const { publicKey, privateKey } = newPair();
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = `01${randomBytes(15).toString("hex")}`;
  // Yesterday, for clocks that differ.
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  const end = new Date();
  end.setFullYear(end.getFullYear() + YEARS);
  certificate.validity.notAfter = notAfter ?? end;
  const subject = [{ name: "commonName", value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(by ? pki.certificateFromPem(by.certificate).subject.attributes : subject);
  certificate.setExtensions(extensions);
  const signer = pki.privateKeyFromPem(by?.privateKey ?? privateKey);
  certificate.sign(signer, md.sha256.create());
  return { certificate: pki.certificateToPem(certificate), privateKey };
}

/** An authority that nobody trusts yet. */
export function makeAuthority(): Certified {
  return certify("Signalbox stand-ins", [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
}

/**
 * A server's certificate for this machine.
 * @param hosts further names and addresses of it
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
 * A certificate such as Apple issues to the owner of an app.
 * @param environments for which it is marked; both by default
 */
export function makeAppleCertificate(
  authority: Certified,
  bundleId: string,
  environments: Array<"development" | "production"> = ["development", "production"],
  notAfter?: Date,
): Certified {
  const nothing = asn1.toDer(asn1.create(asn1.Class.UNIVERSAL, asn1.Type.NULL, false, "")).data;
  const marks = environments.map((environment) => ({
    id: environment === "production" ? APPLE_PRODUCTION : APPLE_DEVELOPMENT,
    value: nothing,
  }));
  return certify(
    `Apple Push Services: ${bundleId}`,
    [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", clientAuth: true },
      ...marks,
    ],
    authority,
    notAfter,
  );
}
