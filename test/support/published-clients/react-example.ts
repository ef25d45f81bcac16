import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "../../../scripts/services/binaries";
import type { TestNode } from "../node";
import { newApiKey } from "../sessions/api-keys";

const ROOT = join(__dirname, "../../..");

/** The development server of examples/react. */
export interface ExampleServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Runs commands that end with the example's development server, as a shell in the repository does, with an API key of
 * the node in place of `sbk_…`.
 */
export async function runExample(commands: string, node: TestNode): Promise<ExampleServer> {
  await node.sql("UPDATE applications SET server_sessions_create_users = true");
  const key = await newApiKey(node, ["sessions"]);
  const { PATH, HOME } = process.env;
  const shell = spawn("bash", ["-ec", commands.replaceAll("sbk_…", key)], {
    cwd: ROOT,
    detached: true,
    env: { PATH, HOME, NO_COLOR: "1", SIGNALBOX_URL: node.baseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { url: await addressOf(shell), close: () => endGroup(shell) };
}

/**
 * Waits until Vite, or the backend of the built page, has printed its address.
 * @throws Error with the output if the commands end before
 */
function addressOf(shell: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (data: Buffer) => {
      output += data;
      const [, url] = /(?:Local:|The page is at)\s+(https?:\S+)/.exec(output) ?? [];
      if (url) resolve(url);
    };
    shell.stdout?.on("data", read);
    shell.stderr?.on("data", read);
    shell.once("close", () => reject(new Error(`the commands have ended:\n${output}`)));
  });
}

/** Ends a shell with all that it has started. */
async function endGroup(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null || shell.pid === undefined) return;
  const closed = new Promise((resolve) => shell.once("close", resolve));
  process.kill(-shell.pid, "SIGTERM");
  await closed;
}

/** A tab with the example. */
export class ExamplePage {
  private constructor(
    readonly page: Page,
    /** Errors and warnings of the page, those of React as well. */
    readonly errors: readonly string[],
    /** Number of sessions that the page has asked its backend for. */
    readonly sessions: readonly string[],
  ) {}

  /** Opens the page. */
  static async open(browser: BrowserContext, url: string): Promise<ExamplePage> {
    const page = await browser.newPage();
    // Shorter than jest's timeout, so that a test that hangs reports the step.
    page.setDefaultTimeout(120_000);
    const [errors, sessions]: [string[], string[]] = [[], []];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/session") sessions.push(request.url());
    });
    await page.addInitScript(`
      window.peers = [];
      window.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...parts) { super(...parts); window.peers.push(this); }
      };
      window.sockets = [];
      window.WebSocket = class extends WebSocket {
        constructor(url, ...parts) {
          super(url, ...parts);
          // The other one is Vite's.
          if (String(url).endsWith("/graphql")) window.sockets.push(this);
        }
      };
    `);
    await page.goto(url);
    return new ExamplePage(page, errors, sessions);
  }

  async signIn(name: string): Promise<void> {
    await this.page.getByLabel("Your name").fill(name);
    await this.click("Sign in");
    await this.page.getByRole("heading", { name: "Contacts" }).waitFor();
  }

  /** Clicks on a button by its text or label. */
  async click(name: string): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Waits until the page shows a text. */
  async shows(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Number of video frames that open peer connections have decoded. */
  async framesDecoded(): Promise<number> {
    const count = `(async () => {
      let frames = 0;
      for (const peer of peers) {
        if (peer.connectionState !== "connected") continue;
        for (const report of (await peer.getStats()).values()) {
          if (report.type === "inbound-rtp" && report.kind === "video") frames += report.framesDecoded;
        }
      }
      return frames;
    })()`;
    return Number(await this.page.evaluate(count));
  }

  /** Waits until the page has decoded more video. */
  async watches(): Promise<void> {
    const before = await this.framesDecoded();
    await eventually(async () => {
      const now = await this.framesDecoded();
      if (now < before + 10) throw new Error(`${now} frames, ${before} before`);
    });
  }
}
