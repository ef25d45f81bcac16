import type { X509Certificate } from "node:crypto";
import { Fault } from "../../core/errors";
import type { ApnsCredentials } from "./credentials";
import {
  isP256,
  isUsableRsa,
  readCertificates,
  readPrivateKey,
  writeCertificates,
  writePrivateKey,
} from "./pem";
import { checkAddress, type GivenAddress } from "./service-address";

/** Credentials for Apple's push service as an owner gives them: a key's or a certificate's. */
export interface GivenApns extends GivenAddress {
  bundleId?: string | null;
  key?: string | null;
  keyId?: string | null;
  teamId?: string | null;
  certificate?: string | null;
  privateKey?: string | null;
}

/** Ids of keys and teams (developer.apple.com "Establishing a token-based connection to APNs"). */
const APPLE_ID = /^[A-Z0-9]{10}$/;
/** Letters, digits, hyphens and periods (developer.apple.com "CFBundleIdentifier"). */
const BUNDLE_ID = /^[A-Za-z0-9.-]{1,155}$/;
/** User id of a certificate's subject, which Apple fills with the bundle identifier. */
const SUBJECT_BUNDLE = /^UID=(.+)$/m;

/**
 * Checks the form of what an owner gives.
 * @param now milliseconds since the Unix epoch
 * @throws Fault INVALID on the field that is wrong
 */
export function checkApns(given: GivenApns, now: number): ApnsCredentials {
  const byCertificate = Boolean(given.certificate || given.privateKey);
  const byToken = Boolean(given.key || given.keyId || given.teamId);
  if (byCertificate && byToken) {
    throw Fault.field("apns.certificate", "must not be given beside a key");
  }
  return byCertificate ? checkCertificate(given, now) : checkToken(given);
}

function checkToken(given: GivenApns): ApnsCredentials {
  const key = readPrivateKey("apns.key", required("apns.key", given.key));
  if (!isP256(key)) {
    throw Fault.field("apns.key", "must be a key of the curve P-256: the .p8 file in whole");
  }
  return {
    ...{ service: "apns", kind: "token", key: writePrivateKey(key) },
    keyId: appleId("apns.keyId", given.keyId),
    teamId: appleId("apns.teamId", given.teamId),
    bundleId: checkBundleId(required("apns.bundleId", given.bundleId)),
    ...checkAddress("apns", given),
  };
}

function checkCertificate(given: GivenApns, now: number): ApnsCredentials {
  const pem = required("apns.certificate", given.certificate);
  const certificates = readCertificates("apns.certificate", pem);
  // One file may hold both, as openssl pkcs12 writes it.
  const keyField = given.privateKey ? "apns.privateKey" : "apns.certificate";
  if (!given.privateKey && !pem.includes("PRIVATE KEY-----")) {
    throw Fault.field("apns.privateKey", "is required, unless it stands in the certificate's file");
  }
  const key = readPrivateKey(keyField, given.privateKey || pem);
  if (!isP256(key) && !isUsableRsa(key)) {
    throw Fault.field(keyField, "must be an RSA key of 2048 to 8192 bits, or one of P-256");
  }
  const own = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (!own) throw Fault.field(keyField, "does not belong to the certificate");
  checkValidity(own, now);
  return {
    ...{ service: "apns", kind: "certificate", privateKey: writePrivateKey(key) },
    // TLS sends the own certificate first (RFC 8446 section 4.4.2).
    certificate: writeCertificates([own, ...certificates.filter((each) => each !== own)]),
    bundleId: bundleOf(own, given.bundleId),
    ...checkAddress("apns", given),
  };
}

function checkValidity({ validFrom, validTo }: X509Certificate, now: number): void {
  if (Date.parse(validTo) <= now) throw Fault.field("apns.certificate", `expired on ${validTo}`);
  if (Date.parse(validFrom) > now) {
    throw Fault.field("apns.certificate", `is not valid before ${validFrom}`);
  }
}

/** The app of a certificate: as given where the certificate names it at all, else its subject's. */
function bundleOf(certificate: X509Certificate, given: string | null | undefined): string {
  const named = SUBJECT_BUNDLE.exec(certificate.subject)?.[1];
  const bundleId = checkBundleId(required("apns.bundleId", given || named));
  // A certificate for several topics lists them in an extension; wherever it stands, it stands as text.
  if (named !== undefined && !certificate.raw.includes(bundleId)) {
    throw Fault.field("apns.bundleId", `is not in the certificate, which is for ${named}`);
  }
  return bundleId;
}

function checkBundleId(bundleId: string): string {
  if (BUNDLE_ID.test(bundleId)) return bundleId;
  throw Fault.field(
    "apns.bundleId",
    "must be a bundle identifier: letters, digits, hyphens, periods",
  );
}

function appleId(field: string, given: string | null | undefined): string {
  const id = required(field, given);
  if (!APPLE_ID.test(id)) throw Fault.field(field, "must be 10 capital letters and digits");
  return id;
}

function required(field: string, given: string | null | undefined): string {
  if (!given) throw Fault.field(field, "is required");
  return given;
}
