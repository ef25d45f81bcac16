import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import type { AppOptions } from "../../../src/app";
import type { MemberRole } from "../../../src/core/viewer";
import { openBrowser } from "../calls/browser";
import { eventually } from "../moving-clock";
import { startNode, type TestNode } from "../node";
import { memberToken, ownerCredentials } from "../sessions/owner";

const ROOT = join(__dirname, "../../..");
/** The checker of accessible pages, as a script. */
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
/** Where the page keeps its token (dashboard/src/api/token-storage.ts). */
export const TOKEN_KEY = "signalbox.dashboard.token";
/** Time for a step, in milliseconds: shorter than jest's timeout, so that a test that hangs reports the step. */
const STEP_MS = 60_000;
/** The widths that pages are made for. */
export const WIDTHS = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

/** How a page of the dashboard is opened. */
export interface OpenOptions {
  /** Path below /dashboard, such as /applications/1/settings. */
  path?: string;
  width?: keyof typeof WIDTHS;
  colorScheme?: "light" | "dark";
  /** Role of the member who is signed in; owner by default. */
  role?: MemberRole;
  /** Token to find in the tab, in place of a member's; null to get the sign-in page. */
  token?: string | null;
}

/** A node with the dashboard as it is built, and a browser. */
export interface Dashboard {
  node: TestNode;
  owner: { email: string; password: string };
  open(options?: OpenOptions): Promise<DashboardPage>;
  /** Fails for problems of pages since they were checked. */
  stop(): Promise<void>;
}

/** Builds the dashboard if something has changed, starts a node with it, and opens a browser. */
export async function startDashboard(
  environment: Record<string, string> = {},
  parts: AppOptions = {},
): Promise<Dashboard> {
  await promisify(execFile)(process.execPath, [join(ROOT, "bin/dashboard.js")]);
  const node = await startNode(environment, parts);
  const browser = await openBrowser();
  const opened: DashboardPage[] = [];
  return {
    node,
    owner: ownerCredentials(node),
    async open(options) {
      const page = await DashboardPage.open(await browser.newPage(), node, options);
      opened.push(page);
      return page;
    },
    async stop() {
      await browser.dispose();
      await node.stop();
      expect(opened.flatMap(({ problems }) => problems)).toEqual([]);
    },
  };
}

/** A tab with the dashboard. */
export class DashboardPage {
  private constructor(
    readonly page: Page,
    readonly node: TestNode,
    /** Errors of the console and of scripts, violations of the policy, requests of other hosts. */
    readonly problems: string[],
  ) {}

  /** Opens a page, and waits for its heading. */
  static async open(
    page: Page,
    node: TestNode,
    {
      path = "",
      width = "desktop",
      colorScheme = "light",
      role = "owner",
      token,
    }: OpenOptions = {},
  ): Promise<DashboardPage> {
    page.setDefaultTimeout(STEP_MS);
    await page.setViewportSize(WIDTHS[width]);
    // Colors and places are checked when nothing moves.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    page.on("request", (request) => {
      const { host, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && host !== new URL(node.baseUrl).host) problems.push(host);
    });
    await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
      console.error("policy: " + event.violatedDirective + " " + event.blockedURI));`);
    const opened = new DashboardPage(page, node, problems);
    const own = token === undefined ? await memberToken(node, role) : token;
    // Only at the first load: later ones find what the page has kept or removed.
    if (own !== null) {
      await page.addInitScript(`if (!sessionStorage.getItem("opened")) {
        sessionStorage.setItem("opened", "yes");
        sessionStorage.setItem("${TOKEN_KEY}", "${own}");
      }`);
    }
    await opened.goto(path);
    return opened;
  }

  /** Opens another page by its URL, and waits for its heading. */
  async goto(path: string): Promise<void> {
    await this.page.goto(`${this.node.baseUrl}/dashboard${path}`);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
  }

  /** Replaces the token that the page finds at its next load. */
  async setToken(token: string): Promise<void> {
    await this.page.evaluate(`sessionStorage.setItem("${TOKEN_KEY}", "${token}")`);
  }

  /** The token that the tab keeps. */
  token(): Promise<string | null> {
    return this.page.evaluate(`sessionStorage.getItem("${TOKEN_KEY}")`);
  }

  /** Fills in the form of the sign-in page, or of the sign-in over a page. */
  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.page.getByLabel("E-mail", { exact: true }).fill(email);
    await this.page.getByLabel("Password", { exact: true }).fill(password);
    await this.click("Sign in");
  }

  /** Clicks on a button by its text or label. */
  async click(name: string): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Waits for a heading, which names the page. */
  async showsPage(title: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  }

  /** Waits until the page shows a text. */
  async shows(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Waits until an expression of the page has a value. The policy of the page allows no evaluation within it. */
  async until(expression: string, value: unknown): Promise<void> {
    const giveUpAt = Date.now() + STEP_MS;
    await eventually(
      () => this.page.evaluate(expression),
      (answer) => {
        if (answer !== value && Date.now() > giveUpAt) {
          throw new Error(
            `${expression} is ${JSON.stringify(answer)}, not ${JSON.stringify(value)}`,
          );
        }
        return answer === value;
      },
    );
  }

  /** Takes the expected problems out of the list, such as a failed request that browsers report by themselves. */
  takeProblems(expected: RegExp): string[] {
    const taken = this.problems.filter((text) => expected.test(text));
    const others = this.problems.filter((text) => !expected.test(text));
    this.problems.splice(0, this.problems.length, ...others);
    return taken;
  }

  /** Violations of WCAG that axe-core finds on the page as it is, with the elements. */
  async violations(): Promise<string[]> {
    // What fades in has another contrast than what stays.
    await this.until(
      `document.getAnimations().filter(({ effect, playState }) => playState === "running" &&
        effect.getComputedTiming().iterations !== Infinity).length`,
      0,
    );
    if (!(await this.page.evaluate("'axe' in window"))) await this.page.evaluate(AXE);
    // What passes, and where elements are, takes half of the time.
    const found: { id: string; nodes: { html: string }[] }[] = await this.page.evaluate(
      `axe.run({ resultTypes: ["violations"], selectors: false })
        .then(({ violations }) => violations)`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }

  /** Whether the page is wider than the window: something would be cut off on a phone. */
  overflows(): Promise<boolean> {
    return this.page.evaluate(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
  }

  /** Fails for problems so far, for violations of WCAG and for a page that is too wide. */
  async check(): Promise<void> {
    expect(await this.violations()).toEqual([]);
    expect(await this.overflows()).toBe(false);
    expect(this.problems).toEqual([]);
  }
}
