import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import {
  type Connection,
  disableWebPush,
  memoryStorage,
  openConnection,
  resumeWebPush,
  type WebPushOptions,
} from "../../../client/src/index.ts";
import { FakeService } from "../../support/client-package/fake-service";

/** Pages and the service worker of web push, with stand-ins of what a browser gives them. */

const WORKER = join(__dirname, "../../../client/service-worker/signalbox-sw.js");
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let service: FakeService;
let connection: Connection;
/** `navigator.serviceWorker` of the page. */
let container: EventTarget & { startMessages(): void };
let options: WebPushOptions;
const restore: (() => void)[] = [];

function setGlobal(name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { configurable: true, value });
  restore.push(() => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  });
}

beforeEach(async () => {
  jest.useFakeTimers();
  container = Object.assign(new EventTarget(), { startMessages() {} });
  setGlobal("navigator", { serviceWorker: container });
  setGlobal("PushManager", class {});
  setGlobal("Notification", { permission: "granted" });
  service = new FakeService();
  const { answer } = service;
  service.answer = (query) => {
    if (query.includes("createPushSubscription")) {
      return Response.json({ data: { createPushSubscription: { subscription: { id: "1" } } } });
    }
    if (query.includes("deletePushSubscription")) return Response.json({ data: {} });
    return query.includes("webPushKey")
      ? Response.json({
          data: { webPushKey: "AAAA" },
        })
      : answer(query);
  };
  const subscription = {
    options: { applicationServerKey: new Uint8Array(3).buffer },
    toJSON: () => ({ endpoint: "https://push.test/1", keys: { auth: "a", p256dh: "p" } }),
    async unsubscribe() {},
  };
  const pushManager = { getSubscription: async () => subscription };
  const active = Object.assign(new EventTarget(), { state: "activated" });
  const storage = memoryStorage();
  await storage.set(JSON.stringify({ udid: "browser", subscriptionId: "1" }));
  options = {
    serviceWorker: { pushManager, active } as unknown as ServiceWorkerRegistration,
    environment: "PRODUCTION",
    storage,
  };
  connection = openConnection(service.options());
});
afterEach(() => {
  connection.close();
  for (const each of restore.splice(0)) each();
  jest.useRealTimers();
});

/** The service worker sends the page a message. */
const tell = (data: unknown, ports: unknown[] = []) =>
  container.dispatchEvent(Object.assign(new Event("message"), { data, ports }));

test("the handlers of the last call hold, until web push is turned off", async () => {
  const received: string[] = [];
  const onPush = (name: string) => (content: unknown) => received.push(`${name} ${content}`);
  const push = (content: string) => tell({ type: "signalbox.push", content });
  await resumeWebPush(connection.session, { ...options, onPush: onPush("first") });
  await resumeWebPush(connection.session, { ...options, onPush: onPush("second") });
  push("one");
  expect(received).toEqual(["second one"]);
  await disableWebPush(connection.session, options);
  push("two");
  expect(received).toEqual(["second one"]);
});

/** A window as the service worker sees it. */
interface Window {
  visibilityState: string;
  postMessage(data: unknown, ports?: unknown[]): void;
}

/** A notification that the service worker shows. */
interface Shown {
  title: string;
  tag: string;
  body: string;
  silent: boolean;
  close(): void;
}

/** Delivers the push of a call that rings to the service worker. @returns the titles of what it shows */
async function ring(windows: Window[]): Promise<string[]> {
  return (await pushCalls(windows, {})).map(({ title }) => title);
}

/** Delivers pushes of one call to the service worker. @param calls what their `call` has besides the ring's @returns what it shows */
async function pushCalls(windows: Window[], ...calls: object[]): Promise<Shown[]> {
  const shown: Shown[] = [];
  const handlers = new Map<string, (event: object) => void>();
  class MessageChannel {
    readonly port1 = { onmessage: (_event: object) => {} };
    readonly port2 = { postMessage: (data: unknown) => this.port1.onmessage({ data }) };
  }
  const self = {
    registration: {
      scope: "https://app.test/",
      async getNotifications({ tag }: { tag: string }) {
        return shown.filter((each) => each.tag === tag);
      },
      async showNotification(title: string, options: Omit<Shown, "title">) {
        const close = () => shown.splice(shown.indexOf(notification), 1);
        const notification: Shown = { ...options, title, close };
        shown.push(notification);
      },
    },
    clients: { matchAll: async () => windows },
    navigator: {},
    addEventListener: (name: string, handler: (event: object) => void) =>
      handlers.set(name, handler),
  };
  runInNewContext(readFileSync(WORKER, "utf8"), { self, URL, MessageChannel, setTimeout, Date });
  const call = { callId: "c", callerName: "Ben", expiresAt: new Date(Date.now() + 60_000) };
  for (const each of calls) {
    const work: Promise<unknown>[] = [];
    handlers.get("push")?.({
      data: { text: () => JSON.stringify({ call: { ...call, ...each } }) },
      waitUntil: (promise: Promise<unknown>) => work.push(promise),
    });
    await pass(5_000);
    await Promise.all(work);
  }
  return shown;
}

test("a call rings by a notification unless a visible page follows pushes and is connected", async () => {
  const page = { visibilityState: "visible", postMessage: tell };
  const other = { visibilityState: "visible", postMessage() {} };
  expect(await ring([])).toEqual(["Ben"]);
  await resumeWebPush(connection.session, options);
  expect(await ring([page, other])).toEqual(["Ben"]);
  connection.signals.connect();
  await pass(10);
  expect(connection.signals.status).toBe("online");
  expect(await ring([other, page])).toEqual([]);
  expect(await ring([other])).toEqual(["Ben"]);
  expect(await ring([{ ...page, visibilityState: "hidden" }])).toEqual(["Ben"]);
  service.accepts = "none";
  service.sockets[0]?.end(1006);
  expect(await ring([page])).toEqual(["Ben"]);
});

test.each([
  ["ANSWERED_ELSEWHERE", "Answered on another device"],
  ["DECLINED_ELSEWHERE", "Declined on another device"],
  ["CANCELLED", "Missed call"],
  ["MISSED", "Missed call"],
])("the end of a call replaces its notification: %s", async (reason, body) => {
  const end = { type: "END", reason };
  expect(await pushCalls([], { type: "RING" })).toMatchObject([
    { title: "Ben", body: "Incoming call", silent: false },
  ]);
  expect(await pushCalls([], { type: "RING" }, end)).toMatchObject([
    { title: "Ben", body, tag: "call-c", silent: true },
  ]);
});

test("the end of a call leaves nothing on the screen beside a visible page", async () => {
  const page = { visibilityState: "visible", postMessage: tell };
  await resumeWebPush(connection.session, options);
  connection.signals.connect();
  await pass(10);
  expect(await pushCalls([page], { type: "END", reason: "ANSWERED_ELSEWHERE" })).toEqual([]);
});
