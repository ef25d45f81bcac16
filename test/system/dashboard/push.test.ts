import type { Page } from "playwright-core";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type StandIns, startStandIns } from "../../../tools/stand-ins/start";
import { newStandInKeys } from "../../../tools/stand-ins/stored-keys";
import { type Dashboard, startDashboard } from "../../support/dashboard/dashboard-browser";
import { eventually } from "../../support/moving-clock";
import { newUser, type TestUser } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";

/** Pushes in a real browser, with the stand-ins of the push services. */

let dashboard: Dashboard;
let standIns: StandIns;
let owner: string;
let applicationId: string;
const users: TestUser[] = [];
const path = (rest = "") => `/applications/${applicationId}/push${rest}`;

const SET = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { warning } }`;
const CREATE = `mutation ($input: CreatePushEventInput!) {
  createPushEvent(input: $input) { events { id } } }`;

beforeAll(async () => {
  [dashboard, standIns] = await Promise.all([
    startDashboard({ ALLOW_PRIVATE_NETWORKS: "true" }, { jobsPollMs: 100 }),
    startStandIns(newStandInKeys(), { host: "127.0.0.1", apnsPort: 0, fcmPort: 0, webPort: 0 }),
  ]);
  const { node } = dashboard;
  applicationId = String(node.application.id);
  owner = await ownerToken(node);
  for (const _ of [1, 2, 3]) users.push(await newUser(node));
  const { apns, fcm } = standIns.credentials;
  const { service: _apple, kind: _kind, ...key } = apns;
  const serviceAccount = {
    type: "service_account",
    project_id: fcm.projectId,
    private_key: fcm.privateKey,
    client_email: fcm.clientEmail,
    token_uri: fcm.tokenUrl,
  };
  for (const credentials of [
    { apns: key },
    { fcm: { serviceAccount, baseUrl: fcm.baseUrl, ca: fcm.ca } },
  ]) {
    const input = { applicationId, environment: "PRODUCTION", ...credentials };
    const { errors } = await graphql(node, SET, { input }, owner);
    expect(errors).toBeUndefined();
  }
  const [first, second, third] = users.map(({ id }) => id);
  await node.sql(
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, token, updated_at)
      SELECT $1, user_id, channel::push_channel, 'production', platform::push_platform, token, token, now() FROM (VALUES
        ($2::int, 'gcm', 'android', 'token-' || repeat('x', 100)),
        ($3::int, 'gcm', 'android', 'code-0403' || repeat('x', 100)),
        ($3::int, 'apns', 'ios', '00000410' || repeat('a', 56)),
        ($4::int, 'apns', 'ios', repeat('b', 64))) AS d (user_id, channel, platform, token)`,
    [applicationId, first, second, third],
  );
  await node.sql(
    `INSERT INTO user_tags (user_id, application_id, tag, position)
      SELECT id, application_id, 'riders', 0 FROM users WHERE application_id = $1`,
    [applicationId],
  );
});
afterAll(async () => {
  await dashboard?.stop();
  await standIns?.close();
});

const events = () =>
  dashboard.node.sql<{ id: number; channel: string }>(
    "SELECT id, channel::text FROM push_events ORDER BY id",
  );

/** Adds an entry to the recipients with the keyboard. */
async function addRecipient(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name: label, exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

it("composes a push with a preview of each platform, sends it once, and shows each outcome with its reason", async () => {
  const tab = await dashboard.open({ path: path() });
  const { page } = tab;
  await tab.shows("No pushes yet");
  await tab.check();
  await page.getByRole("link", { name: "New push" }).first().click();
  await tab.showsPage("New push");

  // What is missing is said at the fields.
  await tab.click("Send …");
  await tab.shows("Enter at least one.");
  await tab.shows("Enter a title or a text.");
  await tab.shows("Nothing to preview yet");
  await tab.check();

  // Tags may have spaces.
  await addRecipient(page, "Tags", "nobody has: this");
  await page.getByText("nobody has: this", { exact: true }).waitFor();
  await tab.shows(/Nobody of these has a device here/);
  await page.keyboard.press("Backspace");
  await addRecipient(page, "Tags", "riders");
  await tab.shows("Reaches 4 devices of 3 users.");
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Line 4 is delayed");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await text.fill("Long ".repeat(900));
  await tab.shows(/is too large: [\d,]+ bytes/);
  await text.fill("The ferry leaves at 18:40.");
  await tab.click("More options");
  await page.getByLabel("Badge").fill("3");
  await page.getByLabel("Subtitle (Apple)").fill("Harbor line");
  const apple = page.getByRole("figure", { name: "How Apple shows it" });
  await apple.getByText("Harbor line").waitFor();
  await apple.getByText("Line 4 is delayed").waitFor();
  await apple.getByRole("img", { name: "Badge 3" }).waitFor();
  await page.getByRole("region", { name: "Payload for Apple" }).getByText('"badge": 3').waitFor();
  await page
    .getByRole("figure", { name: "How Android shows it" })
    .getByText("The ferry leaves at 18:40.")
    .waitFor();
  await tab.check();
  await page.getByRole("radiogroup", { name: "Colors of the preview" }).getByText("Dark").click();
  await tab.check();
  // Nothing of it was sent or stored, and leaving asks first.
  expect(await events()).toEqual([]);
  await page.getByRole("link", { name: "← Push" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await tab.check();
  await tab.click("Stay");

  await tab.click("Send …");
  await tab.shows(/It is sent at once to 4 devices of 3 users\./);
  await tab.check();
  await page.goBack();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await tab.click("Stay");
  await page.getByRole("button", { name: "Send now" }).dblclick();
  await tab.showsPage("Line 4 is delayed");
  const sent = await events();
  expect(sent.map(({ channel }) => channel)).toEqual(["apns", "gcm"]);
  expect(new URL(page.url()).pathname).toMatch(new RegExp(`/push/${sent[0]?.id},${sent[1]?.id}$`));

  // Each platform has its counts, and lists its deliveries.
  const ofAndroid = page.getByRole("region", { name: "Android", exact: true });
  const ofApple = page.getByRole("region", { name: "Apple", exact: true });
  await ofApple.getByText("finished").waitFor();
  await ofAndroid.getByText("finished").waitFor();
  await tab.shows("The app is no longer on the device");
  await ofAndroid.getByRole("button", { name: "Failed 1" }).click();
  await tab.shows("The device belongs to another Firebase project than the credentials");
  await tab.shows(/SENDER_ID_MISMATCH/);
  await tab.shows("Deliveries: Android");
  expect(await page.getByRole("table").getByRole("row").count()).toBe(2);
  expect(new URL(page.url()).searchParams.get("outcome")).toBe("FAILED");
  await tab.check();
  // While those of the other platform load, the list does not stay.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (route.request().postData()?.includes("query PushDeliveries")) await held;
    await route.continue();
  });
  await ofApple.getByRole("button", { name: "Accepted 1" }).click();
  await tab.shows("Deliveries: Apple");
  await page.getByRole("table").waitFor({ state: "detached" });
  release();
  await page.getByRole("table").waitFor();
  expect(standIns.fcm.received.items.filter(({ validateOnly }) => !validateOnly)).toHaveLength(2);
});

it("schedules a push with the keyboard alone, and watches it to its last outcome", async () => {
  const tab = await dashboard.open({ path: path("/new") });
  const { page } = tab;
  const { keyboard } = page;
  await page
    .getByRole("combobox", { name: "Choose users by" })
    .or(page.getByRole("textbox", { name: "Choose users by" }))
    .first()
    .focus();
  await keyboard.press("Enter");
  const ids = page.getByRole("option", { name: "their ids", exact: true });
  await ids.waitFor();
  // The list marks an option some time after it has opened, and takes keys before.
  while ((await ids.getAttribute("data-combobox-selected")) === null) {
    await keyboard.press("ArrowUp");
  }
  await keyboard.press("Enter");
  await page.getByRole("textbox", { name: "User ids" }).waitFor();
  await keyboard.press("Tab");
  await keyboard.type(String(users[0]?.id));
  await keyboard.press("Enter");
  await tab.shows("Reaches 1 device of 1 user.");
  await page.getByRole("textbox", { name: "Title", exact: true }).focus();
  await keyboard.type("Timetable");
  await page.getByRole("radio", { name: "Now" }).focus();
  await keyboard.press("ArrowRight");
  await page.getByLabel("Time", { exact: true }).fill("2090-01-01T08:00");
  await page.getByRole("button", { name: "Schedule …" }).focus();
  await keyboard.press("Enter");
  await page.locator("[data-autofocus]:focus").waitFor();
  await tab.shows(/Until then it can be stopped/);
  await keyboard.press("Enter");
  await tab.showsPage("Timetable");
  // A schedule has an event for each platform, since devices may be added.
  const ofAndroid = page.getByRole("region", { name: "Android", exact: true });
  await ofAndroid.getByRole("status").getByText("Live", { exact: true }).waitFor();
  await tab.click("Show deliveries: Android");
  await tab.shows("Deliveries: Android");
  await tab.shows("They are written when the push is due.");
  await tab.check();

  // It becomes due: the page shows each step without being loaded again.
  await page.evaluate("window.isTheSame = true");
  const id = (await events()).findLast(({ channel }) => channel === "gcm")?.id;
  await dashboard.node.sql(
    "UPDATE push_events SET next_run_at = now(), date = now() WHERE id = $1",
    [id],
  );
  await ofAndroid.getByRole("button", { name: "Accepted 1" }).waitFor();
  await page.getByRole("table").getByText("Accepted", { exact: true }).waitFor();
  await ofAndroid.getByText("finished").waitFor();
  expect(await page.evaluate("window.isTheSame")).toBe(true);
  await tab.check();
});

it("sends the JSON of one platform, and shows the service's words about it", async () => {
  // The link of a user's page names the user.
  const tab = await dashboard.open({ path: path(`/new?user=${users[2]?.id}`) });
  const { page } = tab;
  await tab.shows("Reaches 1 device of 1 user.");
  await page.getByText("One, as JSON").click();
  const json = page.getByRole("textbox", { name: "JSON", exact: true });
  await json.fill("{");
  await json.blur();
  await tab.shows(/This is no JSON/);
  await json.fill('{"aps": {"content-available": 1}}');
  await tab.shows("Shows nothing: it only wakes the app.");
  await page.getByLabel("Name (optional)").fill("x".repeat(300));
  await tab.shows(/name: is too long/);
  await tab.click("Send …");
  await tab.click("Send now");
  await tab.shows(/is too long \(maximum is 255 characters\)/);
  await tab.check();
  await page.getByRole("link", { name: "← Push" }).click();
  await tab.click("Leave the page");
  await tab.showsPage("Push");
  await tab.check();
});

it("an error in a hidden part of the form opens it, and takes the focus", async () => {
  const tab = await dashboard.open({ path: path(`/new?user=${users[2]?.id}`) });
  const { page } = tab;
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Line 4");
  await tab.click("More options");
  const data = page.getByLabel("Data for the app (JSON)");
  await data.fill("{");
  await tab.click("Fewer options");
  await data.waitFor({ state: "detached" });
  await tab.click("Send …");
  await tab.shows(/This is no JSON/);
  await tab.until("document.activeElement.dataset.path", "push-data");
  await tab.check();
});

it("a count of the recipients that has failed can be tried again", async () => {
  const tab = await dashboard.open({ path: path("/new") });
  const { page } = tab;
  await page.route("**/graphql", (route) => {
    if (!route.request().postData()?.includes("PushRecipients")) return route.continue();
    const error = { message: "Refused by the test", extensions: { code: "INTERNAL" } };
    return route.fulfill({ json: { errors: [error] } });
  });
  await addRecipient(page, "Tags", "riders");
  await tab.shows("Refused by the test");
  await tab.check();
  await page.unroute("**/graphql");
  await tab.click("Try again");
  await tab.shows(/^Reaches \d devices of \d users\.$/);
});

it("stops a schedule after asking, and filters the list", async () => {
  const input = {
    applicationId,
    environment: "PRODUCTION",
    name: "Every morning",
    message: { platform: { channel: "GCM", payload: { notification: { title: "Good morning" } } } },
    userIds: [String(users[0]?.id)],
    eventType: "PERIOD_DATE",
    date: "2090-01-01T08:00:00Z",
    period: 86_400,
  };
  const { errors } = await graphql(dashboard.node, CREATE, { input }, owner);
  expect(errors).toBeUndefined();
  const tab = await dashboard.open({ path: path("?state=SCHEDULED") });
  const { page } = tab;
  const list = page.getByRole("table", { name: "Pushes, newest first" });
  await list.getByRole("button", { name: "Stop “Every morning”" }).waitFor();
  await tab.check();
  await list.getByRole("button", { name: "Stop “Every morning”" }).click();
  await tab.shows("Stop this push?");
  await tab.check();
  await tab.click("Cancel");
  await list.getByRole("link", { name: "Every morning" }).click();
  await tab.showsPage("Every morning");
  await tab.shows("every 24 hours");
  await tab.click("Stop …");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await tab.shows("The push is stopped.");
  await tab.shows("stopped");
  await eventually(
    () => dashboard.node.sql("SELECT 1 FROM push_events WHERE stopped_at IS NOT NULL"),
    (rows) => rows.length === 1,
  );
  await page.getByRole("link", { name: "← Push" }).click();
  await page.getByText("Scheduled", { exact: true }).click();
  await list.getByRole("link", { name: "Timetable" }).first().waitFor();
  await list.getByRole("link", { name: "Every morning" }).waitFor({ state: "detached" });
  await page.getByText("Sending", { exact: true }).click();
  await tab.shows("No push matches");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await list.getByRole("link", { name: "Line 4 is delayed" }).first().waitFor();
  expect(page.url()).not.toContain("state=");
});

it("shows support everything on a phone in the dark, and no way to change it", async () => {
  const token = await memberToken(dashboard.node, "support");
  const tab = await dashboard.open({ path: path(), token, width: "phone", colorScheme: "dark" });
  const { page } = tab;
  const list = page.getByRole("list", { name: "Pushes, newest first" });
  await list.getByRole("link").first().waitFor();
  await tab.check();
  for (const name of [/^Stop/, /New push/]) {
    expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await page.getByRole("link", { name }).count()).toBe(0);
  }
  await list.getByRole("link", { name: "Line 4 is delayed" }).first().click();
  await tab.showsPage("Line 4 is delayed");
  await page.getByRole("list", { name: "Deliveries of this push" }).waitFor();
  expect(await page.getByRole("button", { name: /^Stop/ }).count()).toBe(0);
  await tab.check();
  await tab.goto(path("/new"));
  await tab.shows("Your role (support) is read-only");
  expect(await page.getByRole("button", { name: /Send/ }).count()).toBe(0);
  await tab.goto(path("/999999999"));
  await tab.showsPage("There is no such push");
  await tab.goto(path("?after=nothing"));
  await tab.shows("Request id");
  await tab.check();
});
