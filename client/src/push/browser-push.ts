import { SignalboxError } from "../errors.ts";

/**
 * The permission to show notifications, asked for if the user has not decided yet. Browsers ask only while the page
 * handles a click, so nothing may be awaited before.
 * @throws SignalboxError UNSUPPORTED, PERMISSION_DENIED
 */
export async function requestPermission(): Promise<void> {
  if (!isWebPushSupported()) {
    throw new SignalboxError(
      "UNSUPPORTED",
      "This page has no web push: it needs TLS, or the app on the home screen",
    );
  }
  const permission = await Notification.requestPermission();
  if (permission !== "granted") {
    throw new SignalboxError("PERMISSION_DENIED", "The user does not allow notifications");
  }
}

/**
 * Whether this page can receive push notifications, if the user allows it.
 * @example
 * ```ts
 * import { isWebPushSupported } from "@signalbox/client";
 *
 * if (!isWebPushSupported()) console.log("On iOS, add this page to the home screen");
 * ```
 */
export function isWebPushSupported(): boolean {
  return (
    globalThis.navigator !== undefined &&
    "serviceWorker" in navigator &&
    "PushManager" in globalThis &&
    "Notification" in globalThis
  );
}

/**
 * The registration of a service worker, once it is active.
 * @param serviceWorker URL of its script, or a registration of the application's own
 * @throws SignalboxError INVALID if its script cannot be loaded or fails
 */
export async function activeRegistration(
  serviceWorker: string | URL | ServiceWorkerRegistration,
): Promise<ServiceWorkerRegistration> {
  try {
    const registration = isRegistration(serviceWorker)
      ? serviceWorker
      : await navigator.serviceWorker.register(serviceWorker);
    await activation(registration);
    return registration;
  } catch (cause) {
    throw new SignalboxError("INVALID", "The service worker cannot be registered", { cause });
  }
}

/** Waits until a worker of the registration is active; a subscription needs one. */
function activation({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = active ?? waiting ?? installing;
  return new Promise((resolve, reject) => {
    const check = () => {
      const isOver = worker === null || worker.state === "redundant";
      if (isOver) reject(new Error("The service worker has failed"));
      else if (worker.state === "activated" || worker.state === "activating") resolve();
      else return;
      worker?.removeEventListener("statechange", check);
    };
    worker?.addEventListener("statechange", check);
    check();
  });
}

/**
 * The browser's subscription for a VAPID key. One for another key is replaced, because the push service refuses what
 * the application now signs.
 * @throws SignalboxError PERMISSION_DENIED, NETWORK
 */
export async function subscribeBrowser(
  { pushManager }: ServiceWorkerRegistration,
  vapidKey: string,
): Promise<PushSubscription> {
  const key = bytesOf(vapidKey);
  try {
    const existing = await pushManager.getSubscription();
    if (existing && isEqual(key, existing.options.applicationServerKey)) return existing;
    await existing?.unsubscribe();
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (cause) {
    if ((cause as Error).name === "NotAllowedError") {
      throw new SignalboxError("PERMISSION_DENIED", "The user does not allow notifications", {
        cause,
      });
    }
    throw new SignalboxError("NETWORK", "The browser's push service does not answer", { cause });
  }
}

/** Ends the browser's subscription, if there is one. @throws SignalboxError NETWORK */
export async function unsubscribeBrowser(
  serviceWorker: string | URL | ServiceWorkerRegistration,
): Promise<void> {
  if (!isWebPushSupported()) return;
  try {
    const registration = isRegistration(serviceWorker)
      ? serviceWorker
      : await navigator.serviceWorker.getRegistration(serviceWorker);
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  } catch (cause) {
    throw new SignalboxError("NETWORK", "The browser's push service does not answer", { cause });
  }
}

const isRegistration = (
  serviceWorker: string | URL | ServiceWorkerRegistration,
): serviceWorker is ServiceWorkerRegistration =>
  typeof serviceWorker === "object" && "pushManager" in serviceWorker;

/** The bytes of a text in base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
}

function isEqual(key: Uint8Array, other: ArrayBuffer | null): boolean {
  if (other?.byteLength !== key.length) return false;
  const bytes = new Uint8Array(other);
  return key.every((byte, index) => byte === bytes[index]);
}
