import { ECDH } from "node:crypto";
import { Fault, type FieldErrors } from "../../../core/errors";
import { textProblem } from "../../../core/text/field-checks";
import type { PushChannel, PushEnvironment, PushPlatform } from "../channels/channel";
import { channelOf, type InputChannel } from "../channels/channel.type";
import { checkEndpoint } from "../providers/web/endpoint";

/** A device to subscribe, as a client submits it. */
export interface SubscriptionFields {
  channel: InputChannel;
  environment: PushEnvironment;
  platform: PushPlatform;
  /** The client's identifier of the device; any text. */
  udid: string;
  /** Null for a browser, which has `web` instead. */
  token?: string | null;
  /** Bundle identifier or package of the app. */
  bundleId?: string | null;
  /** The browser's PushSubscription (W3C Push API section 8). */
  web?: { endpoint?: string | null; auth?: string | null; p256dh?: string | null } | null;
}

/** A validated and normalized subscription, as stored. */
export interface ValidSubscription {
  channel: PushChannel;
  environment: PushEnvironment;
  platform: PushPlatform;
  udid: string;
  /** Lower-case hexadecimal digits for APNs, the endpoint for a browser. ASCII without a backslash. */
  token: string;
  bundleId: string | null;
  /** In base64url without padding, like webP256dh. */
  webAuth: string | null;
  webP256dh: string | null;
}

const UDID_MAX = 255;
/** Maximum length of a token in characters; no known service uses longer ones. */
const TOKEN_MAX = 4_096;
/** Size in bytes of a browser's secret and of its key, an uncompressed point (RFC 8291 section 3). */
const AUTH_BYTES = 16;
const KEY_BYTES = 65;

/** Hexadecimal digits, optionally in angle brackets and groups, as older iOS versions format data. */
const HEX = /^<?[0-9a-f\s]*>?$/i;
/** Visible ASCII without the backslash, which the index of tokens does not support. */
const VISIBLE = /^[\x21-\x5b\x5d-\x7e]+$/;
/** Sent to Apple in a header. */
const BUNDLE = /^[A-Za-z0-9._-]{1,255}$/;
const BASE64 = /^[A-Za-z0-9_+/-]+={0,2}$/;

/** A normalized value, or its problem, to follow the field's name. */
type Parsed = { value: string } | { problem: string };

/**
 * Validates and normalizes a subscription.
 * @param allowPrivate whether a browser's endpoint may be in a private network
 * @throws Fault INVALID with every wrong field
 */
export function validateSubscription(
  fields: SubscriptionFields,
  allowPrivate: boolean,
): ValidSubscription {
  const errors: FieldErrors = {};
  const accept = (field: string, parsed: Parsed): string => {
    if ("value" in parsed) return parsed.value;
    errors[field] = [parsed.problem];
    return "";
  };
  const { environment, platform, token, bundleId, web } = fields;
  const channel = channelOf(fields.channel);
  const checked: ValidSubscription = {
    channel,
    environment,
    platform,
    udid: accept("udid", parseUdid(fields.udid)),
    token: "",
    bundleId: bundleId ? accept("bundleId", parseBundleId(bundleId)) : null,
    webAuth: null,
    webP256dh: null,
  };
  if (channel === "web") {
    if (token) errors.token = ["is for the other channels: a browser has an endpoint instead"];
    const endpoint = required(web?.endpoint, (text) => parseEndpoint(text, allowPrivate));
    checked.token = accept("web.endpoint", endpoint);
    checked.webAuth = accept("web.auth", required(web?.auth, parseAuth));
    checked.webP256dh = accept("web.p256dh", required(web?.p256dh, parseKey));
  } else {
    checked.token = accept("token", required(token, TOKEN_PARSERS[channel]));
    for (const [name, value] of Object.entries(web ?? {})) {
      if (value) errors[`web.${name}`] = ["is only for the channel web"];
    }
  }
  const [first] = Object.entries(errors);
  if (first) throw new Fault("INVALID", `${first[0]} ${first[1][0]}`, errors);
  return checked;
}

function required(text: string | null | undefined, parse: (text: string) => Parsed): Parsed {
  return text ? parse(text) : { problem: "is required" };
}

function parseUdid(text: string): Parsed {
  if (text.trim() === "") return { problem: "must not be empty" };
  const problem = textProblem(text, UDID_MAX);
  return problem === null ? { value: text } : { problem };
}

function parseBundleId(text: string): Parsed {
  return BUNDLE.test(text)
    ? { value: text }
    : { problem: "must be 1 to 255 letters, digits or . - _" };
}

function parseFcmToken(text: string): Parsed {
  if (text.length > TOKEN_MAX) return tooLong;
  return VISIBLE.test(text)
    ? { value: text }
    : { problem: "must be visible ASCII characters without a backslash" };
}

function parseApnsToken(text: string): Parsed {
  if (text.length > TOKEN_MAX) return tooLong;
  const digits = text.replace(/[<>\s]/g, "").toLowerCase();
  return HEX.test(text) && digits !== "" && digits.length % 2 === 0
    ? { value: digits }
    : { problem: "must be a device token in hexadecimal digits" };
}

/** The rule of each channel whose devices have a token. */
const TOKEN_PARSERS: Record<Exclude<PushChannel, "web">, (text: string) => Parsed> = {
  apns: parseApnsToken,
  apns_voip: parseApnsToken,
  gcm: parseFcmToken,
};

const tooLong: Parsed = { problem: `is too long (maximum is ${TOKEN_MAX} characters)` };

/** Normalizes the URL that a push service assigned to a browser (RFC 8030 section 4). */
function parseEndpoint(text: string, allowPrivate: boolean): Parsed {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The fragment is never sent, so URLs that differ only in it are equal.
  if (url) url.hash = "";
  const value = url?.href ?? text;
  // The index of tokens casts to bytea, which interprets a backslash as an escape.
  if (value.includes("\\")) return { problem: "must be a URL without a backslash" };
  const problem = checkEndpoint(value, allowPrivate);
  return problem === null ? { value } : { problem };
}

function parseAuth(text: string): Parsed {
  const bytes = parseBase64(text);
  return bytes?.length === AUTH_BYTES
    ? { value: bytes.toString("base64url") }
    : { problem: `must be ${AUTH_BYTES} bytes in Base64` };
}

function parseKey(text: string): Parsed {
  const bytes = parseBase64(text);
  return bytes?.length === KEY_BYTES && isPoint(bytes)
    ? { value: bytes.toString("base64url") }
    : { problem: `must be a public key on P-256: ${KEY_BYTES} bytes in Base64, uncompressed` };
}

/** Decodes either alphabet of RFC 4648, padded or not. */
function parseBase64(text: string): Buffer | null {
  return text.length <= 255 && BASE64.test(text) ? Buffer.from(text, "base64") : null;
}

/** Whether bytes are an uncompressed point on the curve (SEC 1 section 2.3.4). */
function isPoint(bytes: Buffer): boolean {
  if (bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, "prime256v1");
    return true;
  } catch {
    return false;
  }
}
