import { randomBytes } from "node:crypto";
import { type Behaviour, Script } from "./behaviour";
import { ReceivedItems } from "./received-items";
import {
  type ReceivedRequest,
  type Reply,
  type SecureServer,
  type ServerOptions,
  startSecureServer,
} from "./secure-server";
import { pointKey, readSignedToken } from "./signed-token";
import { type BrowserKeys, decryptBody, newBrowserKeys } from "./web-push-body";

/** A push that the web push stand-in received. */
export interface WebReceived {
  /** The last part of the endpoint. */
  device: string;
  headers: Record<string, string>;
  /** Decrypted text; null if the browser could not decrypt it. */
  text: string | null;
  /** The encrypted body. */
  body: Buffer;
  connection: number;
  status: number;
  /** Text of the response; null without one. */
  reason: string | null;
}

/** A browser's PushSubscription. */
export interface Subscription {
  endpoint: string;
  auth: string;
  p256dh: string;
}

/** Stand-in for a browser's push service and its browsers. */
export interface WebPushStandIn extends SecureServer {
  script: Script;
  received: ReceivedItems<WebReceived>;
  /** Subscribes a browser, by default with new keys. */
  subscribe(device?: string, keys?: BrowserKeys): Subscription;
}

const DAY_S = 86_400;
const SKEW_S = 60;
const BODY_MAX = 4096;
/** A contact of a public domain, without which Apple answers BadJwtToken. */
const CONTACT =
  /^(mailto:[^@\s]+@|https:\/\/)([a-z0-9-]+\.)+(?!localhost|local\b|test\b)[a-z]{2,}(\/|$)/;

/** Default text for each status. */
const TEXTS: Readonly<Record<number, string>> = {
  400: "invalid request",
  401: "authorization missing",
  403: "the key is not the one that subscribed",
  404: "no such subscription",
  410: "push subscription has unsubscribed or expired.",
  413: "payload too large",
  429: "too many requests",
  500: "internal error",
  503: "busy",
};

/**
 * Starts the stand-in for a browser's push service (RFC 8030).
 * @param applicationServerKey VAPID key that the browsers subscribed with, in base64url
 * @param anyDevice keys of devices without a subscription; without them, such devices are unknown
 */
export async function startWebPush(
  place: ServerOptions,
  applicationServerKey: string,
  anyDevice?: BrowserKeys,
): Promise<WebPushStandIn> {
  const script = new Script();
  const received = new ReceivedItems<WebReceived>();
  const browsers = new Map<string, BrowserKeys>();
  const server = await startSecureServer(place, (asked) => {
    const device = /^\/push\/([\w-]+)$/.exec(asked.path)?.[1] ?? "";
    const keys = browsers.get(device) ?? (device === "" ? undefined : anyDevice);
    const text = keys ? decryptBody(asked.body, keys) : null;
    const status = keys ? errorStatus(asked, text, applicationServerKey, server.url) : 404;
    const behaviour: Behaviour = status === null ? script.next(device) : { kind: "answer", status };
    const reply = replyTo(behaviour, server.url);
    received.add({
      device,
      text,
      body: asked.body,
      status: reply.status,
      headers: asked.headers,
      connection: asked.connection,
      reason: reply.body?.trim() ?? null,
    });
    return { reply, behaviour };
  });
  const subscribe = (
    device = randomBytes(18).toString("base64url"),
    keys = newBrowserKeys(),
  ): Subscription => {
    browsers.set(device, keys);
    return {
      endpoint: `${server.url}/push/${device}`,
      auth: keys.auth.toString("base64url"),
      p256dh: keys.publicKey.toString("base64url"),
    };
  };
  return { ...server, script, received, subscribe };
}

function replyTo(behaviour: Behaviour, url: string): Reply {
  if (behaviour.kind !== "answer") {
    const location = `${url}/message/${randomBytes(12).toString("base64url")}`;
    return { status: 201, headers: { location } };
  }
  const { status, reason, headers } = behaviour;
  const body = `${reason ?? TEXTS[status] ?? ""}\n`;
  return { status, headers: { "content-type": "text/plain", ...headers }, body };
}

/** The error status for a push; null if it is valid. */
function errorStatus(
  asked: ReceivedRequest,
  text: string | null,
  key: string,
  origin: string,
): number | null {
  const { method, headers, repeated, body } = asked;
  if (method !== "POST") return 405;
  if (repeated.length > 0) return 400;
  const vapidError = vapidErrorStatus(headers.authorization ?? "", key, origin);
  if (vapidError !== null) return vapidError;
  if (!/^\d{1,10}$/.test(headers.ttl ?? "")) return 400;
  if (headers.topic !== undefined && !/^[\w-]{1,32}$/.test(headers.topic)) return 400;
  if (!/^(very-low|low|normal|high)$/.test(headers.urgency ?? "normal")) return 400;
  if (body.length > BODY_MAX) return 413;
  if (headers["content-encoding"] !== "aes128gcm") return 400;
  return text === null ? 400 : null;
}

/** Verifies VAPID (RFC 8292): the sender owns the subscription's key, and addresses this service. */
function vapidErrorStatus(authorization: string, key: string, origin: string): number | null {
  const parts = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization);
  if (!parts) return 401;
  const [, text = "", shown = ""] = parts;
  const token = readSignedToken(text);
  if (shown !== key) return 403;
  if (!token?.isSignedBy(keyOf(shown), "ES256")) return 403;
  const { aud, exp, sub } = token.claims;
  const left = Number(exp) - Date.now() / 1000;
  const inTime = left > -SKEW_S && left <= DAY_S + SKEW_S;
  return aud === origin && inTime && CONTACT.test(String(sub)) ? null : 403;
}

const keys = new Map<string, ReturnType<typeof pointKey>>();

function keyOf(text: string): ReturnType<typeof pointKey> {
  const key = keys.get(text) ?? pointKey(Buffer.from(text, "base64url"));
  keys.set(text, key);
  return key;
}
