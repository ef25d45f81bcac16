import {
  createPushSubscription,
  deletePushSubscription,
  type PushDevice,
  type PushEnvironment,
  webPushKey,
} from "../data/push.ts";
import { SignalboxError } from "../errors.ts";
import { randomId } from "../random-id.ts";
import type { Session } from "../session/session.ts";
import { type TokenStorage, webStorage } from "../session/storage.ts";
import {
  activeRegistration,
  isWebPushSupported,
  requestPermission,
  subscribeBrowser,
  unsubscribeBrowser,
} from "./browser-push.ts";

/** Options of web push. Of several calls for a session, the handlers of the last one hold. */
export interface WebPushOptions {
  /** URL of the copied signalbox-sw.js, or the registration of a service worker of the application's own. */
  readonly serviceWorker: string | URL | ServiceWorkerRegistration;
  readonly environment: PushEnvironment;
  /** Called with the content of each push while the page is open, visible or not. */
  readonly onPush?: (content: unknown) => void;
  /** Called with the `data` of a notification on which the user has clicked, if a page was open. */
  readonly onClick?: (data: unknown) => void;
  /** Keeps the id of this browser and its subscription; localStorage by default. */
  readonly storage?: TokenStorage;
}

/** What is kept between visits. */
interface Stored {
  /** Identifies this browser at the service, for good. */
  readonly udid: string;
  /** Id of its subscription at the service; null while web push is off. */
  readonly subscriptionId: string | null;
}

/** Messages of signalbox-sw.js. */
const MESSAGES = {
  push: "signalbox.push",
  click: "signalbox.click",
  change: "signalbox.change",
  /** Asks whether this page rings by itself. */
  ring: "signalbox.ring",
};

/** The sessions whose pages follow their service worker. */
const followed = new WeakMap<Session, { options: WebPushOptions; readonly stop: () => void }>();

/**
 * Turns push notifications on in this browser, for the signed-in user. Call it when the user clicks, because it asks for
 * the permission; and `resumeWebPush` at each later start of the page.
 * @example
 * ```ts
 * import { enableWebPush, isWebPushSupported } from "@signalbox/client";
 *
 * // When the user clicks.
 * if (isWebPushSupported()) {
 *   const options = { serviceWorker: "/signalbox-sw.js", environment: "PRODUCTION" as const };
 *   await enableWebPush(signalbox.session, options);
 * }
 * ```
 * @throws SignalboxError UNSUPPORTED for a browser without web push or an application without a VAPID key,
 *   PERMISSION_DENIED, INVALID for a service worker that cannot be registered, NETWORK
 */
export async function enableWebPush(
  session: Session,
  options: WebPushOptions,
): Promise<PushDevice> {
  await requestPermission();
  return subscribe(session, options);
}

/**
 * Keeps push notifications on at the start of a page, without asking: renews what the browser has changed, subscribes
 * again after a change of the VAPID key, and moves the subscription to the user who is signed in.
 * @example
 * ```ts
 * import { resumeWebPush } from "@signalbox/client";
 *
 * await resumeWebPush(signalbox.session, {
 *   serviceWorker: "/signalbox-sw.js",
 *   environment: "PRODUCTION",
 *   onPush: (content) => console.log(content),
 * });
 * ```
 * @returns null if web push is off in this browser
 * @throws SignalboxError
 */
export async function resumeWebPush(
  session: Session,
  options: WebPushOptions,
): Promise<PushDevice | null> {
  if (!isWebPushSupported() || Notification.permission !== "granted") return null;
  const { subscriptionId } = await readStored(storageOf(options));
  return subscriptionId === null ? null : subscribe(session, options);
}

/**
 * Turns push notifications off in this browser. Call it before the user signs out.
 * @example
 * ```ts
 * import { disableWebPush, isWebPushSupported } from "@signalbox/client";
 *
 * if (isWebPushSupported()) {
 *   await disableWebPush(signalbox.session, { serviceWorker: "/signalbox-sw.js" });
 * }
 * ```
 * @throws SignalboxError; the browser receives nothing more even then
 */
export async function disableWebPush(
  session: Session,
  options: Pick<WebPushOptions, "serviceWorker" | "storage">,
): Promise<void> {
  followed.get(session)?.stop();
  const storage = storageOf(options);
  const { udid, subscriptionId } = await readStored(storage);
  await unsubscribeBrowser(options.serviceWorker);
  await write(storage, { udid, subscriptionId: null });
  if (subscriptionId === null) return;
  await deletePushSubscription(session, subscriptionId).catch((error) => {
    if (!(error instanceof SignalboxError) || error.code !== "NOT_FOUND") throw error;
  });
}

async function subscribe(session: Session, options: WebPushOptions): Promise<PushDevice> {
  const { environment, serviceWorker } = options;
  const vapidKey = await webPushKey(session, environment);
  if (vapidKey === null) {
    throw new SignalboxError("UNSUPPORTED", `The application has no web push key (${environment})`);
  }
  const registration = await activeRegistration(serviceWorker);
  const { endpoint, keys } = (await subscribeBrowser(registration, vapidKey)).toJSON();
  const storage = storageOf(options);
  const { udid } = await readStored(storage);
  const device = await createPushSubscription(session, {
    channel: "WEB",
    platform: "WEB",
    environment,
    udid,
    web: { endpoint: endpoint ?? null, auth: keys?.auth ?? null, p256dh: keys?.p256dh ?? null },
  });
  await write(storage, { udid, subscriptionId: device.id });
  follow(session, options);
  return device;
}

/** Passes messages of the service worker on, until web push is turned off or the session ends. */
function follow(session: Session, options: WebPushOptions): void {
  const present = followed.get(session);
  if (present) {
    present.options = options;
    return;
  }
  const receive = ({ data, ports }: MessageEvent) => {
    const current = following.options;
    if (data?.type === MESSAGES.push) current.onPush?.(data.content);
    else if (data?.type === MESSAGES.click) current.onClick?.(data.data);
    else if (data?.type === MESSAGES.ring && session.isConnected) ports[0]?.postMessage(true);
    // Fails when the service is away; the next start of the page does it again.
    else if (data?.type === MESSAGES.change) resumeWebPush(session, current).catch(() => {});
  };
  navigator.serviceWorker.addEventListener("message", receive);
  navigator.serviceWorker.startMessages();
  const stop = () => {
    off();
    followed.delete(session);
    navigator.serviceWorker.removeEventListener("message", receive);
  };
  const off = session.on("ended", stop);
  const following = { options, stop };
  followed.set(session, following);
}

const storageOf = ({ storage }: Pick<WebPushOptions, "storage">): TokenStorage =>
  storage ?? webStorage(localStorage, "signalbox.push");

async function readStored(storage: TokenStorage): Promise<Stored> {
  try {
    const { udid, subscriptionId } = JSON.parse((await storage.get()) ?? "") as Partial<Stored>;
    if (udid) return { udid, subscriptionId: subscriptionId ?? null };
  } catch {
    // Nothing was stored, or not by this version.
  }
  return { udid: randomId(), subscriptionId: null };
}

async function write(storage: TokenStorage, stored: Stored): Promise<void> {
  await storage.set(JSON.stringify(stored));
}
