import type { BrowserContext, Page } from "playwright-core";
import type { PushDevice, Signalbox } from "../../../client/src/index.ts";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openBrowser } from "../../support/calls/browser";
import { newSessionId, send } from "../../support/calls/calls";
import { BrowserPushService } from "../../support/client-package/browser-push-service";
import { type PushSite, servePushSite } from "../../support/client-package/push-page";
import {
  deliver,
  happens,
  notificationsOf,
  waitForNotification,
} from "../../support/client-package/push-worker";
import { eventually, HOUR } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { vapidPair } from "../../support/push/push-credentials";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/**
 * Web push in Chromium, with push.ts of docs/FRONTEND.md and the service worker of the package. Stand-ins replace the
 * push service, which checks and decrypts what the node sends, and the clicks of users on notifications.
 */

interface PushWindow {
  push: {
    enable(): Promise<PushDevice>;
    resume(): Promise<PushDevice | null>;
    disable(): Promise<void>;
  };
  signalbox: Signalbox;
}

let node: TestNode;
let site: PushSite;
let browser: BrowserContext & { dispose(): Promise<void> };
let ann: TestUser;
let ben: TestUser;
const service = new BrowserPushService();
const errors: string[] = [];

beforeAll(async () => {
  node = await startNode({ ALLOW_PRIVATE_NETWORKS: "true" }, { jobsPollMs: 100 });
  site = await servePushSite(node);
  browser = await openBrowser();
  await service.serve(browser);
  ann = await newUser(node);
  ben = await newUser(node, { full_name: "Ben Gray" });
  site.token = ann.token;
  await setKey();
});
afterEach(async () => {
  for (const page of browser.pages().slice(1)) await page.close();
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.dispose();
  await service.close();
  await site?.close();
  await node?.stop();
});

const SET = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { warning } }`;

/** Gives the application a new VAPID key. @param warning what the service says about it */
async function setKey(warning: unknown = null): Promise<string> {
  const web = { ...vapidPair(), subject: "mailto:push@shop.example", ca: service.ca };
  const input = { applicationId: String(node.application.id), environment: "PRODUCTION", web };
  const { data, errors } = await graphql(node, SET, { input }, await ownerToken(node));
  expect(data ?? errors).toEqual({ setPushCredentials: { warning } });
  return web.publicKey;
}

/** A page of the web app, with the texts that it prints. */
async function openPage(): Promise<{ page: Page; printed: string[] }> {
  const page = await browser.newPage();
  const printed: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", async (message) => {
    const parts = await Promise.all(message.args().map((each) => each.jsonValue()));
    printed.push(parts.map((each) => JSON.stringify(each)).join(" "));
  });
  await load(page);
  return { page, printed };
}

async function load(page: Page): Promise<void> {
  await page.goto(site.url);
  await page.waitForFunction("window.push !== undefined");
}

const enable = (page: Page) => page.evaluate(() => (window as unknown as PushWindow).push.enable());
const resume = (page: Page) => page.evaluate(() => (window as unknown as PushWindow).push.resume());
const disable = (page: Page) =>
  page.evaluate(() => (window as unknown as PushWindow).push.disable());

const allow = () => browser.grantPermissions(["notifications"], { origin: site.url });

/** A page on which web push is on. */
async function openEnabled() {
  await allow();
  const opened = await openPage();
  return { ...opened, device: await enable(opened.page) };
}

/** A user's devices at the service. */
async function devicesOf({ token }: TestUser) {
  const { body } = await rest(node, "GET", "/subscriptions", { token });
  return body.map(({ subscription }: { subscription: unknown }) => subscription);
}

const SEND = `mutation ($input: CreatePushEventInput!) {
  createPushEvent(input: $input) { events { channel } } }`;

/** What the browser's push service has decrypted after an act that sends a push. */
async function received(act: () => Promise<unknown>): Promise<string> {
  const before = service.received.length;
  await act();
  const pushes = await eventually(
    () => service.received,
    ({ length }) => length > before,
  );
  const { status, text, device } = pushes.at(-1)!;
  expect(status).toBe(201);
  expect(service.current?.endpoint).toMatch(new RegExp(`/${device}$`));
  return text ?? "";
}

/** Sends a push to a user, and returns what the browser's push service has decrypted. */
const sendPush = (user: TestUser, notification: object) =>
  received(async () => {
    const input = { environment: "PRODUCTION", message: { notification }, userIds: [`${user.id}`] };
    const { data, errors } = await graphql(node, SEND, { input }, ben.token);
    expect(data ?? errors).toEqual({ createPushEvent: { events: [{ channel: "WEB" }] } });
  });

test("a user who does not allow notifications is PERMISSION_DENIED, and nothing is subscribed", async () => {
  await browser.clearPermissions();
  const { page } = await openPage();
  const code = await page.evaluate(() =>
    (window as unknown as PushWindow).push.enable().catch(({ code }) => code),
  );
  expect(code).toBe("PERMISSION_DENIED");
  expect(await resume(page)).toBeNull();
  expect(service.count).toBe(0);
  expect(await devicesOf(ann)).toEqual([]);
});

test("a browser has one subscription at the service, however often it enables and resumes", async () => {
  const { page, device } = await openEnabled();
  expect(device).toMatchObject({ channel: "WEB", platform: "WEB", environment: "PRODUCTION" });
  const { id, udid } = device;
  expect(await enable(page)).toMatchObject({ id, udid });
  await load(page);
  expect(await resume(page)).toMatchObject({ id, udid });
  expect(await enable(page)).toMatchObject({ id, udid });
  expect(service.count).toBe(1);
  expect(await devicesOf(ann)).toMatchObject([{ id: Number(id), device: { udid } }]);
});

test("a push is decrypted, shown, passed to the open page, and reports the click", async () => {
  const { page, printed } = await openEnabled();
  const data = { url: "/orders/7", order: 7 };
  const text = await sendPush(ann, { title: "Order 7", body: "On its way", data });
  await deliver(page, site.url, text);
  expect(await waitForNotification(browser, "Order 7")).toMatchObject({ body: "On its way", data });
  expect(JSON.parse(text)).toMatchObject({ title: "Order 7", body: "On its way", data });
  const received = `"received" ${JSON.stringify(JSON.parse(text))}`;
  await eventually(
    () => printed,
    (lines) => lines.includes(received),
  );
  expect(await happens(browser, { clicked: "Order 7" })).toEqual(["focus"]);
  await eventually(
    () => printed,
    (lines) => lines.length === 2,
  );
  expect(printed).toEqual([received, `"clicked" ${JSON.stringify(data)}`]);
  expect(await notificationsOf(browser)).toEqual([]);
});

/** Checks that a push reaches the browser's present subscription, the only one of a user. */
async function expectReached(user: TestUser, title: string): Promise<void> {
  expect(JSON.parse(await sendPush(user, { title }))).toMatchObject({ title });
  expect(await devicesOf(user)).toHaveLength(1);
}

test("a subscription that the browser has replaced is replaced at the service, by the open page", async () => {
  const { device } = await openEnabled();
  const before = service.count;
  service.current = null;
  await happens(browser, "pushsubscriptionchange");
  await eventually(
    () =>
      node.sql<{ token: string }>("SELECT token FROM push_subscriptions WHERE id = $1", [
        device.id,
      ]),
    ([row]) => row !== undefined && row.token === service.current?.endpoint,
  );
  expect(service.count).toBe(before + 1);
  await expectReached(ann, "After the change");
});

test("a new VAPID key of the application replaces the subscription at the next start", async () => {
  const { page, device } = await openEnabled();
  const [before, old] = [service.count, service.current];
  const key = await setKey(expect.stringContaining("key has changed"));
  await load(page);
  expect(await resume(page)).toMatchObject({ id: device.id, udid: device.udid });
  expect(service.count).toBe(before + 1);
  expect(service.current).toMatchObject({ key });
  expect(service.current?.endpoint).not.toBe(old?.endpoint);
  await expectReached(ann, "By the new key");
});

test("the subscription moves to the user who signs in", async () => {
  const { page, device } = await openEnabled();
  site.token = ben.token;
  try {
    await load(page);
    expect(await resume(page)).toMatchObject({ udid: device.udid });
    expect(await devicesOf(ann)).toEqual([]);
    await expectReached(ben, "To Ben");
  } finally {
    site.token = ann.token;
  }
});

test("web push that is turned off is off in the browser and at the service, until it is enabled again", async () => {
  const { page, device } = await openEnabled();
  await disable(page);
  expect(service.current).toBeNull();
  expect(await devicesOf(ann)).toEqual([]);
  await load(page);
  expect(await resume(page)).toBeNull();
  expect(await devicesOf(ann)).toEqual([]);
  await disable(page);
  expect(await enable(page)).toMatchObject({ udid: device.udid });
  await expectReached(ann, "On again");
});

const UPDATE = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) {
  application { incomingCallPush } } }`;

test("a call rings by a notification unless a visible page is connected, and its click opens the app", async () => {
  const settings = { incomingCallPush: true, incomingCallPushDelaySeconds: 0 };
  const input = { applicationId: String(node.application.id), ...settings };
  await graphql(node, UPDATE, { input }, await ownerToken(node));
  const { page } = await openEnabled();
  await page.evaluate(() => (window as unknown as PushWindow).signalbox.signals.connect());
  await page.waitForFunction("signalbox.signals.status === 'online'");
  const callId = newSessionId();
  const text = await received(() => send(node, ben, ann, "call", callId));
  const { call } = JSON.parse(text);
  expect(call).toMatchObject({ callId, callType: "VIDEO", callerName: "Ben Gray" });
  const deliverAt = (expiresAt: number) => {
    const content = { ...JSON.parse(text), call: { ...call, expiresAt: new Date(expiresAt) } };
    return deliver(page, site.url, JSON.stringify(content));
  };
  const [later, earlier] = [Date.now() + HOUR, Date.now() - HOUR];

  await deliverAt(later);
  await deliver(page, site.url, '{"title":"The next push"}');
  await waitForNotification(browser, "The next push");
  expect(await notificationsOf(browser)).toMatchObject([{ title: "The next push" }]);

  await page.goto("about:blank");
  await deliverAt(later);
  expect(await waitForNotification(browser, "Ben Gray")).toMatchObject({
    body: "Incoming video call",
    requireInteraction: true,
    data: { callId },
  });
  await deliverAt(earlier);
  const [, missed] = await eventually(
    () => notificationsOf(browser),
    (all) => all.some(({ body }) => body === "Missed video call"),
  );
  expect(missed).toMatchObject({ title: "Ben Gray", requireInteraction: false });
  expect(await notificationsOf(browser)).toHaveLength(2);
  expect(await happens(browser, { clicked: "Ben Gray" })).toEqual([site.url]);
});

test.each([
  ["of the app", "/orders/7", "orders/7"],
  ["of another site", "https://elsewhere.example/", ""],
])("a click while no page is open opens the URL of the push if it is one of the app: %s", async (title, url, opened) => {
  const { page } = await openEnabled();
  await page.goto("about:blank");
  await deliver(page, site.url, JSON.stringify({ title, data: { url } }));
  await waitForNotification(browser, title);
  expect(await happens(browser, { clicked: title })).toEqual([`${site.url}${opened}`]);
});
