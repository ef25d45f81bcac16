import type { Page } from "playwright-core";
import { openBrowser } from "../support/calls/browser";
import { startNode, type TestNode } from "../support/node";
import { newUser, rest } from "../support/rest-client";

/** The reference of the REST API in a real browser, under its Content-Security-Policy. */

let node: TestNode;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  node = await startNode();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.dispose();
  await node.stop();
});

/** A new page, with what it logs as an error and what it requests of other hosts. */
async function newPage(): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(node.baseUrl).host) problems.push(host);
  });
  return { page, problems };
}

it("shows every operation, without violating its policy and without other hosts", async () => {
  const { page, problems } = await newPage();
  await page.goto(`${node.baseUrl}/docs`);
  await page.waitForSelector(".opblock");
  const { body } = await rest(node, "GET", "/openapi.json");
  const operations = Object.values(body.paths as object).flatMap((path) => Object.keys(path));
  expect(await page.locator(".opblock").count()).toBe(operations.length);
  expect(await page.locator(".info .title").textContent()).toContain("Signalbox");
  expect(problems).toEqual([]);
});

/** Opens an operation, and enters a token. */
async function openOperation(page: Page, name: string, token: string) {
  await page.goto(`${node.baseUrl}/docs#/${name}`);
  await page.click(".auth-wrapper .authorize");
  const heading = page.locator("h4 code", { hasText: "Token" });
  const form = page.locator(".auth-container").filter({ has: heading });
  await form.locator("input").fill(token);
  await form.locator("button.authorize").click();
  await page.click(".dialog-ux .close-modal");
}

it("asks for one token first, and says how to get it; for the account key last", async () => {
  const { page, problems } = await newPage();
  await page.goto(`${node.baseUrl}/docs`);
  await page.click(".auth-wrapper .authorize");
  const boxes = page.locator(".auth-container");
  const names = await boxes.locator("h4 code").allTextContents();
  expect(names).toEqual(["Token", "API key", "Account key"]);
  expect(await boxes.first().textContent()).toContain("npx signalbox token --app 1");
  await boxes.first().locator("input:focus").waitFor();
  expect(problems).toEqual([]);
  await page.close();
});

it("runs a request with the token", async () => {
  const user = await newUser(node);
  const { page, problems } = await newPage();
  await openOperation(page, "Session/getSession", user.token);
  const operation = page.locator("#operations-Session-getSession");
  await operation.locator(".try-out__btn").click();
  await operation.locator(".execute").click();
  const response = operation.locator(".live-responses-table .response");
  await response.waitFor();
  expect(await response.locator(".response-col_status").textContent()).toContain("200");
  expect(await response.locator(".microlight, .highlight-code").first().textContent()).toContain(
    user.login,
  );
  expect(problems).toEqual([]);
  await page.close();
});

it("sends a list filter as the service reads it", async () => {
  const [ann, ben] = [await newUser(node), await newUser(node)];
  const { page, problems } = await newPage();
  await openOperation(page, "Users/listUsers", ann.token);
  const operation = page.locator("#operations-Users-listUsers");
  await operation.locator(".try-out__btn").click();
  await operation.locator('tr[data-param-name="id"] input').fill("");
  const list = operation.locator('tr[data-param-name="login[in][]"]');
  for (const [index, login] of [ann.login, ben.login].entries()) {
    await list.locator(".json-schema-form-item-add").click();
    await list.locator(".json-schema-form-item input").nth(index).fill(login);
  }
  await operation.locator(".execute").click();
  const response = operation.locator(".live-responses-table .response");
  await response.waitFor();
  const shown = await response.locator(".microlight, .highlight-code").first().textContent();
  expect(shown).toContain('"total_entries": 2');
  expect(problems).toEqual([]);
});
