import { graphql } from "../../../tools/graphql/graphql-http";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { ownerToken } from "../../support/sessions/owner";

/** The page that the link of an invitation opens. */

const EMAIL = "support@example.com";

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

/** Invites somebody. @returns the path and fragment of the link in the mail, below /dashboard */
async function invite(email: string): Promise<string> {
  const { node } = dashboard;
  const { errors } = await graphql(
    node,
    `mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { invitation { id } } }`,
    { input: { email, role: "SUPPORT" } },
    await ownerToken(node),
  );
  expect(errors).toBeUndefined();
  const [mail] = await smtp.mailsTo(email);
  const [, link] = /\/dashboard(\/#\/invitation\/\S+)/.exec(mail?.parsed.text ?? "") ?? [];
  if (link === undefined) throw new Error("the mail has no link");
  return link;
}

const choose = async ({ page }: DashboardPage, password: string, repeat = password) => {
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Password again").fill(repeat);
  await page.getByRole("button", { name: "Accept and sign in" }).click();
};

it("makes its receiver a member, who is signed in; the secret leaves the URL at once", async () => {
  const path = await invite(EMAIL);
  const tab = await dashboard.open({ token: null, path });
  await tab.showsPage("Accept the invitation");
  expect(tab.page.url()).not.toContain("#");
  expect(path).toMatch(/[\w-]{43}$/);
  await tab.check();
  await choose(tab, "correct horse", "correct house");
  await tab.shows("The two passwords are not the same.");
  await choose(tab, "short");
  await tab.shows(/too short|at least 8/);
  await tab.check();
  await choose(tab, "correct horse");
  await tab.showsPage("Overview");
  await tab.shows("Read only");
  await tab.click("Account menu");
  await tab.shows(`Signed in as ${EMAIL}`);
  await tab.check();
  await tab.click("Sign out");
  await tab.shows("You have signed out.");

  // The link works once, also in a tab that shows the dashboard.
  const again = await dashboard.open({ path: "/applications" });
  await again.page.evaluate(`location.hash = ${JSON.stringify(path.slice(1))}`);
  await again.showsPage("Accept the invitation");
  await choose(again, "another horse");
  await again.shows("is unknown, used or expired");
  await again.shows(/Ask the person who invited you/);
  await again.check();
  await again.click("Not now");
  await again.showsPage("Applications");
});
