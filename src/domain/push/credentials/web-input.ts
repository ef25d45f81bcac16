import { createECDH } from "node:crypto";
import { Fault } from "../../../core/errors";
import { newP256KeyPair } from "../../../core/random";
import { textProblem } from "../../../core/text/field-checks";
import type { WebPushCredentials } from "./credentials";
import { validateServiceAddress } from "./service-address";
import { contactProblem } from "./vapid-contact";

/** Credentials for browser push services as an owner submits them. */
export interface WebInput {
  publicKey?: string | null;
  privateKey?: string | null;
  /** Generates a new key pair. */
  generate?: boolean | null;
  subject?: string | null;
  ca?: string | null;
}

const SUBJECT_MAX = 255;
const KEY = /^[\w+/-]{43,88}={0,2}$/;

/** Validates and normalizes web push credentials. @throws Fault INVALID on the wrong field */
export function validateWeb(input: WebInput): WebPushCredentials {
  const { ca } = validateServiceAddress("web", input);
  const subject = validateSubject(input.subject);
  return { service: "web", ...keysOf(input), subject, ...(ca === undefined ? {} : { ca }) };
}

/** Validates the contact for push services. */
function validateSubject(subject: string | null | undefined): string {
  if (!subject) throw Fault.field("web.subject", "is required");
  const problem = textProblem(subject, SUBJECT_MAX) ?? contactProblem(subject);
  if (problem) throw Fault.field("web.subject", problem);
  return subject;
}

/** A P-256 key pair in base64url: 32 bytes, and an uncompressed point (RFC 8292 section 3.2). */
function keysOf({ publicKey, privateKey, generate }: WebInput) {
  if (generate) {
    if (publicKey || privateKey) {
      throw Fault.field("web.generate", "must not be combined with keys");
    }
    const pair = newP256KeyPair();
    return { publicKey: base64url(pair.publicKey), privateKey: base64url(pair.privateKey) };
  }
  if (!privateKey)
    throw Fault.field("web.privateKey", "is required unless a key pair is generated");
  const secret = readKey("web.privateKey", privateKey, 32);
  const point = pointOf(secret);
  if (publicKey && !readKey("web.publicKey", publicKey, 65).equals(point)) {
    throw Fault.field("web.publicKey", "does not match the private key");
  }
  return { publicKey: base64url(point), privateKey: base64url(secret) };
}

function readKey(field: string, text: string, length: number): Buffer {
  const bytes = KEY.test(text) ? Buffer.from(text, "base64url") : null;
  if (bytes?.length !== length) {
    throw Fault.field(field, `must be a P-256 key of ${length} bytes in base64url`);
  }
  return bytes;
}

function pointOf(secret: Buffer): Buffer {
  const curve = createECDH("prime256v1");
  try {
    curve.setPrivateKey(secret);
    return curve.getPublicKey();
  } catch {
    throw Fault.field("web.privateKey", "is not a key on P-256");
  }
}

const base64url = (bytes: Buffer) => bytes.toString("base64url");
