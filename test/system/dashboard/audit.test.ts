import { readFileSync } from "node:fs";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type Dashboard, startDashboard } from "../../support/dashboard/dashboard-browser";
import { memberToken, ownerToken } from "../../support/sessions/owner";

/** The audit log in a real browser. */

const CREATE = `mutation ($name: String!) {
  createApplication(input: { name: $name }) { application { id } } }`;
const UPDATE = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { id } } }`;

let dashboard: Dashboard;
let applicationId: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  const { node } = dashboard;
  const token = await ownerToken(node);
  const created = await graphql(node, CREATE, { name: "Field service" }, token);
  applicationId = created.data.createApplication.application.id;
  const change = (input: object) =>
    graphql(node, UPDATE, { input: { applicationId, ...input } }, token);
  await change({ signUpOpen: false, twitter: null });
  await change({ incomingCallPushDelaySeconds: 99 });
  const supporter = await memberToken(node, "support");
  await graphql(node, CREATE, { name: "Not allowed" }, supporter);
  // More than a page of the list, and more than a page of the export, of a member whose name begins like a formula.
  await node.sql(
    `INSERT INTO audit_entries (account_id, member_id, email, role, action, outcome, targets, fields, ip, request_id, created_at)
      SELECT account_id, member_id, '=1+1@members.example', role, 'exportUser', 'succeeded', targets, fields, ip, 'of-' || n,
        now() - interval '30 days' - n * interval '1 hour'
      FROM audit_entries, generate_series(1, 120) n WHERE action = 'createApplication' AND outcome = 'succeeded'`,
  );
});
afterAll(() => dashboard.stop());

it("says who changed what, when, from where and how it ended, by filters that the URL keeps", async () => {
  const tab = await dashboard.open({ path: "/audit" });
  const { page } = tab;
  await tab.showsPage("Audit log");
  const rows = page.getByRole("table", { name: "Changes, newest first" }).getByRole("row");
  await rows.filter({ hasText: "refused" }).getByText("Create an application").waitFor();
  await tab.check();

  await rows
    .filter({ hasText: "Change settings" })
    .filter({ hasText: "done" })
    .getByRole("button")
    .click();
  const details = page.getByRole("dialog", { name: "Change settings" });
  await details.getByText("The change was made.").waitFor();
  const text = await details.innerText();
  expect(text).toContain("owner@localhost, owner at that time");
  expect(text).toContain("127.0.0.1");
  expect(text).toMatch(/Anybody may sign up\s+off/);
  expect(text).toMatch(/Twitter\s+removed/);
  await tab.check();
  await details.getByRole("button", { name: "All changes of this application" }).click();
  await details.waitFor({ state: "hidden" });
  await rows.getByText("Create an application").first().waitFor();
  expect(new URL(page.url()).searchParams.get("application")).toBe(applicationId);
  await rows.filter({ hasText: "failed" }).getByRole("button").click();
  await tab.shows("The service did not accept what was sent. Nothing was changed.");
  await page.keyboard.press("Escape");

  // The link of a filtered page shows the same again.
  await page.reload();
  await page.getByRole("table").waitFor();
  const shown = page.getByRole("textbox", { name: "Show" });
  await shown.and(page.locator('[value="Field service"]')).waitFor();
  expect(await page.getByRole("table").innerText()).not.toContain("refused");

  // Key by key: the fields hold what is typed while the URL follows.
  await page.getByLabel("From").pressSequentially("01012001");
  await page.getByLabel("To", { exact: true }).pressSequentially("01022001");
  await tab.shows("No change matches");
  await page.waitForURL(/from=2001-01-01&to=2001-01-02/);
  expect(await page.getByLabel("From").inputValue()).toBe("2001-01-01");
  await tab.check();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await tab.until("document.querySelector('input[type=date]').value", "");
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByRole("button", { name: "Previous page" }).and(page.locator(":enabled")).waitFor();
  expect(new URL(page.url()).searchParams.get("after")).toMatch(/./);
});

it("is exported by a task that goes on while other pages are used", async () => {
  const token = await memberToken(dashboard.node, "support");
  const tab = await dashboard.open({ path: "/audit?action=exportUser", token });
  const { page } = tab;
  await page.getByRole("table").waitFor();
  // Every page of the export waits until it may go on.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (route.request().postData()?.includes('"first":100')) await held;
    await route.continue();
  });
  await tab.click("Export");
  await page.getByRole("menuitem", { name: /spreadsheet/ }).click();
  await tab.shows("Exporting the audit log");
  await page.getByRole("link", { name: "Applications", exact: true }).click();
  await tab.showsPage("Applications");
  await tab.check();
  const downloading = page.waitForEvent("download");
  release();
  const download = await downloading;
  const name = download.suggestedFilename();
  await tab.shows(`120 entries are in ${name}.`);
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(121);
  expect(lines[1]).toContain(`"'=1+1@members.example"`);
  expect(lines[1]).toContain('"Export a user’s data","exportUser"');
});

it("is read on a phone, in the dark and with the keyboard alone", async () => {
  const tab = await dashboard.open({ path: "/audit", width: "phone", colorScheme: "dark" });
  const { page } = tab;
  const first = page
    .getByRole("list", { name: "Changes, newest first" })
    .getByRole("button")
    .first();
  await first.waitFor();
  await tab.check();
  await first.focus();
  await page.keyboard.press("Enter");
  const details = page.getByRole("dialog");
  await details.getByText("Request id").waitFor();
  await tab.check();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "hidden" });
  // The focus returns to where it was.
  await page.locator("[aria-label^='Details of']:focus").waitFor();
});

it("shows the service's words and the id of the request when it fails", async () => {
  const tab = await dashboard.open({ path: "/audit?application=none" });
  await tab.shows(/is not an id/);
  await tab.shows("Request id");
  await tab.check();
  await tab.click("Clear filters");
  await tab.page.getByRole("table").waitFor();
});
