import { randomBytes } from "node:crypto";
import { type Behaviour, Script } from "./behaviour";
import { Mailbox } from "./mailbox";
import {
  type Asked,
  type Reply,
  type SecureServer,
  type ServerPlace,
  startSecureServer,
} from "./secure-server";
import { pointKey, readSignedToken } from "./signed-token";
import { type BrowserKeys, decryptBody, newBrowserKeys } from "./web-push-body";

/** A push as the stand-in of a browser's push service got it. */
export interface WebReceived {
  /** The last part of the endpoint. */
  device: string;
  headers: Record<string, string>;
  /** What the browser would read; null where it could not. */
  text: string | null;
  /** As it came, encrypted. */
  body: Buffer;
  connection: number;
  status: number;
  /** Why it was not taken. */
  reason: string | null;
}

/** A browser's subscription, as its page would pass it on. */
export interface Subscription {
  endpoint: string;
  auth: string;
  p256dh: string;
}

/** A push service of browsers, and the browsers with it, played by a server of one's own. */
export interface WebPushStandIn extends SecureServer {
  script: Script;
  received: Mailbox<WebReceived>;
  /** Subscribes a browser, with new keys if none are given. */
  subscribe(device?: string, keys?: BrowserKeys): Subscription;
}

const DAY_S = 86_400;
const SKEW_S = 60;
const BODY_MAX = 4096;

/** What the services say with a status, if nothing else is told. */
const WORDS: Readonly<Record<number, string>> = {
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
 * Starts the stand-in of a browser's push service (RFC 8030).
 * @param applicationServerKey the VAPID key that its browsers subscribed with, in base64url
 * @param anyDevice keys of devices that nobody subscribed; without, those are unknown
 */
export async function startWebPush(
  place: ServerPlace,
  applicationServerKey: string,
  anyDevice?: BrowserKeys,
): Promise<WebPushStandIn> {
  const script = new Script();
  const received = new Mailbox<WebReceived>();
  const browsers = new Map<string, BrowserKeys>();
  const server = await startSecureServer(place, (asked) => {
    const device = /^\/push\/([\w-]+)$/.exec(asked.path)?.[1] ?? "";
    const keys = browsers.get(device) ?? (device === "" ? undefined : anyDevice);
    const text = keys ? decryptBody(asked.body, keys) : null;
    const status = keys ? judge(asked, text, applicationServerKey, server.url) : 404;
    const behaviour: Behaviour = status === null ? script.next(device) : { kind: "answer", status };
    const reply = replyTo(behaviour, server.url);
    received.put({
      ...{ device, text, body: asked.body, status: reply.status },
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
  const body = `${reason ?? WORDS[status] ?? ""}\n`;
  return { status, headers: { "content-type": "text/plain", ...headers }, body };
}

/** The status that a push is refused with; null where nothing is wrong with it. */
function judge(asked: Asked, text: string | null, key: string, origin: string): number | null {
  const { method, headers, repeated, body } = asked;
  if (method !== "POST") return 405;
  if (repeated.length > 0) return 400;
  const proof = judgeVapid(headers.authorization ?? "", key, origin);
  if (proof !== null) return proof;
  if (!/^\d{1,10}$/.test(headers.ttl ?? "")) return 400;
  if (headers.topic !== undefined && !/^[\w-]{1,32}$/.test(headers.topic)) return 400;
  if (!/^(very-low|low|normal|high)$/.test(headers.urgency ?? "normal")) return 400;
  if (body.length > BODY_MAX) return 413;
  if (headers["content-encoding"] !== "aes128gcm") return 400;
  return text === null ? 400 : null;
}

/** RFC 8292: who sends is the one whom the browser subscribed to, and speaks to this service. */
function judgeVapid(authorization: string, key: string, origin: string): number | null {
  const parts = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization);
  if (!parts) return 401;
  const [, text = "", shown = ""] = parts;
  const token = readSignedToken(text);
  if (shown !== key) return 403;
  if (!token?.isSignedBy(keyOf(shown), "ES256")) return 403;
  const { aud, exp, sub } = token.claims;
  const left = Number(exp) - Date.now() / 1000;
  const inTime = left > -SKEW_S && left <= DAY_S + SKEW_S;
  return aud === origin && inTime && /^(mailto:|https:)/.test(String(sub)) ? null : 403;
}

const keys = new Map<string, ReturnType<typeof pointKey>>();

function keyOf(text: string): ReturnType<typeof pointKey> {
  const key = keys.get(text) ?? pointKey(Buffer.from(text, "base64url"));
  keys.set(text, key);
  return key;
}
