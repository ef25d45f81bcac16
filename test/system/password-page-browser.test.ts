import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { openBrowser } from "../support/calls/browser";
import { startNode, type TestNode } from "../support/node";
import { newUser, rest, signedParameters } from "../support/rest-client";

/** The page of a reset link in a browser; password-page.test.ts covers its content. */

const NEW = "battery staple";
const token = "t".repeat(43);

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

it("works in a real browser without JavaScript", async () => {
  const browser = await openBrowser({ javaScriptEnabled: false });
  try {
    const user = await newUser(node);
    await node.sql(
      `INSERT INTO password_resets (user_id, token_hash, expires_at)
        VALUES ($1, $2, now() + interval '1 hour')`,
      [user.id, createHash("sha256").update(token).digest()],
    );
    const page = await browser.newPage();
    const requestedPaths: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith("http")) requestedPaths.push(new URL(request.url()).pathname);
    });
    const consoleMessages: string[] = [];
    page.on("console", (message) => consoleMessages.push(message.text()));
    const fill = async (password: string, repeat: string) => {
      await page.getByLabel("New password", { exact: true }).fill(password);
      await page.getByLabel("New password again").fill(repeat);
      await page.getByRole("button", { name: "Set password" }).click();
    };
    await page.goto(`${node.baseUrl}/password/reset?token=${token}`);
    expect(await headingOf(page)).toBe("Choose a new password");
    await fill(NEW, "battery stable");
    expect(await page.getByRole("alert").textContent()).toBe("The two passwords are not the same.");
    expect(new URL(page.url()).search).toBe("");
    await fill(NEW, NEW);
    expect(await headingOf(page)).toBe("Your password is set");
    const again = { ...signedParameters(node), user: { login: user.login, password: NEW } };
    expect((await rest(node, "POST", "/session", { body: again })).status).toBe(201);
    await page.goto(`${node.baseUrl}/password/reset?token=${token}`);
    expect(await headingOf(page)).toBe("This link no longer works");
    expect(new Set(requestedPaths)).toEqual(new Set(["/password/reset"]));
    // Chromium logs the statuses 422 and 410, but no violation of the Content-Security-Policy.
    expect(consoleMessages.filter((text) => !/status of 4(22|10)/.test(text))).toEqual([]);
  } finally {
    await browser.dispose();
  }
});

const headingOf = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
