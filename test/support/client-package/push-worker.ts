import type { BrowserContext, Page, Worker } from "playwright-core";
import { eventually } from "../moving-clock";

/** What the service worker's global object has, as far as the tests use it. */
interface WorkerScope {
  dispatchEvent(event: Event): boolean;
  registration: ServiceWorkerRegistration;
  WindowClient: { prototype: { focus(): Promise<unknown> } };
  NotificationEvent: new (type: string, init: { notification: Notification }) => Event;
  ExtendableEvent: new (type: string) => Event;
  clients: { openWindow(url: string): Promise<unknown> };
}

/** A notification of the service worker. */
export type ShownNotification = Pick<
  Notification,
  "title" | "body" | "data" | "requireInteraction"
>;

/** Whether the user has clicked on a notification with a title, or the browser has replaced its subscription. */
export type Happening = { clicked: string } | "pushsubscriptionchange";

/** The service worker of a browser, once it runs. */
const workerOf = (browser: BrowserContext): Promise<Worker> =>
  eventually(
    () => browser.serviceWorkers()[0] as Worker,
    (worker) => worker !== undefined,
  );

/** Time after which a service worker counts as stopped, in milliseconds. Chromium stops one in which nothing happens. */
const STOPPED_MS = 20_000;

/** Evaluates in the service worker, and again in the next one if it was stopped meanwhile: then nobody answers. */
async function inWorker<T>(
  browser: BrowserContext,
  evaluate: (worker: Worker) => Promise<T>,
): Promise<T> {
  for (;;) {
    const worker = await workerOf(browser);
    let timer: NodeJS.Timeout | undefined;
    const stopped = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, STOPPED_MS, null);
    });
    const answer = await Promise.race([
      evaluate(worker).then((value) => ({ value })),
      stopped,
    ]).finally(() => clearTimeout(timer));
    if (answer) return answer.value;
  }
}

/**
 * Delivers a push to the service worker of a site, as the browser does after decrypting it.
 * @param page any page of the browser
 */
export async function deliver(page: Page, site: string, data: string): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    tools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === site && !isDeleted);
      if (own) resolve(own.registrationId);
    });
  });
  await tools.send("ServiceWorker.enable");
  const [{ origin }, registrationId] = [new URL(site), await registered];
  await tools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  await tools.detach();
}

/** The notifications that are shown, the oldest first. */
export async function notificationsOf(browser: BrowserContext): Promise<ShownNotification[]> {
  return inWorker(browser, (worker) =>
    worker.evaluate(async () => {
      const { registration } = globalThis as unknown as WorkerScope;
      const all = await registration.getNotifications();
      return all.map(({ title, body, data, requireInteraction }) => ({
        title,
        body,
        data,
        requireInteraction,
      }));
    }),
  );
}

/** Waits until a notification with a title is shown, and returns it. */
export async function waitForNotification(
  browser: BrowserContext,
  wanted: string,
): Promise<ShownNotification | undefined> {
  const isWanted = ({ title }: ShownNotification) => title === wanted;
  const all = await eventually(
    () => notificationsOf(browser),
    (shown) => shown.some(isWanted),
  );
  return all.find(isWanted);
}

/**
 * Tells the service worker what has happened in the browser. An event that a script builds cannot keep the worker
 * alive, and does not let it focus or open pages: what it waits for and what it would open is recorded instead.
 * @returns what the worker has done: `focus`, or the URL that it has opened
 */
export async function happens(browser: BrowserContext, happening: Happening): Promise<string[]> {
  return inWorker(browser, (worker) =>
    worker.evaluate(async (what) => {
      const scope = globalThis as unknown as WorkerScope;
      const done: string[] = [];
      scope.WindowClient.prototype.focus = async () => done.push("focus");
      scope.clients.openWindow = async (url) => done.push(url);
      let event: Event;
      if (typeof what === "string") event = new scope.ExtendableEvent(what);
      else {
        const all = await scope.registration.getNotifications();
        const notification = all.find(({ title }) => title === what.clicked);
        if (!notification) throw new Error(`no notification ${what.clicked}`);
        event = new scope.NotificationEvent("notificationclick", { notification });
      }
      const waits: Promise<unknown>[] = [];
      Object.assign(event, { waitUntil: (promise: Promise<unknown>) => waits.push(promise) });
      scope.dispatchEvent(event);
      await Promise.all(waits);
      return done;
    }, happening),
  );
}
