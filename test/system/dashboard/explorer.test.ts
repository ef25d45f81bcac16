import type { Page } from "playwright-core";
import {
  type Dashboard,
  startDashboard,
  TOKEN_KEY,
} from "../../support/dashboard/dashboard-browser";
import { eventually } from "../../support/moving-clock";

/** GraphiQL and the reference of the REST API, which the dashboard opens with a token. */

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

/** Clicks on a button, and returns the tab that it opens. */
async function opened(page: Page, name: string): Promise<Page> {
  const [tab] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("button", { name }).click(),
  ]);
  return tab;
}

/** Collects what the console of a tab reports, such as violations of its policy. */
function problemsOf(tab: Page): string[] {
  const problems: string[] = [];
  tab.on("pageerror", (error) => problems.push(error.message));
  tab.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  return problems;
}

/** Runs a query in GraphiQL, and waits for a text in its result. */
async function runs(tab: Page, query: string, expected: string): Promise<void> {
  await tab.waitForSelector(".graphiql-query-editor .CodeMirror");
  await tab.evaluate(
    `document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.setValue(${JSON.stringify(query)})`,
  );
  // GraphiQL runs what it has parsed, which takes a moment; until then the service refuses the operation's name (400).
  await eventually(
    async () => {
      await tab.click(".graphiql-execute-button");
      return tab.evaluate('document.querySelector(".result-window")?.textContent ?? ""');
    },
    (shown) => String(shown).includes(expected),
  );
}

const kept = (tab: Page): Promise<string[]> =>
  tab.evaluate(
    "[location.href, document.cookie, JSON.stringify(localStorage), String(window.opener), document.referrer]",
  );

it("GraphiQL runs operations with the member's token, which is dropped on request", async () => {
  const tab = await dashboard.open({ path: "/explorer" });
  const { page } = tab;
  await tab.showsPage("Explorer");
  await page.getByRole("button", { name: "Open GraphiQL" }).waitFor();
  await tab.check();
  const graphiql = await opened(page, "Open GraphiQL");
  const problems = problemsOf(graphiql);
  await graphiql.getByText("Operations run with the token of").waitFor();
  await graphiql.getByText(new RegExp(`${dashboard.owner.email} \\(owner\\)`)).waitFor();
  await runs(graphiql, "{ account { name } }", '"name":');
  // The token of the dashboard needs no header of one's own.
  const headers = ".graphiql-editor-tool .graphiql-editor:not(.hidden) .CodeMirror";
  expect(
    await graphiql.evaluate(`document.querySelector("${headers}")?.CodeMirror.getValue()`),
  ).toBe("");
  const token = `${await tab.token()}`;
  expect(token).toMatch(/^acct_/);
  const [href, ...others] = await kept(graphiql);
  expect(href).toBe(dashboard.node.graphqlUrl);
  expect([href, ...others].join()).not.toContain(token);
  expect(others[2]).toBe("null");
  // The tab has what it was handed, and not what the dashboard keeps; the dashboard keeps nothing for it.
  expect(await graphiql.evaluate(`sessionStorage.getItem("${TOKEN_KEY}")`)).toBeNull();
  expect(await page.evaluate('sessionStorage.getItem("signalbox.explorer")')).toBeNull();
  await graphiql.reload();
  await graphiql.getByText("Operations run with the token of").waitFor();
  await graphiql.getByRole("button", { name: "Drop the token" }).click();
  await graphiql.getByText(/The token is dropped/).waitFor();
  expect(await graphiql.evaluate('sessionStorage.getItem("signalbox.explorer")')).toBeNull();
  await runs(graphiql, "{ account { name } }", "UNAUTHENTICATED");
  expect(problems.filter((text) => !/status of 40[01]/.test(text))).toEqual([]);
  // The dashboard goes on.
  expect(await tab.token()).toBe(token);
  await tab.check();
});

it("the REST reference runs requests with a session of the chosen application", async () => {
  const tab = await dashboard.open({ path: "/explorer" });
  await tab.shows("The reference of all paths");
  const docs = await opened(tab.page, "Open the REST reference");
  const problems = problemsOf(docs);
  await docs.getByText(/token of a session of First application, created by/).waitFor();
  const operation = docs.locator(".opblock-get", { has: docs.locator('[data-path="/session"]') });
  await operation.click();
  await docs.getByRole("button", { name: "Try it out" }).click();
  const [answer] = await Promise.all([
    docs.waitForResponse((response) => new URL(response.url()).pathname === "/session"),
    docs.getByRole("button", { name: "Execute" }).click(),
  ]);
  expect(answer.status()).toBe(200);
  expect((await answer.json()).session.application_id).toBe(dashboard.node.application.id);
  await docs.getByRole("button", { name: "Drop the token" }).click();
  const [refused] = await Promise.all([
    docs.waitForResponse((response) => new URL(response.url()).pathname === "/session"),
    docs.getByRole("button", { name: "Execute" }).click(),
  ]);
  expect(refused.status()).toBe(401);
  expect(problems.filter((text) => !/status of 40[01]/.test(text))).toEqual([]);
});

it("without a token the explorers are as before", async () => {
  const tab = await dashboard.open({ path: "/explorer" });
  const plain = await tab.page.context().newPage();
  await plain.goto(dashboard.node.graphqlUrl);
  await plain.waitForSelector(".graphiql-query-editor .CodeMirror");
  expect(await plain.locator("#handed-token").isVisible()).toBe(false);
  await plain.goto(`${dashboard.node.baseUrl}/docs`);
  await plain
    .getByRole("heading", { name: /Signalbox/ })
    .first()
    .waitFor();
  expect(await plain.locator("#handed-token").isVisible()).toBe(false);
});

it("a tab that the browser blocks is said", async () => {
  const tab = await dashboard.open({ path: "/explorer" });
  await tab.page.evaluate("window.open = () => null");
  await tab.click("Open GraphiQL");
  await tab.shows(/The browser has not opened the tab/);
  await tab.check();
});

it.each([
  "light",
  "dark",
] as const)("support opens them on a phone in %s colors with its own token alone", async (colorScheme) => {
  const options = { width: "phone", colorScheme, role: "support" } as const;
  const tab = await dashboard.open({ path: "/explorer", ...options });
  await tab.page.getByRole("button", { name: "Open the REST reference" }).waitFor();
  expect(await tab.page.getByRole("main").getByRole("textbox").count()).toBe(0);
  await tab.check();
  const graphiql = await opened(tab.page, "Open GraphiQL");
  await graphiql.getByText(/\(support\)/).waitFor();
  const query = `{ application(id: ${dashboard.node.application.id}) { name authSecret } }`;
  await runs(graphiql, query, '"authSecret": null');
});
