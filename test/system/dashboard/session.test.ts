import { createHash } from "node:crypto";
import type { Request } from "playwright-core";
import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { ownerToken } from "../../support/sessions/owner";

/** Signing in and out, errors of a sign-in, and a session that ends while somebody types. */

/** Compressed bytes that a browser may load for the first page. */
const FIRST_LOAD_MAX = 300 * 1024;

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({ FAILED_SIGN_INS_BEFORE_DELAY: "3" });
});
afterAll(() => dashboard.stop());

/** Ends a session at the service, as an expiry or a sign-out elsewhere does. */
const endSession = (token: string | null) =>
  dashboard.node.sql("DELETE FROM account_sessions WHERE token_hash = $1", [
    createHash("sha256").update(`${token}`).digest(),
  ]);

/** Bytes that a page has received for itself, its scripts and its style sheets. */
const transferred = ({ page }: DashboardPage): Promise<number> =>
  page.evaluate(`[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);

/** Whether a request ends a session. */
const isSignOut = (request: Request) => Boolean(request.postData()?.includes("SignOutMember"));

it("signs in, keeps the token for the tab alone, and signs out", async () => {
  const { node, owner } = dashboard;
  const tab = await dashboard.open({ token: null, path: "/applications/1/settings?tab=keys" });
  await tab.showsPage("Sign in");
  await tab.check();
  await tab.click("Sign in");
  await tab.shows("Enter your password.");
  await tab.click("Forgot the password?");
  await tab.shows(/owner\.json/);
  await tab.signIn(owner);
  // The page of the address, not the first one.
  await tab.showsPage("First application");
  await tab.shows("auth_key");
  const token = await tab.token();
  expect(token).toMatch(/^acct_/);
  const kept: string[] = await tab.page.evaluate(
    "[JSON.stringify(localStorage), document.cookie, location.href]",
  );
  expect(kept.join()).not.toContain(token);
  await tab.page.reload();
  await tab.showsPage("First application");

  const other = await dashboard.open({ token: null });
  await other.showsPage("Sign in");
  expect(await other.token()).toBeNull();

  await tab.click("Account menu");
  await tab.check();
  const ended = tab.page.waitForResponse((response) => isSignOut(response.request()));
  await tab.click("Sign out");
  await tab.shows("You have signed out.");
  await (await ended).finished();
  expect(await tab.token()).toBeNull();
  const rows = await node.sql("SELECT id FROM account_sessions WHERE token_hash = $1", [
    createHash("sha256").update(`${token}`).digest(),
  ]);
  expect(rows).toEqual([]);
  await tab.check();
});

it("the first page loads at most 300 KiB, and the code of others when they are opened", async () => {
  // The overview with charts, whose library is loaded with the first one.
  await dashboard.node.sql(
    `INSERT INTO application_statistics (application_id, seconds, starts_at, requests)
      VALUES ($1, 3600, date_trunc('hour', now(), 'UTC'), 7)`,
    [dashboard.node.application.id],
  );
  const tab = await dashboard.open();
  await tab.page.getByRole("table", { name: "Requests" }).waitFor({ state: "attached" });
  const first = await transferred(tab);
  expect(first).toBeGreaterThan(50_000);
  expect(first).toBeLessThan(FIRST_LOAD_MAX);
  const scripts: string[] = await tab.page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name)",
  );
  expect(scripts.filter((name) => /application-page/.test(name))).toEqual([]);
});

describe("errors of a sign-in", () => {
  it("a wrong password is named with the request id, and the address stays", async () => {
    const { email } = dashboard.owner;
    const tab = await dashboard.open({ token: null });
    await tab.signIn({ email, password: "not the password" });
    await tab.shows("Unauthorized: the e-mail or the password is wrong");
    await tab.shows(/Request id: [\w-]{10,}/);
    expect(await tab.page.getByLabel("E-mail", { exact: true }).inputValue()).toBe(email);
    expect(await tab.page.getByLabel("Password", { exact: true }).inputValue()).toBe("");
    await tab.check();
  });

  it("too many attempts say how long to wait", async () => {
    const tab = await dashboard.open({ token: null });
    // The wait doubles with each failure: it is to outlast what the test looks at, on a slow machine too.
    let refused = 0;
    for (let wait = 0; wait < 8; ) {
      const answered = tab.page.waitForResponse("**/graphql");
      await tab.signIn({ email: "nobody@example.org", password: "wrong password" });
      const [{ extensions }] = (await (await answered).json()).errors;
      wait = extensions.retryAfter ?? 0;
      if (extensions.code === "LIMITED") refused += 1;
    }
    await tab.shows("Too many requests");
    await tab.shows(/You can try again in \d+ seconds?\./);
    expect(await tab.page.getByRole("button", { name: "Sign in" }).isDisabled()).toBe(true);
    expect(tab.takeProblems(/status of 429/)).toHaveLength(refused);
    await tab.check();
  });

  it("a service that does not answer is no wrong password", async () => {
    const tab = await dashboard.open({ token: null });
    await tab.page.route("**/graphql", (route) => route.abort());
    await tab.signIn(dashboard.owner);
    await tab.shows("The service does not answer");
    await tab.page.unroute("**/graphql");
    await tab.page.route("**/graphql", (route) =>
      route.fulfill({ status: 503, body: "<h1>Bad gateway</h1>", contentType: "text/html" }),
    );
    await tab.signIn(dashboard.owner);
    await tab.shows("The service is not available now");
    expect(tab.takeProblems(/^Failed to load resource/)).toHaveLength(2);
    await tab.check();
  });
});

describe("a sign-out", () => {
  it("with a token that the service refuses asks nobody to sign in again", async () => {
    const tab = await dashboard.open({ path: "/applications" });
    await tab.page.getByRole("table", { name: "Applications of the account" }).waitFor();
    await endSession(await tab.token());
    await tab.click("Account menu");
    // The refusal is followed by a check of the token.
    const checked = tab.page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes("CheckMember")),
    );
    await tab.click("Sign out");
    await (await checked).finished();
    await tab.shows("You have signed out.");
    expect(await tab.page.getByRole("dialog").count()).toBe(0);
    await tab.signIn(dashboard.owner);
    await tab.page.getByRole("table", { name: "Applications of the account" }).waitFor();
    expect(await tab.token()).toMatch(/^acct_/);
    await tab.check();
  });

  it("does not wait for the service, and leaves the next session alone", async () => {
    const tab = await dashboard.open({ path: "/applications" });
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await tab.page.route("**/graphql", async (route) => {
      if (isSignOut(route.request())) await held;
      await route.continue();
    });
    await tab.click("Account menu");
    await tab.click("Sign out");
    await tab.shows("You have signed out.");
    expect(await tab.token()).toBeNull();
    await tab.signIn(dashboard.owner);
    await tab.page.getByRole("table", { name: "Applications of the account" }).waitFor();
    const ended = tab.page.waitForResponse((response) => isSignOut(response.request()));
    answer();
    await (await ended).finished();
    await tab.page.reload();
    await tab.page.getByRole("table", { name: "Applications of the account" }).waitFor();
    await tab.check();
  });
});

describe("a session that ends", () => {
  it("while somebody types: the sign-in lies over the page, which then continues", async () => {
    const tab = await dashboard.open({ path: "/applications/1/settings" });
    const name = tab.page.getByRole("textbox", { name: "Name" });
    await name.fill("Renamed while away");
    await endSession(await tab.token());
    await tab.click("Save");
    const dialog = tab.page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    await tab.shows(/what you have typed is still here/);
    expect(await name.inputValue()).toBe("Renamed while away");
    await tab.check();
    // It cannot be closed without a sign-in.
    await tab.page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await tab.page.getByLabel("Password", { exact: true }).fill("wrong password");
    await tab.click("Sign in");
    await tab.shows(/the password is wrong/);
    await tab.page.getByLabel("Password", { exact: true }).fill(dashboard.owner.password);
    await tab.click("Sign in");
    await dialog.waitFor({ state: "detached" });
    // The change that was waiting has been made.
    await tab.shows("The settings are saved.");
    await tab.showsPage("Renamed while away");
    const [row] = await dashboard.node.sql("SELECT name FROM applications WHERE id = 1");
    expect(row).toEqual({ name: "Renamed while away" });
    await tab.check();
  });

  it("keeps the focus in the sign-in, although the page has a field of the same name", async () => {
    const tab = await dashboard.open({ path: "/account?tab=profile" });
    const { page } = tab;
    await page.getByLabel("Current password").fill(dashboard.owner.password);
    await page.getByLabel("New password", { exact: true }).fill("correct horse");
    await page.getByLabel("New password again").fill("correct horse");
    await endSession(await tab.token());
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password", { exact: true }).fill("wrong password");
    await page.keyboard.press("Enter");
    await tab.shows(/the password is wrong/);
    await tab.until("document.activeElement.closest('[role=dialog]') !== null", true);
    await tab.until("document.activeElement.type", "password");
  });

  it("before a page is loaded again: the page asks, and then shows itself", async () => {
    const tab = await dashboard.open({ path: "/applications" });
    await endSession(await tab.token());
    await tab.page.reload();
    await tab.page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await tab.signIn(dashboard.owner);
    await tab.page.getByRole("table", { name: "Applications of the account" }).waitFor();
    await tab.check();
  });

  it("a token that was never one does the same", async () => {
    const tab = await dashboard.open({ token: `acct_${"x".repeat(43)}`, path: "/applications" });
    await tab.page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await tab.click("Leave without saving");
    await tab.showsPage("Sign in");
    expect(await tab.token()).toBeNull();
  });

  it("and somebody else signs in: nothing of the page is left", async () => {
    const tab = await dashboard.open({ path: "/applications/1/settings" });
    const name = tab.page.getByRole("textbox", { name: "Name" });
    await name.fill("Typed by the first member");
    await endSession(await tab.token());
    await tab.click("Save");
    await tab.page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    // The answer of a sign-in by another member of the account.
    const token = await ownerToken(dashboard.node);
    await tab.page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("SignInMember")) return route.continue();
      const member = { id: "99", email: "other@example.org" };
      return route.fulfill({ json: { data: { signInMember: { token, member } } } });
    });
    await tab.signIn({ email: "other@example.org", password: "some password" });
    await tab.showsPage("Overview");
    expect(new URL(tab.page.url()).pathname).toBe("/dashboard/overview");
    expect(await tab.token()).toBe(token);
    const [row] = await dashboard.node.sql<{ name: string }>(
      "SELECT name FROM applications WHERE id = 1",
    );
    expect(row?.name).not.toBe("Typed by the first member");
  });
});
