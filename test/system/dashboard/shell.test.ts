import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { newUser } from "../../support/rest-client";

/** What surrounds every page: navigation, keyboard, phone, colors, roles, tasks, errors. */

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
  await dashboard.node.sql(
    `INSERT INTO sessions (application_id, token_hash, nonce, ts, expires_at, last_activity_at, updated_at, user_agent)
      SELECT $1, sha256(i::text::bytea), i, i, now() + interval '1 hour', now(), now(), 'Agent ' || i
      FROM generate_series(1, 60) AS i`,
    [dashboard.node.application.id],
  );
});
afterAll(() => dashboard.stop());

const focused = ({ page }: DashboardPage): Promise<string> =>
  page.evaluate("document.activeElement.textContent || document.activeElement.id");

it("works with only a keyboard: skips the navigation, opens a page and begins at its heading", async () => {
  const tab = await dashboard.open({ path: "/applications" });
  const { page } = tab;
  await page.getByRole("link", { name: "First application" }).waitFor();
  await page.getByRole("button", { name: "New application" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(tab)).toBe("Skip to content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("content");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await focused(tab)).toBe("First application");
  await page.keyboard.press("Enter");
  await tab.showsPage("First application");
  expect(await page.title()).toBe("First application · Signalbox");
  await tab.until("document.activeElement.tagName", "H1");
  await page.getByRole("link", { name: "Settings and keys" }).focus();
  await page.keyboard.press("Enter");
  // The tabs are one stop; arrows move between them.
  await page.getByRole("tab", { name: "Settings" }).focus();
  await page.keyboard.press("ArrowRight");
  await tab.shows("auth_key");
  await page.getByRole("button", { name: "Show auth_secret" }).focus();
  await page.keyboard.press("Enter");
  await tab.shows(dashboard.node.application.authSecret);
  // The tooltip of a button stands in the landmark of the button.
  await page.getByRole("button", { name: "Copy auth_secret" }).hover();
  await page.getByRole("tooltip", { name: "Copy auth_secret" }).waitFor();
  await tab.check();
  await page.keyboard.press("Enter");
  await page.getByText(dashboard.node.application.authSecret).waitFor({ state: "detached" });
});

it("a dialog takes the focus, keeps it, and gives it back", async () => {
  const tab = await dashboard.open({ path: "/applications" });
  const { page } = tab;
  await page.getByRole("button", { name: "New application" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New application" });
  await dialog.waitFor();
  await tab.until("document.activeElement.matches('[role=dialog] input')", true);
  for (let time = 0; time < 6; time++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(
      true,
    );
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await tab.until("document.activeElement.textContent", "New application");
});

it("a dialog that sends stays open until the answer is there", async () => {
  const tab = await dashboard.open({ path: "/applications" });
  const { page } = tab;
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (!route.request().postData()?.includes("CreateApplication")) return route.continue();
    await held;
    const extensions = { code: "UNAVAILABLE", requestId: "request-of-the-dialog" };
    return route.fulfill({ json: { errors: [{ message: "The database is away", extensions }] } });
  });
  await tab.click("New application");
  const dialog = page.getByRole("dialog", { name: "New application" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Another one");
  await dialog.getByRole("button", { name: "Create" }).click();
  const cancel = dialog.getByRole("button", { name: "Cancel" });
  await tab.until(
    "[...document.querySelectorAll('[role=dialog] button')].every(({ disabled }) => disabled)",
    true,
  );
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 400);
  answer();
  await dialog.getByText("request-of-the-dialog").waitFor();
  expect(await dialog.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Another one");
  await tab.check();
  await cancel.click();
  await dialog.waitFor({ state: "detached" });
});

it.each([
  "light",
  "dark",
] as const)("on a phone in %s colors, lists are cards and the navigation opens by a button", async (colorScheme) => {
  const tab = await dashboard.open({ width: "phone", colorScheme, path: "/applications" });
  const { page } = tab;
  await page.getByRole("list", { name: "Applications of the account" }).waitFor();
  await tab.check();
  await tab.click("Open navigation");
  await page.getByRole("textbox", { name: "Application" }).click();
  await page.getByRole("option", { name: "First application" }).click();
  await tab.showsPage("First application");
  // The navigation has closed.
  await tab.click("Open navigation");
  await page.getByRole("link", { name: "Settings and keys" }).click();
  await page.getByRole("button", { name: "Open navigation" }).waitFor();
  await page.getByRole("tab", { name: "Keys" }).waitFor();
  await tab.check();
  for (const name of ["Keys", "Web origins", "Sessions", "Delete"]) {
    await page.getByRole("tab", { name }).click();
    await page.getByRole("tabpanel", { name }).waitFor();
    await tab.check();
  }
});

it("a long list has pages that a link, a reload and the back button find again", async () => {
  const tab = await dashboard.open({ path: "/applications/1/settings?tab=sessions" });
  const { page } = tab;
  const rows = page
    .getByRole("table", { name: "Live sessions of the application" })
    .locator("tbody tr");
  await tab.shows("60 entries");
  expect(await rows.count()).toBe(25);
  const first = await rows.first().textContent();
  await tab.check();
  await tab.click("Next page");
  await page.waitForURL(/after=/);
  await rows
    .first()
    .filter({ hasNotText: `${first?.slice(0, 4)}` })
    .waitFor();
  const shown = () => rows.first().locator("td").first().textContent();
  const second = await shown();
  await page.reload();
  await rows.first().waitFor();
  expect(await shown()).toBe(second);
  await tab.click("Next page");
  await tab.until("document.querySelectorAll('tbody tr').length", 10);
  expect(await page.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);
  await tab.click("Previous page");
  await page.waitForURL(/before=/);
  await tab.until("document.querySelectorAll('tbody tr').length", 25);
  expect(await shown()).toBe(second);
  await page.goBack();
  await tab.until("document.querySelectorAll('tbody tr').length", 10);
});

it("another application never shows the rows of the last one", async () => {
  const { node } = dashboard;
  const [other] = await node.sql<{ id: number }>(
    `INSERT INTO applications (account_id, name, auth_key, auth_secret, updated_at)
      SELECT account_id, 'Other', 'other-key', auth_secret, now() FROM applications WHERE id = $1 RETURNING id`,
    [node.application.id],
  );
  const user = await newUser(node, { full_name: "Ann Meyer" });
  const tab = await dashboard.open({ path: "/applications/1/users" });
  const { page } = tab;
  const row = page.getByRole("link", { name: "Ann Meyer" });
  await row.waitFor();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (route.request().postData()?.includes("query ApplicationUsers")) await held;
    await route.continue();
  });
  await page.getByRole("textbox", { name: "Application", exact: true }).click();
  await page.getByRole("option", { name: "Other" }).click();
  await page.waitForURL(new RegExp(`/applications/${other?.id}/users`));
  await page.getByRole("main").getByRole("status", { name: "Loading …" }).waitFor();
  expect(await row.count()).toBe(0);
  release();
  await tab.shows("No users yet");

  // The sessions of an application link to their users.
  await tab.goto("/applications/1/settings?tab=sessions");
  await page.getByRole("link", { name: String(user.id), exact: true }).click();
  await tab.showsPage("Ann Meyer");
});

it("the colors can be switched, and stay", async () => {
  const tab = await dashboard.open({ colorScheme: "light", path: "/applications" });
  await tab.click("Dark colors");
  const scheme = "document.documentElement.dataset.mantineColorScheme";
  expect(await tab.page.evaluate(scheme)).toBe("dark");
  await tab.page.reload();
  await tab.showsPage("Applications");
  expect(await tab.page.evaluate(scheme)).toBe("dark");
  await tab.check();
  await tab.click("Light colors");
});

it("support sees no button of a change, and asks for no secret", async () => {
  const tab = await dashboard.open({ role: "support", path: "/applications" });
  const { page } = tab;
  const answers: Promise<string>[] = [];
  page.on("response", (response) => {
    // A page that is left does not wait for its answers.
    if (response.url().endsWith("/graphql")) answers.push(response.text().catch(() => ""));
  });
  await tab.shows("Read only");
  await page.getByRole("link", { name: "First application" }).click();
  await tab.showsPage("First application");
  await page.getByRole("link", { name: "Settings and keys" }).click();
  expect(await page.getByRole("textbox", { name: "Name" }).isDisabled()).toBe(true);
  expect(await page.getByRole("tab", { name: "Delete" }).count()).toBe(0);
  await page.getByRole("tab", { name: "Keys" }).click();
  await tab.shows("auth_key");
  const names = await page.getByRole("button").allTextContents();
  expect(names.filter((name) => /New|Save|Replace|Delete/.test(name))).toEqual([]);
  expect(await page.getByText("auth_secret").count()).toBe(0);
  const texts = (await Promise.all(answers)).join();
  expect(texts).toContain('"authKey"');
  expect(texts).not.toContain(dashboard.node.application.authSecret);
  await tab.check();
});

it("a task stays while other pages are used, and says what has failed with the request id", async () => {
  const tab = await dashboard.open({ path: "/applications/1/settings?tab=delete" });
  const { page } = tab;
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (!route.request().postData()?.includes("DeleteApplication")) return route.continue();
    await held;
    const extensions = { code: "UNAVAILABLE", requestId: "request-of-the-task" };
    return route.fulfill({ json: { errors: [{ message: "The database is away", extensions }] } });
  });
  await tab.click("Delete the application …");
  await page.getByLabel(/^Type/).fill("First application");
  await tab.click("Delete for good");
  const tasks = page.getByRole("region", { name: "Tasks" });
  await tasks.getByText("running").waitFor();
  await tab.showsPage("Applications");
  await page.getByRole("link", { name: "First application" }).click();
  await tab.showsPage("First application");
  await tasks.getByText("Deleting First application").waitFor();
  await tab.check();
  answer();
  await tasks.getByText("The database is away").waitFor();
  await tasks.getByText("request-of-the-task").waitFor();
  await tab.click("Remove “Deleting First application” from the list");
  await tasks.waitFor({ state: "detached" });
  await tab.check();
});

it("a sign-out asks while changes are not saved", async () => {
  const tab = await dashboard.open({ path: "/applications/1/settings" });
  const { page } = tab;
  await page.getByRole("textbox", { name: "Name" }).fill("Not saved");
  await tab.shows("Changes are not saved yet.");
  await tab.click("Account menu");
  await tab.click("Sign out");
  await tab.shows("Changes that are not saved are lost.");
  await tab.check();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await tab.shows("You have signed out.");
});

it("an action may take minutes, and a broken connection does not say that it has failed", async () => {
  const tab = await dashboard.open({ path: "/applications/1/settings?tab=delete" });
  const { page } = tab;
  // The page's timers stay real: with Playwright's clock the page stops on a busy machine.
  await page.evaluate(() => {
    const page = globalThis as unknown as { delays: number[]; setTimeout: typeof setTimeout };
    const start = page.setTimeout;
    page.delays = [];
    page.setTimeout = ((run: () => void, delay: number) => {
      page.delays.push(delay);
      return start(run, delay);
    }) as typeof setTimeout;
  });
  let breakOff = () => {};
  const held = new Promise<void>((resolve) => {
    breakOff = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (!route.request().postData()?.includes("DeleteApplication")) return route.continue();
    await held;
    return route.abort();
  });
  await tab.click("Delete the application …");
  await page.getByLabel(/^Type/).fill("First application");
  await tab.click("Delete for good");
  const tasks = page.getByRole("region", { name: "Tasks" });
  await tasks.getByText("running", { exact: true }).waitFor();
  expect(await page.evaluate("delays.filter((delay) => delay === 15 * 60_000).length")).toBe(1);
  await page.evaluate("{ const now = Date.now; Date.now = () => now() + 180_000; }");
  await tasks.getByText(/^[3-9]:\d\d so far/).waitFor();
  await tab.check();
  // A sign-out asks, since the page would not show what comes of it.
  await tab.click("Account menu");
  await tab.click("Sign out");
  const question = page.getByRole("dialog", { name: "Sign out now?" });
  await tab.until("document.activeElement.textContent", "Cancel");
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  await tab.until("document.activeElement.getAttribute('aria-label')", "Account menu");
  // So does the sign-out of all browsers.
  await tab.click("Account menu");
  await page.getByRole("link", { name: "My profile" }).click();
  await tab.click("Sign out everywhere …");
  await tab.shows("An export that is not complete is lost.");
  await tab.click("Cancel");
  await page.goBack();
  const listed = page.waitForRequest((request) =>
    Boolean(request.postData()?.includes("query Applications")),
  );
  breakOff();
  await tasks.getByText("no answer").waitFor();
  await tasks.getByText(/It may still be deleting/).waitFor();
  await listed;
  expect(await tasks.getByText("failed").count()).toBe(0);
  expect(tab.takeProblems(/^Failed to load resource/)).toHaveLength(1);
  await tab.check();
});

it("an error shows the service's words and the request id, and can be tried again", async () => {
  const tab = await dashboard.open({ path: "/applications/999/settings" });
  const { page } = tab;
  await tab.shows("There is no such application");
  await tab.shows(/Request id: [\w-]{10,}/);
  await tab.check();
  await page.route("**/graphql", (route) => route.abort());
  await tab.goto("/applications");
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/graphql");
  await tab.click("Try again");
  await page.getByRole("table", { name: "Applications of the account" }).waitFor();
  expect(tab.takeProblems(/^Failed to load resource/).length).toBeGreaterThan(0);
  await tab.check();
});

it("an unknown path says so, and leads back", async () => {
  const tab = await dashboard.open({ path: "/no/such/page" });
  await tab.showsPage("There is no such page");
  await tab.check();
  await tab.page.getByRole("link", { name: "To the start page" }).click();
  await tab.showsPage("Overview");
});

it("a page whose code is gone after an update asks to be loaded again", async () => {
  const tab = await dashboard.open({ path: "/applications" });
  await tab.page.route("**/assets/overview-page-*.js", (route) => route.fulfill({ status: 404 }));
  await tab.page.getByRole("link", { name: "First application" }).click();
  await tab.showsPage("The dashboard was updated");
  expect(tab.takeProblems(/status of 404|dynamically imported module/).length).toBeGreaterThan(0);
  await tab.check();
  await tab.page.unroute("**/assets/overview-page-*.js");
  await tab.click("Reload");
  await tab.showsPage("First application");
});
