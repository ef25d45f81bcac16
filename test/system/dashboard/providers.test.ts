import type { Page } from "playwright-core";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type StandIns, startStandIns } from "../../../tools/stand-ins/start";
import { newStandInKeys } from "../../../tools/stand-ins/stored-keys";
import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { certificateFor } from "../../support/push/push-credentials";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { startTwitter } from "../../support/sessions/providers";

/** The credentials of push services and sign-in providers in a real browser, with the services' stand-ins. */

const TWITTER = { consumerKey: "the-consumer", consumerSecret: "the-consumer-secret" };
let dashboard: Dashboard;
let standIns: StandIns;
let twitter: Awaited<ReturnType<typeof startTwitter>>;
let path: string;
/** Texts that no answer may hold. */
let secrets: string[];

beforeAll(async () => {
  [dashboard, standIns, twitter] = await Promise.all([
    startDashboard({ ALLOW_PRIVATE_NETWORKS: "true" }),
    startStandIns(newStandInKeys(), { host: "127.0.0.1", apnsPort: 0, fcmPort: 0, webPort: 0 }),
    startTwitter(TWITTER),
  ]);
  path = `/applications/${dashboard.node.application.id}/providers`;
  const { apns, fcm } = standIns.credentials;
  secrets = [apns.key, fcm.privateKey].map((key) => key.split("\n")[1] ?? "");
  secrets.push(TWITTER.consumerSecret, "a-wrong-secret");
});
afterAll(async () => {
  await dashboard?.stop();
  await Promise.all([standIns?.close(), twitter?.close()]);
});

/** Opens the page, and keeps the texts of all answers. */
async function open(options: Parameters<Dashboard["open"]>[0] = {}) {
  const tab = await dashboard.open({ path, ...options });
  const answers: Promise<string>[] = [];
  tab.page.on("response", (response) => {
    if (response.url().endsWith("/graphql")) answers.push(response.text().catch(() => ""));
  });
  return { tab, page: tab.page, answers: () => Promise.all(answers) };
}

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Chooses a file in a dialog, which reads it. */
async function choose(page: Page, name: string, text: string, nth = 0): Promise<void> {
  const file = { name, mimeType: "text/plain", buffer: Buffer.from(text) };
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").nth(nth).setInputFiles(file);
  await dialog.getByText(`Read from ${name}`).waitFor();
}

/** Fills in where the stand-in of a service is. */
async function fillAddress(page: Page, { baseUrl = "", ca = "" }): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "More options" }).click();
  await dialog.getByLabel("Address of the service").fill(baseUrl);
  await dialog.getByLabel("Certificate authority (PEM)").fill(ca);
}

const save = (tab: DashboardPage) => tab.click("Save");

it("sets Firebase's key from a file, tests it, and removes it after asking", async () => {
  const { fcm } = standIns.credentials;
  const { tab, page, answers } = await open();
  await tab.shows(/Without credentials, pushes to Android devices fail/);
  await tab.check();
  await tab.click("Set Firebase");
  await choose(page, "google-services.json", '{"project_info": {}}');
  await tab.shows("Read from google-services.json");
  await save(tab);
  await tab.shows(/is not a service account key: create one in the Firebase console/);
  await tab.check();
  const account = {
    type: "service_account",
    project_id: fcm.projectId,
    private_key: fcm.privateKey,
    client_email: fcm.clientEmail,
    token_uri: fcm.tokenUrl,
  };
  await choose(page, "key.json", JSON.stringify(account));
  await fillAddress(page, fcm);
  await tab.check();
  await save(tab);
  await tab.shows("Firebase: saved.");
  const firebase = section(page, "Firebase");
  await firebase.getByText(fcm.clientEmail).waitFor();
  await tab.click("Test Firebase");
  await firebase.getByText("Firebase Cloud Messaging accepts the credentials.").waitFor();
  await tab.check();
  await tab.click("Remove Firebase");
  await tab.shows(/It cannot be shown or restored/);
  await tab.check();
  await tab.click("Remove");
  await firebase.getByText("not set").waitFor();
  expect(await dashboard.node.sql("SELECT 1 FROM push_credentials")).toEqual([]);
  for (const text of await answers()) {
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

it("sets Apple's key, shows the service's words about a wrong one, and since when it is refused", async () => {
  const { apns } = standIns.credentials;
  const { tab, page } = await open();
  await tab.click("Set Apple");
  const dialog = page.getByRole("dialog");
  await save(tab);
  await dialog.getByText("is required").waitFor();
  await choose(page, `AuthKey_${apns.keyId}.p8`, apns.key);
  expect(await dialog.getByLabel("Key id").inputValue()).toBe(apns.keyId);
  await dialog.getByLabel("Team id").fill("WRONGTEAM1");
  await dialog.getByLabel("Bundle identifier").fill(apns.bundleId);
  await fillAddress(page, apns);
  await save(tab);
  await dialog.getByText(/InvalidProviderToken/).waitFor();
  await dialog.getByText("Request id").waitFor();
  await tab.check();
  await dialog.getByLabel("Team id").fill(apns.teamId);
  await save(tab);
  await tab.shows("Apple: saved.");
  await section(page, "Apple").getByText(apns.keyId).waitFor();

  await dashboard.node.sql(
    `UPDATE push_credentials SET refused_since = '2026-10-01T12:00:00Z', refused_reason = 'InvalidProviderToken'
      WHERE service = 'apns'`,
  );
  await page.reload();
  await tab.shows(/^Apple refuses these credentials since .*2026/);
  await tab.shows(/Apple refuses the key: it, its id and the team do not belong together/);
  await tab.check();
  // The service accepts them again.
  await tab.click("Test Apple");
  await tab.shows("Apple's push service accepts the credentials.");
  await page.getByText(/^Apple refuses these credentials since/).waitFor({ state: "detached" });
});

it("warns before a certificate expires, apart for each environment", async () => {
  const { node } = dashboard;
  const day = 86_400_000;
  const now = Date.now();
  const pair = certificateFor("com.example.app", new Date(now - day), new Date(now + 12.5 * day));
  const input = {
    applicationId: String(node.application.id),
    environment: "DEVELOPMENT",
    apns: pair,
    skipCheck: true,
  };
  const { errors } = await graphql(
    node,
    "mutation ($input: SetPushCredentialsInput!) { setPushCredentials(input: $input) { warning } }",
    { input },
    await ownerToken(node),
  );
  expect(errors).toBeUndefined();
  const { tab, page } = await open();
  await section(page, "Apple").getByText("Key of the developer account").waitFor();
  await page.getByText("Development", { exact: true }).click();
  await tab.shows("The certificate expires in 12 days. Set the next one before that.");
  await section(page, "Apple").getByText("expires soon").waitFor();
  expect(new URL(page.url()).searchParams.get("environment")).toBe("DEVELOPMENT");
  await tab.check();
});

it("generates a key pair for browsers with the keyboard alone", async () => {
  const { tab, page } = await open();
  const { keyboard } = page;
  await page.getByRole("button", { name: "Set Browsers" }).focus();
  await keyboard.press("Enter");
  const contact = page.getByLabel("Contact");
  await contact.waitFor();
  // The dialog takes the focus once, after it has opened.
  await tab.until("document.activeElement.closest('[role=dialog]') !== null", true);
  await contact.focus();
  await keyboard.type("somebody");
  await keyboard.press("Enter");
  await tab.shows(/must be a URL that begins with https/);
  await page.locator("input[aria-invalid=true]:focus").waitFor();
  await keyboard.press("Control+A");
  await keyboard.type("mailto:push@shop.example");
  await keyboard.press("Enter");
  await tab.shows("Browsers: saved.");
  await section(page, "Browsers").getByText("mailto:push@shop.example").waitFor();
  await tab.click("Replace Browsers");
  await tab.shows(/receive nothing until they subscribe again/);
  await page.getByText("Use my own").click();
  await tab.check();
  await page.getByText("Generate a new one").click();
  await page.getByLabel("Contact").fill("mailto:other@shop.example");
  await save(tab);
  await tab.shows(/It cannot be shown or restored/);
  await tab.click("Replace");
  await section(page, "Browsers").getByText("mailto:other@shop.example").waitFor();
});

it("sets a sign-in provider, tests it, changes its secret alone, and removes it", async () => {
  const { tab, page, answers } = await open({ path: `${path}?tab=sign-in` });
  await tab.shows("Off: nobody can sign in with Twitter.");
  await tab.check();
  await tab.click("Set Twitter");
  const dialog = page.getByRole("dialog");
  await save(tab);
  await dialog.getByText("is required").waitFor();
  await dialog.getByLabel("Consumer key").fill(TWITTER.consumerKey);
  await dialog.getByLabel("Consumer secret", { exact: true }).fill("a-wrong-secret");
  await dialog.getByRole("button", { name: "More options" }).click();
  await dialog.getByLabel("Address of the provider").fill(twitter.baseUrl);
  await tab.check();
  await save(tab);
  await tab.shows("Twitter: saved.");
  await tab.click("Test Twitter");
  await tab.shows(/^Twitter refuses the consumer key and the consumer secret/);
  await tab.click("Replace Twitter");
  await dialog.getByText("Leave it empty to keep the current one.").waitFor();
  expect(await dialog.getByLabel("Consumer key").inputValue()).toBe(TWITTER.consumerKey);
  await dialog.getByLabel("Consumer secret", { exact: true }).fill(TWITTER.consumerSecret);
  await save(tab);
  await tab.shows("The current secret. It cannot be shown or restored.");
  await tab.check();
  // Escape only answers the question.
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: /^Replace the secret/ }).waitFor({ state: "detached" });
  expect(await dialog.getByLabel("Consumer key").inputValue()).toBe(TWITTER.consumerKey);
  await save(tab);
  await tab.click("Replace");
  await page.getByRole("dialog", { name: /^Replace the secret/ }).waitFor({ state: "detached" });
  await dialog.waitFor({ state: "hidden" });
  await tab.click("Test Twitter");
  await tab.shows("Twitter accepts the consumer key and the consumer secret.");
  await tab.check();
  await tab.click("Remove Twitter");
  await tab.shows(/Users can no longer sign in with Twitter/);
  await tab.click("Remove");
  await tab.shows("Off: nobody can sign in with Twitter.");
  for (const text of await answers()) {
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

it("shows support what is set on a phone in the dark, and no way to change it", async () => {
  const token = await memberToken(dashboard.node, "support");
  const { tab, page } = await open({ token, width: "phone", colorScheme: "dark" });
  await section(page, "Apple").getByText("Bundle identifier").waitFor();
  await tab.check();
  const change = page.getByRole("button", { name: /^(Set|Replace|Test|Remove) / });
  expect(await change.count()).toBe(0);
  await page.getByRole("tab", { name: "Sign-in" }).click();
  await tab.shows("Off: nobody can sign in with Facebook.");
  expect(await change.count()).toBe(0);
  await tab.check();
  await tab.goto("/applications/999999/providers");
  await tab.shows("Request id");
  await tab.check();
});
