import { type KeyObject, X509Certificate } from "node:crypto";
import type { Certified } from "./certificates";
import type { ReceivedRequest } from "./secure-server";
import { readSignedToken } from "./signed-token";

/** Credentials that the stand-in accepts. */
export interface ApnsTrust {
  bundleIds: string[];
  /** Keys of a developer account, by id. */
  keys: Map<string, { teamId: string; publicKey: KeyObject }>;
  /** SHA-256 fingerprints of issued certificates. */
  certificates: Set<string>;
}

/** Error response to a push. */
export interface ApnsError {
  status: number;
  reason: string;
}

const refuse = (status: number, reason: string): ApnsError => ({ status, reason });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PUSH_TYPES = new Set(["alert", "background", "voip"]);
const HOUR_S = 3600;
const SKEW_S = 60;

/** Validates a push against Apple's documented rules for requests, in Apple's order. */
export function validateApnsPush(asked: ReceivedRequest, trust: ApnsTrust): ApnsError | null {
  const { method, path, headers, repeated, body } = asked;
  if (method !== "POST") return refuse(405, "MethodNotAllowed");
  const device = /^\/3\/device\/([^/]*)$/.exec(path)?.[1];
  if (device === undefined) return refuse(404, "BadPath");
  if (repeated.length > 0) return refuse(400, "DuplicateHeaders");
  return (
    validateAuth(asked, trust) ??
    validateHeaders(headers, trust) ??
    validateBody(headers, body) ??
    validateDevice(device)
  );
}

function validateAuth(
  { headers, certificate }: ReceivedRequest,
  trust: ApnsTrust,
): ApnsError | null {
  if (certificate !== null) {
    return trust.certificates.has(certificate) ? null : refuse(403, "BadCertificate");
  }
  const text = /^bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (text === undefined) return refuse(403, "MissingProviderToken");
  const token = readSignedToken(text);
  const key = trust.keys.get(String(token?.header.kid));
  if (!token || !key || token.claims.iss !== key.teamId) return refuse(403, "InvalidProviderToken");
  if (!token.isSignedBy(key.publicKey, "ES256")) return refuse(403, "InvalidProviderToken");
  const age = Date.now() / 1000 - Number(token.claims.iat);
  if (!(age >= -SKEW_S)) return refuse(403, "InvalidProviderToken");
  return age > HOUR_S ? refuse(403, "ExpiredProviderToken") : null;
}

function validateHeaders(headers: Record<string, string>, trust: ApnsTrust): ApnsError | null {
  const topic = headers["apns-topic"];
  const type = headers["apns-push-type"];
  const priority = headers["apns-priority"] ?? "10";
  if (topic === undefined) return refuse(400, "MissingTopic");
  if (!trust.bundleIds.includes(topic.replace(/\.voip$/, "")))
    return refuse(400, "TopicDisallowed");
  if (type === undefined || !PUSH_TYPES.has(type)) return refuse(400, "InvalidPushType");
  if ((type === "voip") !== topic.endsWith(".voip")) return refuse(400, "BadTopic");
  if (!/^(1|5|10)$/.test(priority)) return refuse(400, "BadPriority");
  // "Specifying priority 10 for a background notification is an error."
  if (type === "background" && priority === "10") return refuse(400, "BadPriority");
  const { "apns-expiration": expiration, "apns-id": id, "apns-collapse-id": collapse } = headers;
  if (expiration !== undefined && !/^\d{1,10}$/.test(expiration)) {
    return refuse(400, "BadExpirationDate");
  }
  if (id !== undefined && !UUID.test(id)) return refuse(400, "BadMessageId");
  return Buffer.byteLength(collapse ?? "") > 64 ? refuse(400, "BadCollapseId") : null;
}

function validateBody(headers: Record<string, string>, body: Buffer): ApnsError | null {
  if (body.length === 0) return refuse(400, "PayloadEmpty");
  const limit = headers["apns-push-type"] === "voip" ? 5120 : 4096;
  if (body.length > limit) return refuse(413, "PayloadTooLarge");
  try {
    const payload = JSON.parse(body.toString("utf8"));
    const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
    return isObject ? null : refuse(400, "PayloadEmpty");
  } catch {
    return refuse(400, "PayloadEmpty");
  }
}

function validateDevice(device: string): ApnsError | null {
  if (device === "") return refuse(400, "MissingDeviceToken");
  const isToken = /^(?:[0-9a-f]{2}){32,100}$/i.test(device) && !/^0+$/.test(device);
  return isToken ? null : refuse(400, "BadDeviceToken");
}

/** SHA-256 fingerprint of a certificate. */
export function fingerprintOf({ certificate }: Pick<Certified, "certificate">): string {
  return new X509Certificate(certificate).fingerprint256;
}
