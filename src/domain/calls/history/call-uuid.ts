import { createHash } from "node:crypto";

/** The namespace of the UUIDs of calls (docs/PUSH.md "Calls"). It never changes: apps may derive the UUID as well. */
const CALL_NAMESPACE = Buffer.from("1b4f6c0e2d7a4c539e8f3a6d5b90c214", "hex");

/**
 * The UUID of a call, which CallKit and ConnectionService require: a UUID of version 5 (RFC 9562 section 5.5) of
 * `<applicationId>:<callId>`, so that each device and each push of a call has the same one.
 * @param callId callId of the signals (sessionID on the wire)
 * @returns 36 characters in lower case
 */
export function callUuidOf(applicationId: number, callId: string): string {
  const digest = createHash("sha1")
    .update(CALL_NAMESPACE)
    .update(`${applicationId}:${callId}`)
    .digest();
  // Version 5 in the high bits of octet 6, and variant 10 in those of octet 8.
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex", 0, 16);
  const ends = [0, 8, 12, 16, 20, 32];
  return ends
    .slice(1)
    .map((end, index) => hex.slice(ends[index], end))
    .join("-");
}
