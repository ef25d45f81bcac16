import { ECDH } from "node:crypto";
import { Fault, type FieldErrors } from "../../core/errors";
import { textProblem } from "../../identity/user/user-fields";
import type { PushChannel, PushEnvironment, PushPlatform } from "../channel";
import { channelOf, type NamedChannel } from "../channel.type";
import { readEndpoint } from "./endpoint";

/** What a client tells of a device that is to receive notifications. */
export interface SubscriptionFields {
  channel: NamedChannel;
  environment: PushEnvironment;
  platform: PushPlatform;
  /** What the client calls the device; any text. */
  udid: string;
  /** Of a browser null: `web` is in its place. */
  token?: string | null;
  /** Bundle identifier or package of the app. */
  bundleId?: string | null;
  /** What the browser's PushSubscription tells (W3C Push API section 8). */
  web?: { endpoint?: string | null; auth?: string | null; p256dh?: string | null } | null;
}

/** The same as it is kept: every text in its one form. */
export interface CheckedSubscription {
  channel: PushChannel;
  environment: PushEnvironment;
  platform: PushPlatform;
  udid: string;
  /** Of APNs lower-case hexadecimal digits; of a browser its endpoint. ASCII, without a backslash. */
  token: string;
  bundleId: string | null;
  /** In base64url, without padding, as the next one. */
  webAuth: string | null;
  webP256dh: string | null;
}

const UDID_MAX = 255;
/** Characters of a token at most: no service is known to give longer ones. */
const TOKEN_MAX = 4_096;
/** Bytes of a browser's secret, and of its key, an uncompressed point (RFC 8291 section 3). */
const AUTH_BYTES = 16;
const KEY_BYTES = 65;

/** Hexadecimal digits, as iOS once described data: in brackets and in groups. */
const HEX = /^<?[0-9a-f\s]*>?$/i;
/** ASCII that is seen, but for the backslash, which the index of tokens could not take. */
const VISIBLE = /^[\x21-\x5b\x5d-\x7e]+$/;
/** Goes to Apple in a header. */
const BUNDLE = /^[A-Za-z0-9._-]{1,255}$/;
const BASE64 = /^[A-Za-z0-9_+/-]+={0,2}$/;

/** Either what is kept of a value, or what is wrong with it, in words that follow its name. */
type Read = { kept: string } | { problem: string };

/**
 * Checks what a client tells of a device.
 * @param allowPrivate whether a browser's endpoint may lead into a private network
 * @throws Fault INVALID with every field that is wrong
 */
export function checkSubscription(
  fields: SubscriptionFields,
  allowPrivate: boolean,
): CheckedSubscription {
  const errors: FieldErrors = {};
  const keep = (field: string, read: Read): string => {
    if ("kept" in read) return read.kept;
    errors[field] = [read.problem];
    return "";
  };
  const { environment, platform, token, bundleId, web } = fields;
  const channel = channelOf(fields.channel);
  const checked: CheckedSubscription = {
    ...{ channel, environment, platform },
    udid: keep("udid", readUdid(fields.udid)),
    token: "",
    bundleId: bundleId ? keep("bundleId", readBundleId(bundleId)) : null,
    webAuth: null,
    webP256dh: null,
  };
  if (channel === "web") {
    if (token) errors.token = ["is for the other channels: a browser has an endpoint in its place"];
    const read = (text: string) => endpointOf(text, allowPrivate);
    checked.token = keep("web.endpoint", required(web?.endpoint, read));
    checked.webAuth = keep("web.auth", required(web?.auth, readAuth));
    checked.webP256dh = keep("web.p256dh", required(web?.p256dh, readKey));
  } else {
    checked.token = keep("token", required(token, channel === "gcm" ? readToken : readApnsToken));
    for (const [name, value] of Object.entries(web ?? {})) {
      if (value) errors[`web.${name}`] = ["is for the channel web alone"];
    }
  }
  const [first] = Object.entries(errors);
  if (first) throw new Fault("INVALID", `${first[0]} ${first[1][0]}`, errors);
  return checked;
}

function required(text: string | null | undefined, read: (text: string) => Read): Read {
  return text ? read(text) : { problem: "is required" };
}

function readUdid(text: string): Read {
  if (text.trim() === "") return { problem: "must not be empty" };
  const problem = textProblem(text, UDID_MAX);
  return problem === null ? { kept: text } : { problem };
}

function readBundleId(text: string): Read {
  return BUNDLE.test(text)
    ? { kept: text }
    : { problem: "must be 1 to 255 letters, digits or . - _" };
}

function readToken(text: string): Read {
  if (text.length > TOKEN_MAX) return tooLong;
  return VISIBLE.test(text)
    ? { kept: text }
    : { problem: "must be visible ASCII characters without a backslash" };
}

function readApnsToken(text: string): Read {
  if (text.length > TOKEN_MAX) return tooLong;
  const digits = text.replace(/[<>\s]/g, "").toLowerCase();
  return HEX.test(text) && digits !== "" && digits.length % 2 === 0
    ? { kept: digits }
    : { problem: "must be a device token in hexadecimal digits" };
}

const tooLong: Read = { problem: `is too long (maximum is ${TOKEN_MAX} characters)` };

function endpointOf(text: string, allowPrivate: boolean): Read {
  const read = readEndpoint(text, allowPrivate);
  return "endpoint" in read ? { kept: read.endpoint } : read;
}

function readAuth(text: string): Read {
  const bytes = readBase64(text);
  return bytes?.length === AUTH_BYTES
    ? { kept: bytes.toString("base64url") }
    : { problem: `must be ${AUTH_BYTES} bytes in Base64` };
}

function readKey(text: string): Read {
  const bytes = readBase64(text);
  return bytes?.length === KEY_BYTES && isPoint(bytes)
    ? { kept: bytes.toString("base64url") }
    : { problem: `must be a public key on P-256: ${KEY_BYTES} bytes in Base64, uncompressed` };
}

/** Of either alphabet of RFC 4648, padded or not. */
function readBase64(text: string): Buffer | null {
  return text.length <= 255 && BASE64.test(text) ? Buffer.from(text, "base64") : null;
}

/** Whether bytes are an uncompressed point that lies on the curve (SEC 1 section 2.3.4). */
function isPoint(bytes: Buffer): boolean {
  if (bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, "prime256v1");
    return true;
  } catch {
    return false;
  }
}
