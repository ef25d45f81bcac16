import { type KeyObject, X509Certificate } from "node:crypto";
import type { Certified } from "./certificates";
import type { Asked } from "./secure-server";
import { readSignedToken } from "./signed-token";

/** Whom the stand-in believes. */
export interface ApnsTrust {
  bundleIds: string[];
  /** Keys of a developer account, by their ids. */
  keys: Map<string, { teamId: string; publicKey: KeyObject }>;
  /** SHA-256 of certificates that it issued, with the environments they are for. */
  certificates: Set<string>;
}

/** Why a push is not taken. */
export interface Refusal {
  status: number;
  reason: string;
}

const no = (status: number, reason: string): Refusal => ({ status, reason });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PUSH_TYPES = new Set(["alert", "background", "voip"]);
const HOUR_S = 3600;
const SKEW_S = 60;

/** Holds a push against everything that Apple documents of requests, in the order that Apple does. */
export function judgeApnsPush(asked: Asked, trust: ApnsTrust): Refusal | null {
  const { method, path, headers, repeated, body } = asked;
  if (method !== "POST") return no(405, "MethodNotAllowed");
  const device = /^\/3\/device\/([^/]*)$/.exec(path)?.[1];
  if (device === undefined) return no(404, "BadPath");
  if (repeated.length > 0) return no(400, "DuplicateHeaders");
  return (
    judgeProof(asked, trust) ??
    judgeHeaders(headers, trust) ??
    judgeBody(headers, body) ??
    judgeDevice(device)
  );
}

function judgeProof({ headers, certificate }: Asked, trust: ApnsTrust): Refusal | null {
  if (certificate !== null) {
    return trust.certificates.has(certificate) ? null : no(403, "BadCertificate");
  }
  const text = /^bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (text === undefined) return no(403, "MissingProviderToken");
  const token = readSignedToken(text);
  const key = trust.keys.get(String(token?.header.kid));
  if (!token || !key || token.claims.iss !== key.teamId) return no(403, "InvalidProviderToken");
  if (!token.isSignedBy(key.publicKey, "ES256")) return no(403, "InvalidProviderToken");
  const age = Date.now() / 1000 - Number(token.claims.iat);
  if (!(age >= -SKEW_S)) return no(403, "InvalidProviderToken");
  return age > HOUR_S ? no(403, "ExpiredProviderToken") : null;
}

function judgeHeaders(headers: Record<string, string>, trust: ApnsTrust): Refusal | null {
  const topic = headers["apns-topic"];
  const type = headers["apns-push-type"];
  const priority = headers["apns-priority"] ?? "10";
  if (topic === undefined) return no(400, "MissingTopic");
  if (!trust.bundleIds.includes(topic.replace(/\.voip$/, ""))) return no(400, "TopicDisallowed");
  if (type === undefined || !PUSH_TYPES.has(type)) return no(400, "InvalidPushType");
  if ((type === "voip") !== topic.endsWith(".voip")) return no(400, "BadTopic");
  if (!/^(1|5|10)$/.test(priority)) return no(400, "BadPriority");
  // "Specifying priority 10 for a background notification is an error."
  if (type === "background" && priority === "10") return no(400, "BadPriority");
  const { "apns-expiration": expiration, "apns-id": id, "apns-collapse-id": collapse } = headers;
  if (expiration !== undefined && !/^\d{1,10}$/.test(expiration)) {
    return no(400, "BadExpirationDate");
  }
  if (id !== undefined && !UUID.test(id)) return no(400, "BadMessageId");
  return Buffer.byteLength(collapse ?? "") > 64 ? no(400, "BadCollapseId") : null;
}

function judgeBody(headers: Record<string, string>, body: Buffer): Refusal | null {
  if (body.length === 0) return no(400, "PayloadEmpty");
  const limit = headers["apns-push-type"] === "voip" ? 5120 : 4096;
  if (body.length > limit) return no(413, "PayloadTooLarge");
  try {
    const payload = JSON.parse(body.toString("utf8"));
    const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
    return isObject ? null : no(400, "PayloadEmpty");
  } catch {
    return no(400, "PayloadEmpty");
  }
}

function judgeDevice(device: string): Refusal | null {
  if (device === "") return no(400, "MissingDeviceToken");
  const isToken = /^(?:[0-9a-f]{2}){32,100}$/i.test(device) && !/^0+$/.test(device);
  return isToken ? null : no(400, "BadDeviceToken");
}

/** Believes a certificate that was issued as Apple would. */
export function fingerprintOf({ certificate }: Pick<Certified, "certificate">): string {
  return new X509Certificate(certificate).fingerprint256;
}
