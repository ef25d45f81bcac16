import { readFileSync } from "node:fs";
import { type Dashboard, startDashboard } from "../../support/dashboard/dashboard-browser";
import { addDevice, addEvent } from "../../support/push/push";
import { newGuest, newUser, rest, signIn } from "../../support/rest-client";
import { memberToken } from "../../support/sessions/owner";

/** The pages of users in a real browser. */

let dashboard: Dashboard;
let users: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  users = `/applications/${dashboard.node.application.id}/users`;
});
beforeEach(() => dashboard.node.sql("DELETE FROM users"));
afterAll(() => dashboard.stop());

/** Adds people to the application, who sign up one after the other. */
const addPeople = (count: number) =>
  dashboard.node.sql(
    `INSERT INTO users (application_id, login, login_key, email, email_key, full_name, updated_at)
      SELECT $1, 'person-' || n, 'person-' || n, 'mail-' || n || '@people.example',
        'mail-' || n || '@people.example', 'Person ' || to_char(n, 'FM000'), now()
      FROM generate_series(1, $2::int) AS n ORDER BY n`,
    [dashboard.node.application.id, count],
  );

it("a user is created, changed, blocked, exported and erased", async () => {
  const tab = await dashboard.open({ path: users });
  const { page } = tab;
  await tab.shows("No users yet");
  await tab.check();
  // With the keyboard alone: the button, the fields in their order, and Enter.
  await page.getByRole("main").getByRole("button", { name: "New user" }).first().focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await tab.until("document.activeElement.matches('[role=dialog] input')", true);
  await page.keyboard.press("Enter");
  await tab.shows("Enter a login or an e-mail address.");
  await dialog.getByLabel("Name").focus();
  for (const text of ["Ann Moreau", "ann moreau", "ann@field.example", "short"]) {
    await page.keyboard.type(text);
    await page.keyboard.press("Tab");
  }
  await dialog.getByLabel("E-mail").press("Enter");
  // The service's reasons stand at their fields.
  await tab.shows(/must be 1 to 70 letters/);
  await tab.check();
  await dialog.getByLabel("Login").fill("ann.moreau");
  await dialog.getByLabel("Password").fill("correct horse");
  await page.keyboard.press("Enter");
  await tab.showsPage("Ann Moreau");
  await dialog.waitFor({ state: "detached" });

  await page.getByRole("textbox", { name: "Tags" }).fill("north");
  await page.getByRole("textbox", { name: "Tags" }).press("Enter");
  await page.getByLabel("Time zone").fill("900");
  await tab.click("Save");
  await tab.shows(/must be from -720 to 840 minutes/);
  await page.getByLabel("Time zone").fill("120");
  await page.getByLabel("E-mail").fill("");
  await tab.click("Save");
  await tab.shows("The profile is saved.");
  const stored = await dashboard.node.sql(
    `SELECT u.id, email, timezone, g.tag FROM users u JOIN user_tags g ON g.user_id = u.id WHERE login = 'ann.moreau'`,
  );
  expect(stored).toEqual([{ id: expect.anything(), email: null, timezone: 120, tag: "north" }]);
  await tab.check();

  // What is typed while the change is sent stays.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (route.request().postData()?.includes("UpdateUser")) await held;
    await route.continue();
  });
  await page.getByLabel("Phone").fill("+49 30 100");
  await tab.click("Save");
  const custom = page.getByLabel("Custom data");
  await custom.fill("typed meanwhile");
  const loading = "document.querySelectorAll('main button[data-loading]').length";
  await tab.until(loading, 1);
  release();
  await tab.until(loading, 0);
  await tab.shows("Changes are not saved yet.");
  expect(await custom.inputValue()).toBe("typed meanwhile");
  await tab.click("Discard changes");
  expect(await custom.inputValue()).toBe("");
  await page.unroute("**/graphql");

  await tab.click("Block …");
  await dialog.getByLabel("Reason").fill("Lost phone");
  await tab.check();
  await dialog.getByRole("button", { name: "Block", exact: true }).click();
  await tab.shows(/^Blocked since/);
  await tab.shows("Lost phone");
  const user = { login: "ann.moreau", password: "correct horse" };
  await expect(signIn(dashboard.node, user)).rejects.toThrow(/blocked/i);
  await tab.click("Change the reason …");
  await dialog.getByLabel("Reason").fill("Stolen phone");
  await dialog.getByRole("button", { name: "Save" }).click();
  await tab.shows("Stolen phone");
  await dialog.waitFor({ state: "detached" });
  await tab.click("Unblock");
  await page.getByText(/^Blocked since/).waitFor({ state: "detached" });
  await signIn(dashboard.node, user);

  await page.locator("input[aria-label='New password']").fill("another horse");
  await tab.click("Set the password");
  const question = page.getByRole("dialog", { name: "Set a new password: Ann Moreau" });
  await question.getByText(/signed out everywhere at once/).waitFor();
  await tab.until("document.activeElement.textContent", "Cancel");
  await tab.check();
  await page.keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
  await signIn(dashboard.node, user);
  await tab.click("Set the password");
  await question.getByRole("button", { name: "Set the password" }).click();
  await tab.shows("The password is set. The user is signed out everywhere.");
  await expect(signIn(dashboard.node, user)).rejects.toThrow(/unauthorized/i);
  await signIn(dashboard.node, { login: "ann.moreau", password: "another horse" });

  const download = page.waitForEvent("download");
  await tab.click("Export data");
  const file = await download;
  expect(file.suggestedFilename()).toBe(`user-${stored[0]?.id}.json`);
  expect(JSON.parse(readFileSync(await file.path(), "utf8"))).toMatchObject({
    user: { login: "ann.moreau" },
    tags: [{ tag: "north" }],
  });

  await tab.click("Erase …");
  const erase = page.getByRole("button", { name: "Erase for good" });
  expect(await erase.isDisabled()).toBe(true);
  await page.getByLabel("Type “ann.moreau” to confirm").fill("ann.moreau");
  await tab.check();
  await erase.click();
  await tab.showsPage("Users");
  await tab.shows("Ann Moreau was erased.");
  await tab.shows("No users yet");
  expect(await dashboard.node.sql("SELECT id FROM users")).toEqual([]);
  await tab.check();
  await page.goBack();
  await tab.shows("There is no such user");
  await tab.shows("The user may have been erased, or may belong to another application.");
  await page.close();
});

it("what was typed stays over tabs, and the page asks before it is left", async () => {
  const user = await newUser(dashboard.node);
  // Users of a provider may have neither a login nor an e-mail address.
  await dashboard.node.sql(
    `UPDATE users SET login = NULL, login_key = NULL, email = NULL, email_key = NULL, facebook_id = '7'
      WHERE id = $1`,
    [user.id],
  );
  const tab = await dashboard.open({ path: `${users}/${user.id}` });
  const { page } = tab;
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Dora Vogel");
  await page.getByRole("tab", { name: "Sessions" }).click();
  await page.getByRole("tabpanel", { name: "Sessions" }).waitFor();
  await page.getByRole("tab", { name: "Profile" }).click();
  expect(await name.inputValue()).toBe("Dora Vogel");
  const toUsers = page.getByRole("link", { name: "Users", exact: true });
  await toUsers.click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.waitFor();
  await tab.check();
  await tab.click("Stay");
  await dialog.waitFor({ state: "detached" });
  expect(await name.inputValue()).toBe("Dora Vogel");
  // Closing the tab asks as well.
  const asked = page.waitForEvent("dialog");
  const closing = page.close({ runBeforeUnload: true });
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await closing;
  await tab.click("Save");
  await tab.shows("The profile is saved.");
  await toUsers.click();
  await tab.showsPage("Users");
  await name.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "New user" }).first().click();
  await page.getByRole("dialog").getByLabel("Login").fill("typed");
  await page.mouse.click(5, 400);
  expect(await page.getByRole("dialog").getByLabel("Login").inputValue()).toBe("typed");
  await page.close();
});

it("times of a filter are typed and compared with a list", async () => {
  await addPeople(2);
  const tab = await dashboard.open({ path: users });
  const { page } = tab;
  // Where the offset of the first years is no whole minute.
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Emulation.setTimezoneOverride", { timezoneId: "Europe/Berlin" });
  await tab.click("Filter");
  await page.keyboard.type("person");
  await tab.click("Add a condition");
  await page.getByRole("textbox", { name: "Field of condition 2" }).click();
  await page.getByRole("option", { name: "Signed up" }).click();
  const value = page.getByLabel("Value of condition 2");
  await value.fill("2026-01-02T08:00:05");
  await value.focus();
  for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await page.keyboard.type("2025");
  expect(await value.inputValue()).toBe("2025-01-02T08:00:05");
  await page.getByRole("textbox", { name: "Comparison of condition 2" }).click();
  await page.getByRole("option", { name: "at none of" }).click();
  await page.getByLabel("Value 2 of condition 2").fill("2025-01-03T09:00:07");
  await tab.check();
  await tab.click("Show users");
  await tab.shows(/^Signed up at none of .*2025.*, .*2025/);
  await tab.shows("Person 002");
  const [, condition] = JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "[]");
  expect(condition).toEqual(["createdAt", "nin", "2025-01-02T07:00:05Z", "2025-01-03T08:00:07Z"]);
  await page.close();
});

it("users are searched, filtered, sorted and paged", async () => {
  await addPeople(60);
  const guest = await newGuest(dashboard.node);
  const tab = await dashboard.open({ path: users });
  const { page } = tab;
  const names = async () =>
    (await page.getByRole("row").getByRole("link").allTextContents()).slice(0, 3);
  const first = (name: string) =>
    page.getByRole("row").nth(1).getByRole("link", { name, exact: true }).waitFor();
  await first(guest.login);
  await tab.shows("61 entries");
  await tab.click("Next page");
  await first("Person 036");
  await page.goBack();
  await first(guest.login);
  await page.getByRole("textbox", { name: "Sort by" }).click();
  await page.getByRole("option", { name: "By name" }).click();
  await tab.click("Descending: newest or Z first");
  await page.getByRole("textbox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Users only" }).click();
  await first("Person 001");
  await tab.click("Next page");
  await first("Person 026");
  await tab.click("Previous page");
  await first("Person 001");
  await page.getByRole("searchbox", { name: "Search users" }).pressSequentially("MAIL-59@");
  await tab.shows("1 entry");
  expect(await names()).toEqual(["Person 059"]);
  await page.getByRole("searchbox", { name: "Search users" }).fill("nobody");
  await tab.shows("No user matches");
  await tab.check();
  await tab.click("Clear filters");
  await tab.shows("61 entries");
  expect(await page.getByRole("searchbox", { name: "Search users" }).inputValue()).toBe("");

  await tab.click("Filter");
  // The value of the first condition has the focus.
  await page.keyboard.type("per");
  await page.keyboard.press("Enter");
  await tab.shows("Enter at least 4 characters.");
  await page.keyboard.type("son-5");
  await tab.click("Add a condition");
  await page.getByRole("textbox", { name: "Field of condition 2" }).click();
  await page.getByRole("option", { name: "Login" }).click();
  await page.getByRole("textbox", { name: "Comparison of condition 2" }).click();
  await page.getByRole("option", { name: "is none of" }).click();
  await page.getByRole("textbox", { name: "Value of condition 2" }).fill("person-50");
  await page.getByRole("textbox", { name: "Value of condition 2" }).press("Enter");
  await page.getByRole("textbox", { name: "Value of condition 2" }).fill("person-52");
  await tab.check();
  await tab.click("Show users");
  await tab.shows("Login is none of “person-50”, “person-52”");
  await tab.shows("9 entries");
  expect(await names()).toEqual(["Person 005", "Person 051", "Person 053"]);
  await tab.check();
  // What remains would read every user, which the page explains without asking.
  await tab.click("Remove “Login starts with “person-5””");
  await tab.shows("This filter matches too many users");
  await tab.check();
  // A filter that no page has written counts as none; what the service refuses, it explains.
  await tab.goto(`${users}?filter=%5B%5B%22login%22%2C%22__proto__%22%2C1%5D%5D&sort=nothing`);
  await tab.shows("61 entries");
  await tab.goto(`${users}?after=nonsense`);
  await tab.shows(/^after/);
  await tab.click("Try again");
  await tab.shows(/^Request id/);
  await page.close();
});

it("sessions are ended, devices removed, and calls and pushes shown", async () => {
  const { node } = dashboard;
  const user = await newUser(node, { full_name: "Ben Okafor" });
  const other = await newUser(node, { full_name: "Chiara Conti" });
  const second = await signIn(node, user);
  await addDevice(node, user, "gcm", { udid: "pixel-8" });
  const event = await addEvent(node, other);
  await node.sql(
    `INSERT INTO push_deliveries (event_id, subscription_id, outcome, reason, attempts, updated_at)
      SELECT $1, id, 'refused', 'BadDeviceToken', 1, now() FROM push_subscriptions WHERE user_id = $2`,
    [event, user.id],
  );
  await node.sql(
    `WITH made AS (INSERT INTO calls (application_id, session_id, caller_id, call_type, state, started_at, accepted_at, ended_at)
        VALUES ($1, 'a-call', $2, 1, 'hung_up', now() - interval '1 hour', now() - interval '59 minutes',
          now() - interval '59 minutes' + interval '75 s') RETURNING id, session_id, started_at, state)
      INSERT INTO call_participants (call_id, user_id, session_id, started_at, state, rang_at)
        SELECT made.id, u, session_id, started_at, state, started_at FROM made, unnest($3::bigint[]) u`,
    [node.application.id, user.id, [user.id, other.id]],
  );
  const tab = await dashboard.open({
    path: `${users}/${user.id}?tab=sessions`,
    colorScheme: "dark",
  });
  const { page } = tab;
  const isAlive = async (token: string) => (await rest(node, "GET", "/session", { token })).status;
  await tab.shows("2 entries");
  await tab.check();
  await tab.click(`End session ${user.sessionId}: node`);
  await tab.click("End the session");
  await tab.shows("1 entry");
  expect([await isAlive(user.token), await isAlive(second.token)]).toEqual([401, 200]);
  await tab.click("End all sessions …");
  await tab.click("End all");
  await tab.shows("Not signed in");
  expect(await isAlive(second.token)).toBe(401);

  await page.getByRole("tab", { name: "Pushes" }).click();
  await tab.shows("BadDeviceToken");
  const compose = page.getByRole("link", { name: "New push" });
  expect(await compose.getAttribute("href")).toMatch(/\/push\/new\?user=\d+$/);
  await tab.check();
  await page.getByRole("tab", { name: "Calls" }).click();
  const link = page.getByRole("link", { name: "Chiara Conti" });
  expect(await link.getAttribute("href")).toMatch(/\/applications\/\d+\/calls\/\d+$/);
  await tab.shows("1:15");
  await tab.shows("Outgoing");
  await tab.check();
  await page.getByRole("tab", { name: "Devices" }).click();
  await tab.shows("pixel-8");
  await tab.check();
  await page.getByRole("button", { name: /^Remove Android/ }).click();
  await tab.click("Remove the device");
  await tab.shows("No devices");
  await tab.check();
  expect(await node.sql("SELECT id FROM push_subscriptions")).toEqual([]);
  await page.close();
});

it("support reads on a phone, and sees nothing to change with", async () => {
  const { node } = dashboard;
  const user = await newUser(node, { full_name: "Emma Lind", custom_data: "{}" });
  await addDevice(node, user, "apns");
  const token = await memberToken(node, "support");
  const tab = await dashboard.open({ path: users, token, width: "phone" });
  const { page } = tab;
  const main = page.getByRole("main");
  await page.getByRole("link", { name: "Emma Lind" }).waitFor();
  await tab.check();
  expect(await main.getByRole("button", { name: "New user" }).count()).toBe(0);
  await tab.click("Filter");
  await page.getByLabel("Value of condition 1").waitFor();
  await tab.check();
  await page.getByRole("link", { name: "Emma Lind" }).click();
  await tab.showsPage("Emma Lind");
  await tab.shows(user.login);
  await tab.check();
  for (const name of ["Sessions", "Devices", "Calls", "Pushes"]) {
    await page.getByRole("tab", { name }).click();
    await page.getByRole("tabpanel", { name }).waitFor();
    expect(await main.getByRole("button").count()).toBe(0);
  }
  await tab.check();
  await page.close();
});
