import { graphql } from "../../../tools/graphql/graphql-http";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { memberToken } from "../../support/sessions/owner";

/** The account in a real browser: members and invitations, the own sign-in, name and servers. */

const INVITED = "dana@example.com";
const MEMBERS = "Members of the account";

let smtp: TestSmtp;
let dashboard: Dashboard;
beforeAll(async () => {
  smtp = await startSmtp();
  dashboard = await startDashboard({ SMTP_URL: smtp.url });
});
afterAll(async () => {
  await dashboard?.stop();
  await smtp?.close();
});

const rowsOf = ({ page }: DashboardPage, list: string) =>
  page.getByRole("table", { name: list }).getByRole("row");

/** Whether a token is still one of a session. */
const isAlive = async (token: string): Promise<boolean> => {
  const { errors } = await graphql(dashboard.node, "{ currentMember { id } }", {}, token);
  return errors === undefined;
};

describe("an owner", () => {
  it("invites a member with a role in words, and withdraws an invitation", async () => {
    const tab = await dashboard.open({ path: "/account" });
    const { page } = tab;
    await rowsOf(tab, MEMBERS).filter({ hasText: "you" }).getByText("the only owner").waitFor();
    await tab.shows("No open invitations");
    await tab.check();

    await tab.click("Invite a member");
    await tab.shows(/Changes nothing\./);
    await tab.click("Invite");
    await tab.shows("Enter an e-mail address.");
    const email = page.getByRole("dialog").getByLabel("E-mail");
    await email.fill(dashboard.owner.email.replace("@localhost", "@"));
    await tab.click("Invite");
    await tab.shows("must be an e-mail address");
    await tab.check();
    await email.fill(INVITED);
    await page.getByRole("radio", { name: "Developer" }).check();
    await tab.click("Invite");
    await tab.shows(`${INVITED} is invited`);
    await tab.shows(/^A mail with the link is on its way\./);
    await tab.check();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    const [mail] = await smtp.mailsTo(INVITED);
    expect(mail?.parsed.text).toContain("with the role developer");
    const invitation = rowsOf(tab, "Open invitations").filter({ hasText: INVITED });
    await invitation.getByText("developer").waitFor();
    await invitation.getByText("in 23 hours").waitFor();
    await tab.check();

    await tab.click(`Withdraw the invitation to ${INVITED}`);
    await page
      .getByRole("dialog")
      .getByText(/stops working/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
    await tab.shows("No open invitations");
    expect(await dashboard.node.sql("SELECT id FROM account_invitations")).toEqual([]);
    // The focus stays where the entry was.
    await tab.until("document.activeElement.getAttribute('aria-label')", "Open invitations");
    await tab.check();
  });

  it("changes a role and removes a member, after being told what closes", async () => {
    const { node } = dashboard;
    const token = await memberToken(node, "developer");
    const developer = `developer-of-${node.application.id}@members.example`;
    const tab = await dashboard.open({ path: "/account" });
    const { page } = tab;
    const row = rowsOf(tab, MEMBERS).filter({ hasText: developer });
    await row.getByText("developer", { exact: true }).waitFor();
    await tab.click(`Change role of ${developer}`);
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Change role" }).isDisabled()).toBe(true);
    await page.getByRole("radio", { name: "Support" }).check();
    await dialog.getByText(/their live connections close/).waitFor();
    await tab.check();
    await dialog.getByRole("button", { name: "Change role" }).click();
    await row.getByText("support", { exact: true }).waitFor();
    const { data } = await graphql(node, "{ currentMember { role } }", {}, token);
    expect(data.currentMember.role).toBe("SUPPORT");

    await tab.click(`Remove ${developer}`);
    await dialog.getByText(/signed out everywhere at once/).waitFor();
    await tab.check();
    // The dialog shows the service's words.
    await page.route("**/graphql", (route) => {
      if (!route.request().postData()?.includes("RemoveMember")) return route.continue();
      const extensions = { code: "NOT_FOUND", requestId: "request-of-the-removal" };
      return route.fulfill({
        json: { errors: [{ message: "There is no such member", extensions }] },
      });
    });
    await dialog.getByRole("button", { name: "Remove the member" }).click();
    await dialog.getByText("There is no such member").waitFor();
    await dialog.getByText("request-of-the-removal").waitFor();
    await page.unroute("**/graphql");
    await dialog.getByRole("button", { name: "Remove the member" }).click();
    await row.waitFor({ state: "detached" });
    expect(await isAlive(token)).toBe(false);
    await tab.check();
  });

  it("names the account and its servers", async () => {
    const tab = await dashboard.open({ path: "/account?tab=details" });
    const { page } = tab;
    const api = page.getByLabel("API server");
    await page.getByLabel("Name", { exact: true }).fill("Moreau & Co");
    await api.fill("ftp://api.example");
    await tab.check();
    await tab.click("Save");
    await tab.shows("must be a URL that begins with http:// or https://");
    await api.fill("https://api.example");
    await tab.click("Save");
    await tab.shows("The account is saved.");
    const stored = () =>
      dashboard.node.sql("SELECT name, api_endpoint AS api FROM accounts WHERE name = $1", [
        "Moreau & Co",
      ]);
    expect(await stored()).toEqual([{ name: "Moreau & Co", api: "https://api.example" }]);
    // An empty field is this deployment again.
    await api.fill("");
    await tab.click("Save");
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    expect(await stored()).toEqual([{ name: "Moreau & Co", api: null }]);
    await tab.click("Account menu");
    await page.getByRole("dialog").getByText("Moreau & Co").waitFor();
    await tab.check();
  });
});

it.each([
  "support",
  "developer",
] as const)("%s sees the members without buttons, and settings that cannot be changed", async (role) => {
  await dashboard.node.sql(
    `INSERT INTO account_invitations (account_id, email, role, expires_at)
      SELECT account_id, $2, 'support', now() + interval '1 hour' FROM applications WHERE id = $1
      ON CONFLICT DO NOTHING`,
    [dashboard.node.application.id, "open@example.com"],
  );
  const tab = await dashboard.open({ path: "/account", role });
  const { page } = tab;
  await rowsOf(tab, MEMBERS).filter({ hasText: "you" }).getByText(role, { exact: true }).waitFor();
  await rowsOf(tab, "Open invitations").filter({ hasText: "open@example.com" }).waitFor();
  const main = page.getByRole("main");
  expect(await main.getByRole("button").count()).toBe(0);
  await tab.check();
  await page.getByRole("tab", { name: "Settings" }).click();
  await tab.shows("Only an owner may change these.");
  expect(await main.getByRole("textbox").count()).toBe(4);
  expect(await main.locator("input:enabled:visible").count()).toBe(0);
  await tab.check();
});

describe("the own sign-in", () => {
  it("changes by keyboard with the old password: address, then password, which ends other sessions", async () => {
    const { node, owner } = dashboard;
    const other = await memberToken(node, "owner");
    const tab = await dashboard.open({
      path: "/applications",
      width: "phone",
      colorScheme: "dark",
    });
    const { page } = tab;
    await page.getByRole("button", { name: "Account menu" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "My profile" }).focus();
    await page.keyboard.press("Enter");
    await tab.showsPage("Account");
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    const address = part("E-mail address");
    await address.getByLabel("E-mail").fill("Ann@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("wrong password");
    await page.keyboard.press("Enter");
    await address.getByText("is wrong").waitFor();
    await tab.check();
    await address.getByLabel("Current password").fill(owner.password);
    await page.keyboard.press("Enter");
    await tab.shows("You now sign in with ann@example.com.");

    const password = part("Password");
    await password.getByLabel("Current password").fill(owner.password);
    await password.getByLabel("New password", { exact: true }).fill("correct horse");
    await password.getByLabel("New password again").fill("correct house");
    await page.keyboard.press("Enter");
    await tab.shows("The two passwords are not the same.");
    await password.getByLabel("New password again").fill("correct horse");
    await page.keyboard.press("Enter");
    await tab.shows("The password is changed. Your other sessions have ended.");
    expect(await isAlive(other)).toBe(false);
    expect(await isAlive(`${await tab.token()}`)).toBe(true);
    await tab.check();

    await page.getByRole("tab", { name: "Members" }).click();
    await page
      .getByRole("list", { name: MEMBERS })
      .getByText("ann@example.com", { exact: true })
      .waitFor();
    await tab.check();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("API server").waitFor();
    await tab.check();
  });

  it("is signed out everywhere after a question, and not if the service does not do it", async () => {
    const { node } = dashboard;
    const other = await memberToken(node, "support");
    const token = await memberToken(node, "support");
    const tab = await dashboard.open({ path: "/account?tab=profile", token });
    const { page } = tab;
    await tab.shows(/everything except secrets/);
    await tab.click("Sign out everywhere …");
    const dialog = page.getByRole("dialog", { name: "Sign out everywhere" });
    await dialog.getByText(/in every browser and program/).waitFor();
    await tab.check();
    await page.route("**/graphql", (route) => route.abort());
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByRole("alert").getByText("The service does not answer").first().waitFor();
    expect(await tab.token()).toBe(token);
    await page.unroute("**/graphql");
    tab.takeProblems(/^Failed to load resource/);
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await tab.showsPage("Sign in");
    await tab.shows("You have signed out.");
    expect([await isAlive(token), await isAlive(other), await tab.token()]).toEqual([
      false,
      false,
      null,
    ]);
    await tab.check();
  });

  it("ends with the membership when an owner leaves", async () => {
    const { node } = dashboard;
    const [second] = await node.sql<{ id: number }>(
      `INSERT INTO account_members (account_id, email, password_hash, role)
        SELECT account_id, 'second@example.com', 'no hash', 'owner' FROM applications WHERE id = $1 RETURNING id`,
      [node.application.id],
    );
    const tab = await dashboard.open({ path: "/account" });
    await tab.click("Leave");
    await tab.shows(/only if another owner invites you/);
    await tab.click("Leave the account");
    await tab.showsPage("Sign in");
    const owners = await node.sql<{ id: number }>(
      "SELECT id FROM account_members WHERE role = 'owner'",
    );
    expect(owners).toEqual([{ id: second?.id }]);
    await tab.check();
  });
});
