import type { X509Certificate } from "node:crypto";
import { Fault } from "../../../core/errors";
import type { ApnsCredentials } from "./credentials";
import {
  isP256,
  isUsableRsa,
  readCertificates,
  readPrivateKey,
  writeCertificates,
  writePrivateKey,
} from "./pem";
import { type ServiceAddressInput, validateServiceAddress } from "./service-address";

/** APNs credentials as an owner submits them: either a token key or a certificate. */
export interface ApnsInput extends ServiceAddressInput {
  bundleId?: string | null;
  key?: string | null;
  keyId?: string | null;
  teamId?: string | null;
  certificate?: string | null;
  privateKey?: string | null;
}

/** Key ids and team ids (developer.apple.com "Establishing a token-based connection to APNs"). */
const APPLE_ID = /^[A-Z0-9]{10}$/;
/** Letters, digits, hyphens and periods (developer.apple.com "CFBundleIdentifier"). */
const BUNDLE_ID = /^[A-Za-z0-9.-]{1,155}$/;
/** UID attribute of the certificate subject. Apple puts the bundle identifier there. */
const SUBJECT_BUNDLE = /^UID=(.+)$/m;

/**
 * Validates APNs credentials and normalizes them for storage.
 * @param now milliseconds since the Unix epoch
 * @throws Fault INVALID on the field that is wrong
 */
export function validateApns(input: ApnsInput, now: number): ApnsCredentials {
  const hasCertificate = Boolean(input.certificate || input.privateKey);
  const hasToken = Boolean(input.key || input.keyId || input.teamId);
  if (hasCertificate && hasToken) {
    throw Fault.field("apns.certificate", "must not be combined with a token key");
  }
  return hasCertificate ? validateCertificate(input, now) : validateToken(input);
}

function validateToken(input: ApnsInput): ApnsCredentials {
  const key = readPrivateKey("apns.key", required("apns.key", input.key));
  if (!isP256(key)) {
    throw Fault.field("apns.key", "must be a P-256 key: the entire .p8 file");
  }
  return {
    service: "apns",
    kind: "token",
    key: writePrivateKey(key),
    keyId: validateAppleId("apns.keyId", input.keyId),
    teamId: validateAppleId("apns.teamId", input.teamId),
    bundleId: validateBundleId(required("apns.bundleId", input.bundleId)),
    ...validateServiceAddress("apns", input),
  };
}

function validateCertificate(input: ApnsInput, now: number): ApnsCredentials {
  const pem = required("apns.certificate", input.certificate);
  const certificates = readCertificates("apns.certificate", pem);
  // openssl pkcs12 writes the certificate and the key to one file.
  const keyField = input.privateKey ? "apns.privateKey" : "apns.certificate";
  if (!input.privateKey && !pem.includes("PRIVATE KEY-----")) {
    throw Fault.field("apns.privateKey", "is required unless the certificate file includes it");
  }
  const key = readPrivateKey(keyField, input.privateKey || pem);
  if (!isP256(key) && !isUsableRsa(key)) {
    throw Fault.field(keyField, "must be an RSA key of 2048 to 8192 bits or a P-256 key");
  }
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (!leaf) throw Fault.field(keyField, "does not match the certificate");
  checkValidity(leaf, now);
  return {
    service: "apns",
    kind: "certificate",
    privateKey: writePrivateKey(key),
    // TLS sends the end-entity certificate first (RFC 8446 section 4.4.2).
    certificate: writeCertificates([leaf, ...certificates.filter((each) => each !== leaf)]),
    bundleId: bundleOf(leaf, input.bundleId),
    ...validateServiceAddress("apns", input),
  };
}

function checkValidity({ validFrom, validTo }: X509Certificate, now: number): void {
  if (Date.parse(validTo) <= now) throw Fault.field("apns.certificate", `expired on ${validTo}`);
  if (Date.parse(validFrom) > now) {
    throw Fault.field("apns.certificate", `is not valid before ${validFrom}`);
  }
}

/** The requested bundle identifier if the certificate contains it, by default the one in its subject. */
function bundleOf(certificate: X509Certificate, requested: string | null | undefined): string {
  const subjectBundle = SUBJECT_BUNDLE.exec(certificate.subject)?.[1];
  const bundleId = validateBundleId(required("apns.bundleId", requested || subjectBundle));
  // A certificate for several topics lists them in an extension, also as plain text.
  if (subjectBundle !== undefined && !certificate.raw.includes(bundleId)) {
    throw Fault.field("apns.bundleId", `is not in the certificate, which is for ${subjectBundle}`);
  }
  return bundleId;
}

function validateBundleId(bundleId: string): string {
  if (BUNDLE_ID.test(bundleId)) return bundleId;
  throw Fault.field(
    "apns.bundleId",
    "must be a bundle identifier: letters, digits, hyphens, periods",
  );
}

function validateAppleId(field: string, value: string | null | undefined): string {
  const id = required(field, value);
  if (!APPLE_ID.test(id)) throw Fault.field(field, "must be 10 uppercase letters and digits");
  return id;
}

function required(field: string, value: string | null | undefined): string {
  if (!value) throw Fault.field(field, "is required");
  return value;
}
