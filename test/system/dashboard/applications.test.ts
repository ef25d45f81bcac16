import { type Dashboard, startDashboard } from "../../support/dashboard/dashboard-browser";
import { eventually } from "../../support/moving-clock";
import { rest, signedParameters } from "../../support/rest-client";

/** The pages of applications in a real browser: the model of all pages. */

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

it("an application is created, changed, and deleted with its name typed", async () => {
  const tab = await dashboard.open({ path: "/applications" });
  const { page } = tab;
  await tab.showsPage("Applications");
  await tab.check();
  const search = page.getByRole("searchbox", { name: "Search by name or id" });
  await search.pressSequentially("nothing has this name");
  await tab.shows("No application matches");
  expect(await search.inputValue()).toBe("nothing has this name");
  await search.fill("");
  await tab.click("New application");
  await tab.click("Create");
  await tab.shows("Enter a name.");
  const field = page.getByRole("dialog").getByLabel("Name");
  await field.fill("x".repeat(300));
  await tab.click("Create");
  // The service's reason stands at the field, and what was typed stays.
  await tab.shows(/is too long/);
  expect(await field.inputValue()).toHaveLength(300);
  await tab.check();
  await field.fill("Field service");
  await tab.click("Create");
  await tab.showsPage("Field service");

  await page.getByLabel("Anybody may sign up").click({ force: true });
  await page.getByLabel("Seconds before the push").fill("31");
  await tab.shows("Changes are not saved yet.");
  await tab.click("Save");
  await page.getByText(/must be/).waitFor();
  await page.getByLabel("Seconds before the push").fill("5");
  await tab.check();
  await tab.click("Save");
  await tab.shows("The settings are saved.");
  const [stored] = await dashboard.node.sql<{ open: boolean; delay: number }>(
    `SELECT sign_up_open AS open, incoming_call_push_delay_seconds AS delay FROM applications WHERE name = 'Field service'`,
  );
  expect(stored).toEqual({ open: false, delay: 5 });

  await page.getByRole("tab", { name: "Delete" }).click();
  await tab.click("Delete the application …");
  const confirm = page.getByRole("button", { name: "Delete for good" });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type “Field service” to confirm").fill("Field service");
  await tab.check();
  await confirm.click();
  await tab.showsPage("Applications");
  await tab.shows("Field service was deleted.");
  await page.getByRole("link", { name: "Field service" }).waitFor({ state: "detached" });
  await tab.check();
});

it("the secret is replaced with an overlap, in which both work", async () => {
  const { node } = dashboard;
  const { authSecret } = node.application;
  const tab = await dashboard.open({ path: "/applications/1/settings?tab=keys" });
  const { page } = tab;
  const shown = page.getByTestId("value of auth_secret");
  await tab.click("Show auth_secret");
  await shown.getByText(authSecret).waitFor();
  await tab.click("Replace the secret …");
  const dialog = page.getByRole("dialog", { name: "Replace the secret" });
  const overlap = dialog.getByRole("textbox", { name: "The old secret stays valid for" });
  await overlap.click();
  await page.getByRole("option", { name: "no time: it stops at once" }).click();
  await dialog.getByText(/is refused from now on/).waitFor();
  await tab.check();
  await overlap.click();
  await page.getByRole("option", { name: "7 days" }).click();
  await dialog.getByText(/is refused from now on/).waitFor({ state: "detached" });
  await tab.click("Replace");
  await tab.shows("The application has a new secret.");
  await tab.shows(/The previous secret stays valid until/);
  // The old one is no longer on the page.
  await page.getByText(authSecret).waitFor({ state: "detached" });
  await tab.check();
  await tab.click("Show auth_secret");
  const replaced = `${await shown.textContent()}`;
  expect(replaced).not.toBe(authSecret);
  expect(replaced.length).toBeGreaterThan(10);
  for (const secret of [authSecret, replaced]) {
    const application = { ...node.application, authSecret: secret };
    const body = signedParameters({ application });
    expect((await rest(node, "POST", "/session", { body })).status).toBe(201);
  }
  const [stored] = await node.sql<{ days: number }>(
    `SELECT round(extract(epoch FROM previous_secret_until - now()) / 86400)::int AS days
      FROM applications WHERE id = 1`,
  );
  expect(stored).toEqual({ days: 7 });

  // Without an overlap, the page shows the old one no longer either.
  for (const isFirst of [true, false]) {
    await tab.click("Replace the secret …");
    await overlap.click();
    await page.getByRole("option", { name: "no time: it stops at once" }).click();
    await tab.click("Replace");
    await dialog.waitFor({ state: "detached" });
    await shown.waitFor({ state: "detached" });
    if (isFirst) await tab.click("Show auth_secret");
    if (isFirst) await shown.waitFor();
  }
  await tab.check();
});

it("web origins: an empty list warns, a wrong one is named, and the list is saved", async () => {
  const tab = await dashboard.open({ path: "/applications/1/settings?tab=origins" });
  const { page } = tab;
  const field = page.getByRole("textbox", { name: "Allowed web origins" });
  await tab.shows("Any web page may use sessions of the application now.");
  await field.fill("https://app.example/path");
  await page.keyboard.press("Enter");
  await tab.check();
  await tab.click("Save");
  await tab.shows(/must be origins, such as/);
  await tab.check();
  await field.focus();
  // Removes the last one.
  await page.keyboard.press("Backspace");
  await page.keyboard.type("https://app.example,https://desk.example");
  await page.keyboard.press("Enter");
  await tab.click("Save");
  await tab.shows("The settings are saved.");
  await page.getByText(/^Any web page/).waitFor({ state: "detached" });
  const [stored] = await dashboard.node.sql<{ origins: string[] }>(
    "SELECT web_origins AS origins FROM applications WHERE id = 1",
  );
  expect(stored).toEqual({ origins: ["https://app.example", "https://desk.example"] });
  await tab.check();
  // What another member adds meanwhile stays.
  await dashboard.node.sql(
    "UPDATE applications SET web_origins = '{https://other.example}' || web_origins WHERE id = 1",
  );
  // Pages of an origin that is removed lose their connections.
  await field.focus();
  await page.keyboard.press("Backspace");
  await tab.click("Save");
  const question = page.getByRole("dialog", { name: "Remove web origins" });
  await question.getByText(/pages of https:\/\/desk\.example/).waitFor();
  await tab.check();
  await question.getByRole("button", { name: "Save" }).click();
  await question.waitFor({ state: "detached" });
  await eventually(
    () =>
      dashboard.node.sql(
        "SELECT 1 FROM applications WHERE web_origins = '{https://other.example,https://app.example}'",
      ),
    (rows) => rows.length === 1,
  );
});
